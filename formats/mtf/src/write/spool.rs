//! What waits on disk until the DAG before it is known.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;

use foldtrace_output::OutputFile;

/// Text that is written, and read back once. It has no name, so that nothing of it stays behind.
pub(super) struct Spool(zstd::Encoder<'static, File>);

impl Spool {
    const LEVEL: i32 = 1;

    /// In the folder of a file, which has to have room for the same text; for what is no file, in the
    /// folder of temporary files.
    pub fn beside(output: &OutputFile) -> io::Result<Self> {
        let file = match output.path().parent().filter(|_| output.is_file()) {
            Some(folder) if folder != Path::new("") => tempfile::tempfile_in(folder)?,
            Some(_) => tempfile::tempfile_in(".")?,
            None => tempfile::tempfile()?,
        };
        Ok(Self(zstd::Encoder::new(file, Self::LEVEL)?))
    }

    /// What was written, from its beginning.
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
