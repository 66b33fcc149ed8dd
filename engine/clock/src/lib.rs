//! Corrects the times of traces in which each process has a clock of its own.
//!
//! Clocks of different processes have different offsets and drifts, so that messages seem to arrive before they were
//! sent. [`Correction::find`] estimates offsets and drifts from messages and collective operations alone, and with
//! [`Method::Controlled`] removes the violations that remain. A correction changes only times, not events, positions or symbols;
//! it consists of a [`Line`] and few [`Knots`] per location, which a store keeps as derived tables. [`Corrected`] is a trace with corrected
//! times:
//!
//! ```
//! use foldtrace_clock::{Corrected, Correction, Method};
//! use foldtrace_store::StoreReader;
//! use foldtrace_stream::read::Progress;
//! use foldtrace_stream::timeline::Timeline;
//!
//! let store = StoreReader::open("../../tests/data/stores/v4/ring-4.fold".as_ref())?;
//! let progress = Progress::default();
//! let correction = Correction::of_store(&store, None, &progress)?;
//! assert_eq!(correction.report().violations_after, Some(0));
//! let corrected = Corrected::new(&store, &correction);
//! let mut timeline = Timeline::new(&corrected, false, &progress)?;
//! while let Some(next) = timeline.next()? {
//!     // In this order, each message is sent before it is received.
//!     let _ = next.event.time;
//! }
//! # Ok::<(), foldtrace_trace::TraceError>(())
//! ```

mod controlled;
mod corrected;
mod correction;
mod dependence;
mod ends;
mod estimate;
mod find;
mod hull;
mod knots;
mod lanes;
mod line;
mod potentials;
mod replay;
mod role;
mod survey;
mod table;

pub use corrected::Corrected;
pub use correction::{ClockReport, Correction, LocationClock, Method};
pub use dependence::Dependence;
pub use knots::{Knot, KnotWriter, Knots};
pub use lanes::{LaneLocation, Lanes};
pub use line::Line;
pub use replay::{Arrival, Participant, Replay, Replayed, Stamp, Visitor};
