//! Reads the bytes of a file or a pipe, decompressing them if necessary.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use foldtrace_trace::{ErrorKind, Input, Place, Remedy, TraceError};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Size of the buffer for compressed input, in bytes.
const COMPRESSED_BLOCK: usize = 1 << 16;

/// The compression of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// Returns the compression of an input that begins with `head`.
    fn detect(head: &[u8]) -> Option<Self> {
        if head.starts_with(GZIP) {
            Some(Self::Gzip)
        } else if head.starts_with(ZSTD) {
            Some(Self::Zstd)
        } else {
            None
        }
    }
}

/// The bytes of an input, read once from beginning to end.
pub struct Bytes {
    reader: Box<dyn Read + Send>,
    /// Number of bytes; 0 if unknown.
    pub size: u64,
    /// Whether the input can be opened a second time.
    pub is_repeatable: bool,
}

impl Bytes {
    /// Opens an input that is not a folder. Input compressed with gzip or Zstandard is decompressed.
    ///
    /// # Errors
    /// If the input is missing or unreadable.
    pub fn open(input: Input) -> Result<Self, TraceError> {
        match input {
            Input::Path(path) => Self::open_file(&path),
            Input::Stream {
                name,
                mut head,
                mut reader,
            } => {
                let unreadable = |error| TraceError::unreadable(&name, error);
                // The head may be too short to recognise a compression.
                let missing = ZSTD.len().saturating_sub(head.len());
                (&mut reader)
                    .take(missing as u64)
                    .read_to_end(&mut head)
                    .map_err(unreadable)?;
                let compression = Compression::detect(&head);
                let reader = Cursor::new(head).chain(reader);
                Ok(Self {
                    reader: decompress(reader, compression).map_err(unreadable)?,
                    size: 0,
                    is_repeatable: false,
                })
            }
        }
    }

    /// Opens a file.
    ///
    /// # Errors
    /// If the file is missing or unreadable.
    pub fn open_file(path: &Path) -> Result<Self, TraceError> {
        let unreadable = |error| TraceError::unreadable(path, error);
        let mut file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        let mut head = Vec::new();
        let is_file = metadata.is_file();
        (&mut file)
            .take(ZSTD.len() as u64)
            .read_to_end(&mut head)
            .map_err(unreadable)?;
        let compression = Compression::detect(&head);
        let size = match compression {
            None if is_file => metadata.len(),
            _ => 0,
        };
        let reader = Cursor::new(head).chain(file);
        Ok(Self {
            reader: decompress(reader, compression).map_err(unreadable)?,
            size,
            is_repeatable: is_file,
        })
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

fn decompress(
    reader: impl Read + Send + 'static,
    compression: Option<Compression>,
) -> io::Result<Box<dyn Read + Send>> {
    let compressed = |reader| BufReader::with_capacity(COMPRESSED_BLOCK, reader);
    Ok(match compression {
        None => Box::new(reader),
        Some(Compression::Gzip) => Box::new(MultiGzDecoder::new(compressed(reader))),
        Some(Compression::Zstd) => Box::new(zstd::stream::read::Decoder::with_buffer(compressed(
            reader,
        ))?),
    })
}

/// Returns the error for bytes of `path` that cannot be read: either the device failed, or the compressed data is
/// damaged.
pub fn read_error(path: &Path, error: io::Error) -> TraceError {
    let damaged = |kind, message: &str| {
        TraceError::new(
            kind,
            format!("cannot decompress {}: {message}", path.display()),
        )
        .at(Place::file(path))
    };
    match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged(ErrorKind::Truncated, "it ends too early")
            .hint("the copy may be incomplete")
            .remedy(Remedy::Salvage),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            damaged(ErrorKind::Malformed, "it is damaged")
                .remedy(Remedy::Salvage)
                .caused_by(error)
        }
        _ => TraceError::unreadable(path, error),
    }
}

/// Returns at most `most` bytes of the decompressed beginning of an input whose first bytes are `head`, as far as `head` suffices;
/// `None` if the input is not compressed.
///
/// ```
/// use std::io::Write;
/// let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
/// gzip.write_all(b"0 send 1 17\n").unwrap();
/// let head = gzip.finish().unwrap();
/// let plain = foldtrace_input::decompressed_head(&head, 100);
/// assert_eq!(plain.as_deref(), Some(b"0 send 1 17\n".as_slice()));
/// assert_eq!(foldtrace_input::decompressed_head(b"0 send 1 17\n", 100), None);
/// ```
#[must_use]
pub fn decompressed_head(head: &[u8], most: u64) -> Option<Vec<u8>> {
    let compression = Compression::detect(head)?;
    let mut plain = Vec::new();
    if let Ok(reader) = decompress(Cursor::new(head.to_vec()), Some(compression)) {
        // The head ends within the compressed data, so an error at its end is expected.
        let _ = reader.take(most).read_to_end(&mut plain);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_pipe_is_decompressed_however_little_of_it_was_read_before() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"0 send 1 17\n").unwrap();
        let gzip = gzip.finish().unwrap();
        let zstd = zstd::encode_all(b"0 send 1 17\n".as_slice(), 1).unwrap();
        for bytes in [gzip, zstd, b"0 send 1 17\n".to_vec()] {
            for length in 0..bytes.len() {
                let (head, rest) = bytes.split_at(length);
                let input = Input::Stream {
                    name: "-".into(),
                    head: head.to_owned(),
                    reader: Box::new(Cursor::new(rest.to_owned())),
                };
                let mut plain = Vec::new();
                Bytes::open(input).unwrap().read_to_end(&mut plain).unwrap();
                assert_eq!(plain, b"0 send 1 17\n");
            }
        }
    }
}
