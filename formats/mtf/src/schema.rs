//! Names and constants of documents, used by the writer and the reader.

/// The prefix of the namespace; the major version follows.
pub(super) const FAMILY: &str = "urn:foldtrace:mtf:";
/// The namespace of the elements.
pub(super) const NAMESPACE: &str = "urn:foldtrace:mtf:1";
/// The major version that is written and read.
pub(super) const MAJOR: u64 = 1;
/// The version that is written.
pub(super) const VERSION: &str = "1.0";
/// The text for an undefined quantity.
pub(super) const NO_VALUE: &[u8] = b"-";
/// Number of events in a block, except in the last block of a location.
pub(super) const BLOCK_EVENTS: usize = 8192;

pub(super) const SCENARIO: &str = "Scenario";
pub(super) const TRACE: &str = "Trace";
pub(super) const DEFINITIONS: &str = "Definitions";
pub(super) const DEFINITION: &str = "Definition";
pub(super) const LABELS: &str = "Labels";
pub(super) const LABEL: &str = "Label";
pub(super) const OWN: &str = "Own";
pub(super) const UNITS: &str = "Units";
pub(super) const ROUTINE_CALL: &str = "RoutineCall";
pub(super) const MPI_OPERATION: &str = "MPIOperation";
pub(super) const EVENT: &str = "Event";
pub(super) const ROOT: &str = "Root";
pub(super) const EDGE: &str = "Edge";
pub(super) const PROCESSOR: &str = "Processor";
pub(super) const PROCESS: &str = "Process";
pub(super) const LOCATION: &str = "Location";
pub(super) const MESSAGES: &str = "Messages";
pub(super) const MESSAGE: &str = "Message";
pub(super) const SENDER: &str = "Sender";
pub(super) const RECEIVER: &str = "Receiver";
pub(super) const RUN: &str = "Run";
pub(super) const TRACE_PATTERN: &str = "TracePattern";
pub(super) const PATTERN_OCCURRENCE: &str = "PatternOccurrence";
pub(super) const EVENTS: &str = "Events";
pub(super) const BLOCK: &str = "Block";
pub(super) const TIMESTAMPS: &str = "Timestamps";
pub(super) const VALUES: &str = "Values";
pub(super) const METRICS: &str = "Metrics";
pub(super) const ATTRIBUTES: &str = "Attributes";

/// Returns whether a character must be replaced in displayed names, because XML 1.0 does not support it.
pub(super) fn is_forbidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')
}
