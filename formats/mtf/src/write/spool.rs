//! A temporary file for data that is written after the DAG.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;

use foldtrace_output::OutputFile;

/// Compressed text that is written, and read back once. The file has no name, so nothing remains of it.
pub(super) struct Spool(zstd::Encoder<'static, File>);

impl Spool {
    const LEVEL: i32 = 1;

    /// Creates the file in the folder of the output, which must have space for the same text anyway. If the output is
    /// not a file, the file is created in the system's temporary folder.
    pub fn beside(output: &OutputFile) -> io::Result<Self> {
        let file = match output.path().parent().filter(|_| output.is_file()) {
            Some(folder) if folder != Path::new("") => tempfile::tempfile_in(folder)?,
            Some(_) => tempfile::tempfile_in(".")?,
            None => tempfile::tempfile()?,
        };
        Ok(Self(zstd::Encoder::new(file, Self::LEVEL)?))
    }

    /// Returns a reader of the text, from its beginning.
    pub fn read(self) -> io::Result<impl Read> {
        let mut file = self.0.finish()?;
        file.rewind()?;
        zstd::Decoder::new(BufReader::new(file))
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
