//! Reads the arguments of events that foldtrace wrote.

use foldtrace_trace::{
    Carried, EventKind, MAX_OPERANDS, Operand, Quantity, Symbol, UNDEFINED, ValueType,
};
use serde_json::value::RawValue;

use crate::fault::Fault;
use crate::json::{parse_typed, parse_value};
use crate::record::{text_of, visit_object};
use crate::vocabulary::Vocabulary;

/// The hint for a file that does not have the form foldtrace writes.
pub(crate) const NOT_OURS: &str =
    "without the key \"foldtrace\", the file is read like that of any other program";

/// The fields of an event, without its name and its time.
pub(crate) struct Fields {
    pub operands: [u64; MAX_OPERANDS],
    /// Whether the fields include the operand that the name can also denote.
    pub is_named: bool,
    pub carried: Carried,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            operands: [UNDEFINED; MAX_OPERANDS],
            is_named: false,
            carried: Carried::default(),
        }
    }
}

impl Fields {
    pub(crate) fn clear(&mut self) {
        self.operands = [UNDEFINED; MAX_OPERANDS];
        self.is_named = false;
        self.carried.clear();
    }

    pub(crate) fn take_all(
        &mut self,
        kind: EventKind,
        object: Option<&RawValue>,
        vocabulary: &Vocabulary,
    ) -> Result<(), Fault> {
        let Some(object) = object else {
            return Ok(());
        };
        let mut outcome = Ok(());
        visit_object(object, |key, value| {
            if outcome.is_ok() && self.take(kind, key, value, vocabulary).is_none() {
                let found = format!("{key}: {}", value.get());
                let message = format!("a field of {kind}");
                outcome = Err(Fault::expected(&message, &found).hint(NOT_OURS));
            }
        })?;
        outcome
    }

    fn take(
        &mut self,
        kind: EventKind,
        key: &str,
        value: &RawValue,
        vocabulary: &Vocabulary,
    ) -> Option<()> {
        if let Some(operand) = Operand::from_name(key) {
            self.operands[kind.slot(operand)?] = unsigned(value)?;
            self.is_named |= Vocabulary::named_operand(kind) == Some(operand);
            return Some(());
        }
        if let Some(quantity) = Quantity::from_name(key) {
            let text = text_of(value);
            let number = text.parse::<i64>().ok().map(|number| number as u64);
            let number = number.or_else(|| text.parse().ok())?;
            kind.quantities().contains(&quantity).then_some(())?;
            self.carried.quantities[quantity as usize] = number;
            return Some(());
        }
        let text = text_of(value);
        if let Some(member) = key.strip_prefix("value.") {
            let (value_type, bits) = parse_typed(&text)?;
            self.carried
                .metrics
                .push((member.parse().ok()?, value_type, bits));
            return Some(());
        }
        if let Some(id) = key.strip_prefix("attribute.") {
            let (value_type, bits) = parse_typed(&text)?;
            self.carried
                .attributes
                .push((id.parse().ok()?, value_type, bits));
            return Some(());
        }
        let is_string = value.get().starts_with('"');
        let mut found = None;
        if is_string && let Some(id) = vocabulary.attribute_named(key, true) {
            found = vocabulary
                .string(&text)
                .map(|bits| (id, ValueType::String, bits));
        }
        // Large numbers are strings, too.
        if found.is_none() {
            let id = vocabulary.attribute_named(key, false)?;
            let value_type = vocabulary.attribute(id)?.value_type;
            found = Some((id, value_type, parse_value(value_type, &text)?));
        }
        self.carried.attributes.extend(found);
        Some(())
    }

    /// Reads the values of a metric event, in the order of the members.
    pub(crate) fn take_values(
        &mut self,
        symbol: Symbol,
        args: Option<&RawValue>,
        vocabulary: &Vocabulary,
    ) -> Result<(), Fault> {
        let Some(args) = args else {
            return Ok(());
        };
        let metric = symbol
            .get(Operand::Metric)
            .and_then(|id| vocabulary.metric(id));
        let members = metric.map_or(&[][..], |metric| metric.members.as_slice());
        let mut member = 0;
        let mut is_known = true;
        visit_object(args, |_, value| {
            let value_type = members
                .get(member as usize)
                .map(|(_, value_type)| *value_type);
            let bits = value_type.and_then(|value_type| parse_value(value_type, &text_of(value)));
            match (value_type, bits) {
                (Some(value_type), Some(bits)) => {
                    self.carried.metrics.push((member, value_type, bits));
                }
                _ => is_known = false,
            }
            member += 1;
        })?;
        if is_known {
            Ok(())
        } else {
            Err(Fault::expected("values of the metric's members", args.get()).hint(NOT_OURS))
        }
    }
}

/// Parses a number without a sign, quoted or not. `null` is an unknown number.
pub(crate) fn unsigned(value: &RawValue) -> Option<u64> {
    match value.get() {
        "null" => Some(UNDEFINED),
        text => text.trim_matches('"').parse().ok(),
    }
}
