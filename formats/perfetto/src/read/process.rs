//! The names and the properties of processes.

use foldtrace_trace::{DefinitionKind, Minter, ValueType};

use crate::read::fault::Fault;
use crate::read::wire::{Fields, Value};

/// The name and the properties of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Title {
    pub pid: Option<i64>,
    name: String,
    pub command: String,
    labels: String,
    pub order: i64,
}

impl Title {
    /// Parses a message `ProcessDescriptor`.
    pub(crate) fn parse(message: &[u8]) -> Result<Self, Fault> {
        let mut title = Self::default();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        for field in Fields::new(message) {
            match field? {
                (1, Value::Number(pid)) => title.pid = Some(i64::from(pid as i32)),
                (2, Value::Bytes(word)) => push_joined(&mut title.command, " ", &text(word)),
                (3, Value::Number(order)) => title.order = i64::from(order as i32),
                (6, Value::Bytes(name)) => title.name = text(name),
                (8, Value::Bytes(label)) => push_joined(&mut title.labels, ", ", &text(label)),
                _ => {}
            }
        }
        Ok(title)
    }

    /// Adds what only an earlier description of the process says.
    pub(crate) fn add(&mut self, earlier: Self) {
        self.pid = self.pid.or(earlier.pid);
        for (text, earlier) in [
            (&mut self.name, earlier.name),
            (&mut self.command, earlier.command),
            (&mut self.labels, earlier.labels),
        ] {
            if text.is_empty() {
                *text = earlier;
            }
        }
        if self.order == 0 {
            self.order = earlier.order;
        }
    }

    /// Returns the name of the process: its own, or that of its program.
    pub(crate) fn name(&self, pid: Option<i64>) -> String {
        if !self.name.is_empty() {
            return self.name.clone();
        }
        let program = self.command.split(' ').next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default();
        match pid {
            _ if !program.is_empty() => program.to_owned(),
            Some(pid) => format!("process {pid}"),
            None => "process".to_owned(),
        }
    }

    /// Defines the process and its properties, and returns its id.
    pub(crate) fn define(&self, minter: &mut Minter, pid: Option<i64>) -> u64 {
        const KIND: DefinitionKind = DefinitionKind::LocationGroupProperty;
        let group = minter.process(&self.name(pid));
        if let Some(pid) = pid {
            number_property(minter, KIND, group, "pid", pid);
        }
        for (name, text) in [("cmdline", &self.command), ("process_labels", &self.labels)] {
            if !text.is_empty() {
                let fields = [
                    group,
                    minter.string(name),
                    ValueType::String as u64,
                    minter.string(text),
                ];
                minter.define(KIND, &fields, &[], "");
            }
        }
        group
    }
}

fn push_joined(texts: &mut String, separator: &str, text: &str) {
    if !texts.is_empty() {
        texts.push_str(separator);
    }
    texts.push_str(text);
}

/// Defines a property whose value is a number, of a process or of a location.
pub(crate) fn number_property(
    minter: &mut Minter,
    kind: DefinitionKind,
    id: u64,
    name: &str,
    number: i64,
) {
    let name = minter.string(name);
    let fields = [id, name, ValueType::Int64 as u64, number.cast_unsigned()];
    minter.define(kind, &fields, &[], "");
}
