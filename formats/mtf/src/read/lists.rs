//! Parses lists of numbers into the columns of a batch.

use foldtrace_notation::number;
use foldtrace_trace::{AttributeColumns, MetricColumns, UNDEFINED, ValueType};

use crate::schema::NO_VALUE;

/// Maximum number of events of a block, so that damaged input does not exhaust the memory.
pub(super) const MAX_ITEMS: usize = 1 << 20;

/// An error in a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadItem {
    /// Index in the list.
    pub index: usize,
    /// The expected item.
    pub expected: &'static str,
    /// The item found instead.
    pub found: String,
}

/// Passes the items of a list to `take`, which returns `None` for an invalid item.
fn items(
    text: &str,
    expected: &'static str,
    mut take: impl FnMut(&[u8]) -> Option<()>,
) -> Result<(), BadItem> {
    for (index, item) in text.split_ascii_whitespace().enumerate() {
        let bad = |expected| BadItem {
            index,
            expected,
            found: item.to_owned(),
        };
        if index == MAX_ITEMS {
            return Err(bad("nothing (a list has at most 1048576 items)"));
        }
        take(item.as_bytes()).ok_or_else(|| bad(expected))?;
    }
    Ok(())
}

/// Parses times: the first time, followed by the differences between consecutive times.
pub(super) fn times(text: &str, mut push: impl FnMut(u64)) -> Result<(), BadItem> {
    let mut before = None;
    items(text, "a whole number of ticks", |item| {
        let time = match (before, item.strip_prefix(b"-")) {
            (None, _) => number(item)?,
            (Some(before), None) => u64::wrapping_add(before, number(item)?),
            (Some(before), Some(digits)) => before.wrapping_sub(number(digits)?),
        };
        push(time);
        before = Some(time);
        Some(())
    })
}

/// Parses values of a quantity.
pub(super) fn values(text: &str, into: &mut Vec<u64>) -> Result<(), BadItem> {
    items(text, "a 64-bit number or -", |item| {
        into.push(match item {
            NO_VALUE => UNDEFINED,
            digits => number(digits)?,
        });
        Some(())
    })
}

/// Parses a typed value, `EVENT.ID=TYPE:BITS`: the event, the id of the member or attribute, the type and the bits.
fn typed(item: &[u8], before: Option<&u32>) -> Option<(u32, u64, ValueType, u64)> {
    let item = std::str::from_utf8(item).ok()?;
    let (position, value) = item.split_once('=')?;
    let (event, id) = position.split_once('.')?;
    let (name, bits) = value.split_once(':')?;
    let event = u32::try_from(number(event.as_bytes())?).ok()?;
    let is_in_order = before.is_none_or(|&before| before <= event);
    let value_type = ValueType::from_name(name)?;
    let (id, bits) = (number(id.as_bytes())?, number(bits.as_bytes())?);
    is_in_order.then_some((event, id, value_type, bits))
}

/// Parses metric values.
pub(super) fn metrics(text: &str, into: &mut MetricColumns) -> Result<(), BadItem> {
    items(text, "EVENT.MEMBER=TYPE:BITS in order of events", |item| {
        let (event, member, value_type, bits) = typed(item, into.event.last())?;
        into.push(event, u32::try_from(member).ok()?, value_type, bits);
        Some(())
    })
}

/// Parses attributes of events.
pub(super) fn attributes(text: &str, into: &mut AttributeColumns) -> Result<(), BadItem> {
    items(
        text,
        "EVENT.ATTRIBUTE=TYPE:BITS in order of events",
        |item| {
            let (event, attribute, value_type, bits) = typed(item, into.event.last())?;
            into.push(event, attribute, value_type, bits);
            Some(())
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bad<T>(result: Result<T, BadItem>) -> Option<(usize, String)> {
        result.err().map(|bad| (bad.index, bad.found))
    }

    #[test]
    fn times_are_differences_that_may_be_negative_or_overflow() {
        let mut found = Vec::new();
        let text = "18446744073709551615 1\n-5 \t9223372036854775808";
        times(text, |time| found.push(time)).unwrap();
        let last = 9_223_372_036_854_775_803;
        assert_eq!(found, [u64::MAX, 0, u64::MAX - 4, last]);
        for (text, at, item) in [("-1", 0, "-1"), ("1 2.5", 1, "2.5"), ("1 -", 1, "-")] {
            assert_eq!(bad(times(text, |_| {})), Some((at, item.to_owned())));
        }
    }

    #[test]
    fn values_are_typed_and_in_order() {
        let mut found = Vec::new();
        values(" 5 - 7 ", &mut found).unwrap();
        assert_eq!(found, [5, UNDEFINED, 7]);
        let mut rows = MetricColumns::default();
        metrics("0.1=uint64:5 0.2=double:7 3.0=none:1", &mut rows).unwrap();
        assert_eq!((rows.event, rows.member), (vec![0, 0, 3], vec![1, 2, 0]));
        let mut rows = AttributeColumns::default();
        attributes("0.18446744073709551615=string:5", &mut rows).unwrap();
        assert_eq!(rows.attribute, [UNDEFINED]);
        for text in ["1.0=x:1", "1.0=int8", "1=int8:1", "1.0=int8:1 0.0=int8:1"] {
            assert!(
                metrics(text, &mut MetricColumns::default()).is_err(),
                "{text}"
            );
        }
        assert!(metrics("0.4294967296=int8:1", &mut MetricColumns::default()).is_err());
    }

    #[test]
    fn lists_have_a_maximum_length() {
        let long = "1 ".repeat(MAX_ITEMS + 1);
        assert_eq!(bad(times(&long, |_| {})), Some((MAX_ITEMS, "1".to_owned())));
    }
}
