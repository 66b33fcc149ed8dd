//! Perfetto's protobuf traces, written only.
