//! The definitions of a cut: those of the trace, except for the clock and the numbers of events.

use foldtrace_trace::{Clock, DefinitionKind, Definitions, TimeRange, UNDEFINED};

const NANOSECONDS: u128 = 1_000_000_000;

/// Returns whether `definitions` contain a definition that a cut changes.
fn contains_changed_kinds(definitions: &Definitions) -> bool {
    [DefinitionKind::ClockProperties, DefinitionKind::Location]
        .iter()
        .any(|&kind| !definitions.table(kind).is_empty())
}

/// Returns the definitions of a cut to `range`. The number of events that remain in a location is unknown before they
/// are read.
pub(super) fn of_cut(definitions: &Definitions, range: TimeRange) -> Definitions {
    if !contains_changed_kinds(definitions) {
        return definitions.clone();
    }
    let mut changed = Definitions::default();
    for record in definitions.in_order() {
        let kind = record.kind;
        let fields = kind.fields();
        let mut values: Vec<u64> = (0..fields.len()).map(|field| record.get(field)).collect();
        match (kind, values.as_mut_slice()) {
            (DefinitionKind::Location, [_, _, _, number_of_events, _]) => {
                *number_of_events = UNDEFINED;
            }
            (DefinitionKind::ClockProperties, [ticks_per_second, offset, length, date]) => {
                let clock = Clock {
                    ticks_per_second: *ticks_per_second,
                    global_offset: *offset,
                    trace_length: *length,
                };
                let (cut, later) = cut_clock(clock, range);
                (*offset, *length) = (cut.global_offset, cut.trace_length);
                if *date != UNDEFINED {
                    *date = date.saturating_add(later);
                }
            }
            _ => {}
        }
        changed.insert(record.order, kind, &values, record.list(), record.text());
    }
    changed
}

/// Returns the clock of a range, and the nanoseconds by which its first tick is later. Undefined values stay
/// undefined, unless the range determines them.
fn cut_clock(clock: Clock, range: TimeRange) -> (Clock, u64) {
    let defined = |value: u64| (value != UNDEFINED).then_some(value);
    let offset = defined(clock.global_offset);
    let length = defined(clock.trace_length);
    let begin = range.from.map(|from| from.0).or(offset);
    let end = match range.to {
        Some(to) => Some(to.0),
        None => offset.zip(length).map(|(o, l)| o.saturating_add(l)),
    };
    let cut = Clock {
        ticks_per_second: clock.ticks_per_second,
        global_offset: begin.unwrap_or(UNDEFINED),
        trace_length: match begin.zip(end) {
            Some((begin, end)) => end.saturating_sub(begin),
            None => clock.trace_length,
        },
    };
    let ticks = begin.zip(offset).map_or(0, |(b, o)| b.saturating_sub(o));
    let per_second = u128::from(clock.ticks_per_second.max(1));
    let nanoseconds = u128::from(ticks) * NANOSECONDS / per_second;
    (cut, u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::Timestamp;

    use super::*;

    fn clock(fields: [u64; 4], from: Option<u64>, to: Option<u64>) -> [u64; 4] {
        let mut definitions = Definitions::default();
        definitions.push(DefinitionKind::String, &[0], &[], "P#0");
        definitions.push(DefinitionKind::ClockProperties, &fields, &[], "");
        definitions.push(DefinitionKind::Location, &[7, 0, 1, 99, 3], &[], "");
        let range = TimeRange {
            from: from.map(Timestamp),
            to: to.map(Timestamp),
        };
        let cut = of_cut(&definitions, range);
        assert_eq!(cut.len(), 3);
        let location = cut.records(DefinitionKind::Location).next().unwrap();
        let values: Vec<_> = (0..5).map(|field| location.get(field)).collect();
        assert_eq!(values, [7, 0, 1, UNDEFINED, 3]);
        let clock = cut.records(DefinitionKind::ClockProperties).next().unwrap();
        [0, 1, 2, 3].map(|field| clock.get(field))
    }

    #[test]
    fn the_clock_covers_the_range() {
        let whole = [1000, 50, 500, 9_000_000_000];
        assert_eq!(clock(whole, None, None), whole);
        assert_eq!(
            clock(whole, Some(150), Some(250)),
            [1000, 150, 100, 9_100_000_000]
        );
        assert_eq!(
            clock(whole, Some(150), None),
            [1000, 150, 400, 9_100_000_000]
        );
        assert_eq!(clock(whole, None, Some(60)), [1000, 50, 10, 9_000_000_000]);
        let unknown = [1000, 50, UNDEFINED, UNDEFINED];
        assert_eq!(
            clock(unknown, Some(60), None),
            [1000, 60, UNDEFINED, UNDEFINED]
        );
    }
}
