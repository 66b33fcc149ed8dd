//! Chrome's JSON traces, as about:tracing and Perfetto read them.
