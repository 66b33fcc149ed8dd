//! Archives: stores whose quantities are coded with the help of the topology, to make them as small as possible.
//!
//! The topology contains the symbol of each event, so a block need not repeat it: the [`quantities`] of an event are
//! coded under [contexts](number) that are made of its symbol and of preceding events, each bit with the
//! [probability](coder) learned in its context. The models are reset for each segment, so that a segment can be read
//! without the others. `schemas/archive.md` describes the bytes.

mod blocks;
mod coder;
mod cursor;
mod grid;
mod legacy;
mod number;
mod period;
mod quantities;
mod reader;
mod times;
mod values;

pub(super) use blocks::BlockWriter;
pub(super) use cursor::Cursor;
pub(super) use quantities::{EventColumns, QuantityCodec};
pub(super) use reader::ArchiveReader;
