//! Archives: stores whose quantities are coded by what happened, as small as we can make them.
//!
//! Topology says what each event is, so it need not be said again beside its time: the
//! [`quantities`] of an event are coded under [contexts](number) made of its symbol and of what came
//! before it, each bit with the [probability](coder) learned there. Models begin anew with each
//! segment, so that one can be read without the others. `schemas/archive.md` describes the bytes.

mod blocks;
mod coder;
mod cursor;
mod number;
mod quantities;
mod unit;

pub(super) use blocks::{BlockWriter, damaged, read};
pub(super) use cursor::Cursor;
pub(super) use quantities::{Columns, Known};
