//! Amounts of communication: messages and their bytes.

use std::iter::Sum;
use std::ops::AddAssign;

/// A number of messages, and the number of their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of messages.
    pub messages: u64,
    /// The number of bytes in the messages; `None` if it was not requested or is unknown.
    pub bytes: Option<u64>,
}

impl AddAssign for Traffic {
    /// Adds messages and bytes. If the bytes of one side are unknown, the sum has those of the other side. Sums that
    /// do not fit into 64 bits are `u64::MAX`.
    fn add_assign(&mut self, other: Self) {
        self.messages = self.messages.saturating_add(other.messages);
        self.bytes = match (self.bytes, other.bytes) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
    }
}

impl Traffic {
    /// Returns whether a sum is `u64::MAX`, which means that the actual number may be greater.
    #[must_use]
    pub fn is_saturated(&self) -> bool {
        self.messages == u64::MAX || self.bytes == Some(u64::MAX)
    }
}

impl Sum for Traffic {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |mut sum, part| {
            sum += part;
            sum
        })
    }
}

/// The unit in which traffic is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Messages, for traces without numbers of bytes.
    #[default]
    Messages,
    /// Bytes.
    Bytes,
}

impl Measure {
    /// Returns the amount of traffic in this unit.
    #[must_use]
    pub fn of(self, traffic: Traffic) -> u64 {
        match self {
            Self::Messages => traffic.messages,
            Self::Bytes => traffic.bytes.unwrap_or(0),
        }
    }

    /// Returns the name of the unit.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Bytes => "bytes",
        }
    }
}
