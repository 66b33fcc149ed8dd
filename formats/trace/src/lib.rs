//! The neutral model of an execution trace.
//!
//! All of foldtrace works on the types of this crate: a format decodes its bytes into [`EventBatch`]es and
//! [`Definitions`], and the store, the folders and the analyses use these. This crate reads and writes no files and
//! has no knowledge of any format.
//!
//! | term | type |
//! |---|---|
//! | location: one sequential stream of events | [`LocationId`] |
//! | position: index of an event in its location | [`Position`] |
//! | topology: what happened, in which order | [`EventKind`], [`Operand`] |
//! | quantity: how much | [`Timestamp`], [`Quantity`] |
//! | symbol: one distinct topological identity | [`SymbolId`] in a [`SymbolTable`] |

mod arrows;
mod batch;
mod call_stack;
mod calls;
mod definition;
mod demultiplexer;
mod diagnostic;
mod display;
mod error;
mod event;
mod format;
mod ids;
mod left_out;
mod metrics;
mod minter;
mod names;
mod ranks;
mod references;
mod registry;
mod row_sums;
mod symbol;
mod value;
mod wide;

pub use arrows::{Arrow, Arrows};
pub use batch::{AttributeColumns, BatchCursor, EventBatch, EventRef, Events, MetricColumns};
pub use call_stack::{CallStack, LeftCall};
pub use calls::{CallChange, OpenCalls, leave_of};
pub use definition::{
    Clock, DefinitionKind, DefinitionRecord, DefinitionTable, Definitions, Field, FieldType,
};
pub use demultiplexer::{Backwards, Carried, Demultiplexer};
pub use diagnostic::{Diagnostic, DiagnosticGroup, Diagnostics, Place, Severity};
pub use display::{
    EventText, LabelText, Printable, Quoted, SymbolText, format_labels, format_set, parse_set,
};
pub use error::{ErrorKind, Remedy, TraceError};
pub use event::{EventKind, MAX_OPERANDS, Operand, Quantity};
pub use foldtrace_mpi::{COLLECTIVES, Vocabulary};
pub use format::{
    Descriptor, EventStream, Format, Input, LocationCheck, LocationChecks, LocationWriter,
    LocationWriters, Order, Output, PathKind, Probe, ReadOptions, Step, StreamFrom, StreamInfo,
    TimeRange, TraceHead, TraceReader, TraceWriter, is_object_url, most_parts, uncompressed,
};
pub use ids::{LocationId, Position, SymbolId, Timestamp, UNDEFINED};
pub use left_out::LeftOut;
pub use metrics::{MetricMember, MetricMode, Metrics};
pub use minter::Minter;
pub use names::{LocationLabel, Names, Process};
pub use ranks::{Members, Ranks};
pub use registry::Registry;
pub use row_sums::RowSums;
pub use symbol::{Symbol, SymbolTable};
pub use value::ValueType;
pub use wide::WideFields;
