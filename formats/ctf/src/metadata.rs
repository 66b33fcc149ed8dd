//! Reads the metadata of a trace: a text in TSDL or JSON, as it is or divided into packets.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use foldtrace_trace::{Place, TraceError};

use crate::description::Description;
use crate::fault::Fault;
use crate::{ctf2, tsdl};

/// The name of the file.
pub(crate) const FILE: &str = "metadata";
/// What metadata in TSDL begin with.
const SIGNATURE: &[u8] = b"/* CTF 1.8";
/// What packets of metadata begin with.
const MAGIC: u32 = 0x75d1_1d57;
/// The size of the header of a packet, in bytes.
const HEADER: usize = 37;
/// The maximum size of the metadata of other programs, in bytes.
pub(crate) const MOST_BYTES: u64 = 1 << 28;

/// Returns whether the first bytes of a file are those of metadata.
pub(crate) fn is_metadata(head: &[u8]) -> bool {
    head.starts_with(SIGNATURE) || is_json(head) || is_big_endian(head).is_some()
}

/// Returns whether the first bytes are those of the metadata of CTF 2.
pub(crate) fn is_json(head: &[u8]) -> bool {
    head.starts_with(b"\x1e")
}

/// Returns whether packets of metadata are in big-endian order, or `None` if there are no packets.
fn is_big_endian(head: &[u8]) -> Option<bool> {
    let first = *head.first_chunk()?;
    match MAGIC {
        magic if u32::from_le_bytes(first) == magic => Some(false),
        magic if u32::from_be_bytes(first) == magic => Some(true),
        _ => None,
    }
}

/// Reads the metadata in a folder, which must not have more than `most` bytes.
pub(crate) fn read(folder: &Path, most: u64) -> Result<Description, TraceError> {
    let path = folder.join(FILE);
    let unreadable = |error| TraceError::unreadable(&path, error);
    let mut bytes = Vec::new();
    let file = File::open(&path).map_err(unreadable)?;
    file.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > most {
        let fault = Fault::new(format!(
            "expected metadata of at most {most} bytes, found more"
        ));
        return Err(fault.error(Place::file(path)));
    }
    parse(&bytes).map_err(|fault| fault.error(Place::file(path)))
}

/// Parses metadata.
pub(crate) fn parse(bytes: &[u8]) -> Result<Description, Fault> {
    let text = match is_big_endian(bytes) {
        Some(is_big_endian) => &unpack(bytes, is_big_endian)?,
        None if bytes.starts_with(SIGNATURE) || is_json(bytes) => bytes,
        None => {
            let fault = Fault::new(
                "the metadata begin neither with '/* CTF 1.8', nor with a record separator of JSON, nor with a packet",
            );
            return Err(fault.hint("the folder may not have a trace of CTF"));
        }
    };
    let text = std::str::from_utf8(text).map_err(|error| {
        let lines = text[..error.valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n');
        Fault::new("expected metadata in UTF-8, found other bytes")
            .at_line(lines.count() as u64 + 1)
    })?;
    if text.trim_start().starts_with('\x1e') {
        ctf2::parse(text)
    } else {
        tsdl::parse(text)
    }
}

/// Returns the text that packets of metadata have.
fn unpack(mut bytes: &[u8], is_big_endian: bool) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::new();
    let mut number = 0;
    while !bytes.is_empty() {
        number += 1;
        let fault = |what: &str| Fault::new(format!("packet {number} of the metadata {what}"));
        let Some(header) = bytes.first_chunk::<HEADER>() else {
            return Err(Fault::truncated(format!(
                "packet {number} of the metadata has no whole header"
            )));
        };
        let word = |at: usize| {
            let bytes = [header[at], header[at + 1], header[at + 2], header[at + 3]];
            if is_big_endian {
                u32::from_be_bytes(bytes)
            } else {
                u32::from_le_bytes(bytes)
            }
        };
        let (content, packet) = (word(24) as usize / 8, word(28) as usize / 8);
        let [compression, encryption, _, major, minor] = [32, 33, 34, 35, 36].map(|at| header[at]);
        if word(0) != MAGIC {
            return Err(fault("does not begin as packets do"));
        }
        if compression != 0 || encryption != 0 {
            return Err(fault("is compressed or encrypted"));
        }
        if !matches!((major, minor), (1, 8) | (2, 0)) {
            return Err(fault(&format!("has the unknown version {major}.{minor}")));
        }
        if content < HEADER || content > packet {
            return Err(fault(&format!(
                "has {content} bytes of content, but {packet} in total"
            )));
        }
        // The padding of the last packet may be missing.
        let Some(content) = bytes.get(HEADER..content) else {
            return Err(Fault::truncated(format!(
                "packet {number} of the metadata ends too early"
            )));
        };
        text.extend_from_slice(content);
        bytes = bytes.get(packet..).unwrap_or_default();
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(text: &str, is_big_endian: bool) -> Vec<u8> {
        let word = |number: u32| {
            if is_big_endian {
                number.to_be_bytes()
            } else {
                number.to_le_bytes()
            }
        };
        let content = 8 * (HEADER + text.len()) as u32;
        let mut bytes = word(MAGIC).to_vec();
        bytes.extend_from_slice(&[7; 16]);
        bytes.extend([0, content, content + 24].into_iter().flat_map(word));
        bytes.extend_from_slice(&[0, 0, 0, 1, 8]);
        bytes.extend_from_slice(text.as_bytes());
        bytes.extend_from_slice(&[0; 3]);
        bytes
    }

    #[test]
    fn metadata_have_a_maximum_size() {
        let folder = tempfile::tempdir().unwrap();
        let text = "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };";
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let most = text.len() as u64;
        assert!(read(folder.path(), most).is_ok());
        let error = read(folder.path(), most - 1).unwrap_err();
        let expected = format!(
            "expected metadata of at most {} bytes, found more",
            most - 1
        );
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn packets_of_both_orders_are_joined() {
        for is_big_endian in [false, true] {
            let bytes = [
                packet("trace {", is_big_endian),
                packet("};", is_big_endian),
            ]
            .concat();
            assert!(is_metadata(&bytes));
            assert_eq!(unpack(&bytes, is_big_endian).unwrap(), b"trace {};");
            assert!(unpack(&bytes[..bytes.len() - 5], is_big_endian).is_err());
        }
    }
}
