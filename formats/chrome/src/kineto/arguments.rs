//! The arguments of a call that communicates.

use std::borrow::Cow;

use foldtrace_trace::UNDEFINED;
use serde_json::value::RawValue;

use crate::fault::Fault;
use crate::record::{text_of, visit_object};

use super::words::element_size;

/// The arguments with which PyTorch describes an operation, as texts and numbers. Numbers are undefined if they are
/// missing or negative.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    pub operation: Cow<'a, str>,
    pub element_type: Cow<'a, str>,
    pub elements_in: u64,
    pub elements_out: u64,
    pub group_name: Cow<'a, str>,
    pub group_description: Cow<'a, str>,
    pub group_ranks: Cow<'a, str>,
    pub group_size: u64,
    pub first_rank: u64,
    pub stride: u64,
    pub source: u64,
    pub destination: u64,
    pub sequence: u64,
}

impl<'a> Arguments<'a> {
    /// Parses the arguments of an event; arguments that do not describe an operation are skipped.
    pub(crate) fn parse(args: Option<&'a RawValue>) -> Result<Self, Fault> {
        let mut arguments = Self::none();
        if let Some(args) = args.filter(|args| args.get().starts_with('{')) {
            visit_object(args, |key, value| arguments.take(key, value))?;
        }
        Ok(arguments)
    }

    const fn none() -> Self {
        Self {
            operation: Cow::Borrowed(""),
            element_type: Cow::Borrowed(""),
            elements_in: UNDEFINED,
            elements_out: UNDEFINED,
            group_name: Cow::Borrowed(""),
            group_description: Cow::Borrowed(""),
            group_ranks: Cow::Borrowed(""),
            group_size: UNDEFINED,
            first_rank: UNDEFINED,
            stride: UNDEFINED,
            source: UNDEFINED,
            destination: UNDEFINED,
            sequence: UNDEFINED,
        }
    }

    fn take(&mut self, key: &str, value: &'a RawValue) {
        let text = match key {
            "Collective name" => &mut self.operation,
            "dtype" => &mut self.element_type,
            // Versions before 2024 have a number instead of a name.
            "Process Group Name" | "Process Group ID" => &mut self.group_name,
            "Process Group Description" => &mut self.group_description,
            "Process Group Ranks" => &mut self.group_ranks,
            _ => return self.take_number(key, value),
        };
        *text = text_of(value);
    }

    fn take_number(&mut self, key: &str, value: &RawValue) {
        let number = match key {
            "In msg nelems" => &mut self.elements_in,
            "Out msg nelems" => &mut self.elements_out,
            "Group size" => &mut self.group_size,
            "Global rank start" => &mut self.first_rank,
            "Global rank stride" => &mut self.stride,
            "Src Rank" => &mut self.source,
            "Dst Rank" => &mut self.destination,
            "Seq" => &mut self.sequence,
            _ => return,
        };
        *number = text_of(value).parse().unwrap_or(UNDEFINED);
    }

    /// Returns the numbers of bytes sent and received; undefined if unknown.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        let size = element_size(&self.element_type);
        let bytes = |elements: u64| {
            let size = size.filter(|_| elements != UNDEFINED);
            let bytes = size.and_then(|size| elements.checked_mul(size));
            bytes.unwrap_or(UNDEFINED)
        };
        (bytes(self.elements_in), bytes(self.elements_out))
    }
}
