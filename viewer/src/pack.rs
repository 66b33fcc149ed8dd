//! Packs the data of a page: a head in JSON, and columns of numbers, which a browser reads as typed arrays.

use std::collections::BTreeMap;
use std::io::{self, Write};

use base64::prelude::*;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

/// The place of a column in the data after the head.
#[derive(Clone, Debug, Serialize)]
struct Place {
    #[serde(rename = "type")]
    number: &'static str,
    /// The number of bytes before the column.
    offset: usize,
    /// The number of its values.
    length: usize,
}

/// Columns of numbers, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// The places by the names of the columns.
    places: BTreeMap<String, Place>,
    bytes: Vec<u8>,
}

/// A head, with the places of columns.
#[derive(Debug, Serialize)]
struct WithColumns<'a, H: Serialize> {
    #[serde(flatten)]
    head: H,
    columns: &'a BTreeMap<String, Place>,
}

/// Each column begins at a multiple of this number of bytes, so that a browser reads it as a typed array without a copy.
const ALIGNMENT: usize = 8;

impl Columns {
    /// Adds a column of unsigned numbers.
    pub fn add_u32(&mut self, name: impl Into<String>, values: impl Iterator<Item = u32>) {
        self.add(name.into(), "u32", values.map(u32::to_le_bytes));
    }

    /// Adds a column of numbers that need not be exact.
    pub fn add_f32(&mut self, name: impl Into<String>, values: impl Iterator<Item = f32>) {
        self.add(name.into(), "f32", values.map(f32::to_le_bytes));
    }

    /// Adds a column of numbers.
    pub fn add_f64(&mut self, name: impl Into<String>, values: impl Iterator<Item = f64>) {
        self.add(name.into(), "f64", values.map(f64::to_le_bytes));
    }

    fn add<const N: usize>(
        &mut self,
        name: String,
        number: &'static str,
        values: impl Iterator<Item = [u8; N]>,
    ) {
        let offset = self.bytes.len();
        self.bytes.extend(values.flatten());
        let length = (self.bytes.len() - offset) / N;
        let place = Place {
            number,
            offset,
            length,
        };
        self.places.insert(name, place);
        let end = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(end, 0);
    }
}

/// Writes the length of the head, the head with the places of columns, and the columns.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub(crate) fn write_plain(
    out: &mut impl Write,
    head: &impl Serialize,
    columns: &Columns,
) -> io::Result<()> {
    let places = &columns.places;
    let head = serde_json::to_vec(&WithColumns {
        head,
        columns: places,
    })?;
    let length = u32::try_from(head.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&head)?;
    let written = size_of::<u32>() + head.len();
    let padding = written.next_multiple_of(ALIGNMENT) - written;
    out.write_all(&[0; ALIGNMENT][..padding])?;
    out.write_all(&columns.bytes)
}

/// Writes the same, compressed with gzip and in Base64.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub(crate) fn write(
    out: &mut impl Write,
    head: &impl Serialize,
    columns: &Columns,
) -> io::Result<()> {
    let text = EncoderWriter::new(out, &BASE64_STANDARD);
    let mut packed = GzEncoder::new(text, Compression::best());
    write_plain(&mut packed, head, columns)?;
    packed.finish()?.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;
    use io::Read;

    use super::*;

    #[test]
    fn columns_begin_at_multiples_of_eight_bytes() {
        let mut columns = Columns::default();
        columns.add_u32("first", [7, 8, 9].into_iter());
        columns.add_f64("second", [0.5].into_iter());
        let mut text = Vec::new();
        write(&mut text, &serde_json::json!({"span": 7}), &columns).unwrap();
        let packed = BASE64_STANDARD.decode(text).unwrap();
        let mut bytes = Vec::new();
        GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let head: serde_json::Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        assert_eq!(head["span"], 7);
        assert_eq!(head["columns"]["second"]["offset"], 16);
        assert_eq!(head["columns"]["first"]["length"], 3);
        let begin = (4 + length).next_multiple_of(8);
        assert_eq!(bytes[begin..begin + 4], 7_u32.to_le_bytes());
        assert_eq!(bytes[begin + 16..], 0.5_f64.to_le_bytes());
    }
}
