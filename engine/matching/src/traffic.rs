//! How much is sent: messages and their bytes.

use std::iter::Sum;
use std::ops::AddAssign;

/// What one process sends to another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages.
    pub messages: u64,
    /// Their bytes, if they were asked for.
    pub bytes: Option<u64>,
}

impl AddAssign for Traffic {
    /// Adds messages and bytes. If the bytes of one side are unknown, the sum has those of the other side. Sums
    /// that do not fit into 64 bits are `u64::MAX`.
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

/// What says how much it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Messages, where the trace knows no bytes.
    #[default]
    Messages,
    /// Bytes.
    Bytes,
}

impl Measure {
    /// How much it is.
    #[must_use]
    pub fn of(self, traffic: Traffic) -> u64 {
        match self {
            Self::Messages => traffic.messages,
            Self::Bytes => traffic.bytes.unwrap_or(0),
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Bytes => "bytes",
        }
    }
}
