//! The calls that communicate, by their distinct operations.
//!
//! A call is recorded twice: on the host, where it is enqueued, and as a kernel on a stream, when data moves. Older versions
//! of PyTorch describe only the call on the host, or neither. Which of the two counts is known when all files are read.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_sort::Communication;
use foldtrace_trace::UNDEFINED;
use serde_json::value::RawValue;

use crate::fault::Fault;

use super::arguments::Arguments;
use super::groups::Groups;
use super::words::{Action, action, operation_of_kernel};

/// The side of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    /// A call on the host.
    Host,
    /// A kernel on a stream.
    Kernel,
}

/// Calls that differ only in their times, bytes and sequence numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    /// The number of the file.
    pub file: u32,
    /// The process group; `None` if it is not recorded.
    pub group: Option<u32>,
    pub action: Action,
    /// The rank of the other end of a message; undefined if unknown.
    pub peer: u64,
    pub side: Side,
}

/// Counts of equal calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub count: u64,
    /// The lowest sequence number.
    pub first: u64,
    /// The number of calls without a sequence number.
    pub unnumbered: u64,
}

/// The calls of all files.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    /// The number of the current file.
    pub file: u32,
    pub groups: Groups,
    pub calls: Vec<(Call, Tally)>,
    index: HashMap<Call, u32, FixedState>,
    /// Number of kernels whose operation is unknown.
    pub unknown: u64,
}

impl Operations {
    /// Takes a call, and returns its communication; `None` if it does not communicate.
    pub(crate) fn call(
        &mut self,
        side: Side,
        name: &str,
        args: Option<&RawValue>,
    ) -> Result<Option<Communication>, Fault> {
        let arguments = Arguments::parse(args)?;
        let operation = match side {
            Side::Kernel if arguments.operation.is_empty() => operation_of_kernel(name),
            _ => &arguments.operation,
        };
        let Some(action) = action(operation) else {
            self.unknown += u64::from(side == Side::Kernel);
            return Ok(None);
        };
        let call = Call {
            file: self.file,
            group: self.groups.group(&arguments),
            action,
            peer: match action {
                Action::Send => arguments.destination,
                Action::Receive => arguments.source,
                Action::Collective(_) => UNDEFINED,
            },
            side,
        };
        let (sent, received) = arguments.bytes();
        Ok(Some(Communication {
            operation: self.count(call, arguments.sequence),
            sent,
            received,
            sequence: arguments.sequence,
        }))
    }

    /// Counts a call, and returns the index of those like it.
    fn count(&mut self, call: Call, sequence: u64) -> u32 {
        let next = self.calls.len() as u32;
        let index = *self.index.entry(call).or_insert(next);
        if index == next {
            let tally = Tally {
                first: UNDEFINED,
                ..Tally::default()
            };
            self.calls.push((call, tally));
        }
        let (_, tally) = &mut self.calls[index as usize];
        tally.count += 1;
        tally.first = tally.first.min(sequence);
        tally.unnumbered += u64::from(sequence == UNDEFINED);
        index
    }

    /// Returns for each entry of `calls` whether its side counts.
    ///
    /// Kernels count if a file has kernels of collective operations of the group, or of an unknown group. Sends and receives
    /// are often joined in one kernel, so kernels of messages count only if there are at least as many as calls on the host.
    pub(crate) fn counts(&self) -> Vec<bool> {
        let mut totals: HashMap<_, u64, FixedState> = HashMap::default();
        let mut total = |key, count| *totals.entry(key).or_default() += count;
        for (call, tally) in &self.calls {
            let is_message = call.action.is_message();
            total((call.file, call.group, is_message, call.side), tally.count);
        }
        let total = |call: &Call, group, side| {
            let key = (call.file, group, call.action.is_message(), side);
            totals.get(&key).copied().unwrap_or_default()
        };
        let has_kernels = |call: &Call| {
            let kernels = total(call, call.group, Side::Kernel);
            if call.action.is_message() {
                kernels > 0 && kernels >= total(call, call.group, Side::Host)
            } else {
                kernels > 0 || total(call, None, Side::Kernel) > 0
            }
        };
        let side = |call| {
            if has_kernels(call) {
                Side::Kernel
            } else {
                Side::Host
            }
        };
        let calls = self.calls.iter();
        calls.map(|(call, _)| call.side == side(call)).collect()
    }
}
