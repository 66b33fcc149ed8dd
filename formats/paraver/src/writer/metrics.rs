//! Metrics, whose members are types of events.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;
use foldtrace_trace::{Definitions, LeftOut, MetricColumns, MetricMode, Metrics};

use super::numbers::integer;
use super::vocabulary::Vocabulary;

/// The types of the members of metrics.
pub(super) struct MetricTypes {
    metrics: Metrics,
    members: HashMap<(u64, u32), u64, FixedState>,
}

impl MetricTypes {
    pub(super) fn new(definitions: &Definitions) -> Self {
        Self {
            metrics: Metrics::new(definitions),
            members: HashMap::default(),
        }
    }

    /// Returns the type of a member of a metric.
    fn of_member(&mut self, metric: u64, member: u32, vocabulary: &mut Vocabulary) -> u64 {
        let known = self.members.entry((metric, member));
        *known.or_insert_with(|| match self.metrics.member(metric, member) {
            Some(member) => {
                let counts = member.mode == MetricMode::Relative;
                vocabulary.metric(&member.name, counts)
            }
            None => vocabulary.metric(&format!("metric {metric} {member}"), false),
        })
    }

    /// Returns types and values of an event of a metric, which is in some rows of the columns.
    pub(super) fn values(
        &mut self,
        metric: u64,
        columns: &MetricColumns,
        rows: Range<usize>,
        vocabulary: &mut Vocabulary,
        left_out: &mut LeftOut,
    ) -> Vec<(u64, u64)> {
        let mut values = Vec::with_capacity(rows.len());
        for row in rows {
            let Some((value, is_exact)) = integer(columns.value_type[row], columns.value[row])
            else {
                left_out.count("value of a metric without a number", 1);
                continue;
            };
            left_out.count("fraction of a value of a metric", u64::from(!is_exact));
            let event_type = self.of_member(metric, columns.member[row], vocabulary);
            values.push((event_type, value));
        }
        values
    }
}
