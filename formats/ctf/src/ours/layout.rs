//! The classes of events that foldtrace writes: which values an event of a class has, in which order.
//!
//! A class is a line of words, such as `metric value.0=double attribute.4=string`. The lines are in the environment of a trace,
//! so that its events come back unchanged.

use std::fmt;

use foldtrace_trace::{EventKind, ValueType};

/// The name of the tracer in the environment.
pub(crate) const TRACER: &str = "foldtrace";
/// The entries of the environment with the classes, and with the definitions.
pub(crate) const CLASSES: &str = "foldtrace_classes";
pub(crate) const DEFINITIONS: &str = "foldtrace_definitions";

/// A class of events. An event has its operands, then its quantities, then the values of a metric, then its attributes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Layout {
    pub kind: EventKind,
    /// Whether operands and ids have 64 bits instead of 32.
    pub is_wide: bool,
    /// Whether an event begins with its time, because that of its header, which must not decrease, is a later one.
    pub is_late: bool,
    /// The metric whose members have values, for their names.
    pub metric: Option<u64>,
    /// The members that have a value.
    pub members: Vec<(u32, ValueType)>,
    pub attributes: Vec<(u64, ValueType)>,
}

impl Layout {
    /// Returns the class of events that have neither values of a metric nor attributes.
    pub(crate) fn plain(kind: EventKind, is_wide: bool) -> Self {
        Self {
            kind,
            is_wide,
            is_late: false,
            metric: None,
            members: Vec::new(),
            attributes: Vec::new(),
        }
    }

    /// Parses a line; `None` if it is not one.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut layout = Self::plain(EventKind::from_name(words.next()?)?, false);
        for word in words {
            match word {
                "wide" => layout.is_wide = true,
                "late" => layout.is_late = true,
                _ => {
                    let (field, value) = word.split_once('=')?;
                    if field == "metric" {
                        layout.metric = Some(value.parse().ok()?);
                        continue;
                    }
                    let value_type = ValueType::from_name(value)?;
                    match field.split_once('.')? {
                        ("value", member) => {
                            layout.members.push((member.parse().ok()?, value_type));
                        }
                        ("attribute", id) => {
                            layout.attributes.push((id.parse().ok()?, value_type));
                        }
                        _ => return None,
                    }
                }
            }
        }
        Some(layout)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        for (word, is_set) in [(" wide", self.is_wide), (" late", self.is_late)] {
            f.write_str(if is_set { word } else { "" })?;
        }
        if let Some(metric) = self.metric {
            write!(f, " metric={metric}")?;
        }
        for (member, value_type) in &self.members {
            write!(f, " value.{member}={}", value_type.name())?;
        }
        for (id, value_type) in &self.attributes {
            write!(f, " attribute.{id}={}", value_type.name())?;
        }
        Ok(())
    }
}

/// How a value of a type is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// 64 bits, with or without a sign.
    Integer { is_signed: bool },
    /// 32 bits of a single, or 64 of a double.
    Real(u32),
    /// The id of a definition.
    Id,
}

impl Stored {
    /// Returns how values of a type are stored in events whose ids have 64 bits or not.
    pub(crate) fn new(value_type: ValueType, is_wide: bool) -> Self {
        match value_type {
            ValueType::Double => Self::Real(64),
            // A single with more than its 32 bits, which no program should make, keeps them as an integer.
            ValueType::Float if !is_wide => Self::Real(32),
            _ if value_type.refers_to().is_some() => Self::Id,
            _ => Self::Integer {
                is_signed: value_type.is_signed(),
            },
        }
    }

    /// Returns whether the bits of a value fit if ids have 32 bits.
    pub(crate) fn is_narrow(value_type: ValueType, bits: u64) -> bool {
        match value_type {
            ValueType::Float => bits <= u64::from(u32::MAX),
            _ => value_type.refers_to().is_none() || is_narrow(bits),
        }
    }
}

/// Returns whether an operand or an id fits into 32 bits; undefined ones do.
#[inline]
pub(crate) fn is_narrow(value: u64) -> bool {
    value < i32::MAX as u64 || value == foldtrace_trace::UNDEFINED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back() {
        let mut layout = Layout::plain(EventKind::Metric, true);
        layout.is_late = true;
        layout.metric = Some(7);
        layout.members = vec![(0, ValueType::Double), (3, ValueType::Uint8)];
        layout.attributes = vec![(9, ValueType::String), (9, ValueType::None)];
        let line = layout.to_string();
        assert_eq!(
            line,
            "metric wide late metric=7 value.0=double value.3=uint8 attribute.9=string attribute.9=none"
        );
        assert_eq!(Layout::parse(&line), Some(layout));
        for bad in [
            "",
            "nothing",
            "enter tall",
            "enter value.x=double",
            "enter a.1=double",
        ] {
            assert_eq!(Layout::parse(bad), None, "{bad}");
        }
    }
}
