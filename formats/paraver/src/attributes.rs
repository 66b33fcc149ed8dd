//! The attributes that carry times of messages which no event has.

/// The physical time of a send, if it is not the logical one.
pub(crate) const PHYSICAL_SEND: &str = "physical_send";

/// The logical time of a receive, if it is not the time at which its call begins.
pub(crate) const LOGICAL_RECEIVE: &str = "logical_receive";
