//! Values of metrics in readable form, with names and units.

use std::fmt::{self, Display};

use foldtrace_trace::{MetricColumns, MetricMember, Metrics, Quoted, ValueType};

/// The values of a metric event in readable form: `PAPI_TOT_CYC=98850, energy=12 × 10^-3 J`.
#[derive(Clone, Copy, Debug)]
pub struct MetricValues<'a> {
    metrics: &'a Metrics,
    metric: u64,
    columns: &'a MetricColumns,
    event: u32,
}

impl<'a> MetricValues<'a> {
    /// Returns the values of event number `event` of a batch, which is an event of `metric`. Values without a metric
    /// definition are omitted.
    #[must_use]
    pub const fn new(
        metrics: &'a Metrics,
        metric: u64,
        columns: &'a MetricColumns,
        event: u32,
    ) -> Self {
        Self {
            metrics,
            metric,
            columns,
            event,
        }
    }

    /// Returns whether none of the values has a defined metric.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.named().next().is_none()
    }

    /// Returns the rows of the columns whose metric is defined.
    fn named(&self) -> impl Iterator<Item = (usize, &MetricMember)> {
        let rows = self.columns.rows(self.event);
        rows.filter_map(|row| {
            let member = self.metrics.member(self.metric, self.columns.member[row])?;
            Some((row, member))
        })
    }
}

impl Display for MetricValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (row, member)) in self.named().enumerate() {
            let separator = if number > 0 { ", " } else { "" };
            write!(f, "{separator}{}=", Quoted(&member.name))?;
            write_value(f, self.columns.value_type[row], self.columns.value[row])?;
            if member.exponent != 0 {
                let base = if member.is_binary { 2 } else { 10 };
                write!(f, " × {base}^{}", member.exponent)?;
            }
            if !member.unit.is_empty() {
                write!(f, " {}", Quoted(&member.unit))?;
            }
        }
        Ok(())
    }
}

fn write_value(f: &mut fmt::Formatter<'_>, value_type: ValueType, bits: u64) -> fmt::Result {
    match value_type {
        ValueType::Int8 | ValueType::Int16 | ValueType::Int32 | ValueType::Int64 => {
            write!(f, "{}", bits as i64)
        }
        ValueType::Float => write!(f, "{}", f32::from_bits(bits as u32)),
        ValueType::Double => write!(f, "{}", f64::from_bits(bits)),
        _ => write!(f, "{bits}"),
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::{DefinitionKind, Definitions};

    use super::*;

    #[test]
    fn values_have_names_units_and_scales() {
        let mut definitions = Definitions::default();
        for (id, text) in ["cycles", "#", "energy", "J"].iter().enumerate() {
            definitions.push(DefinitionKind::String, &[id as u64], &[], text);
        }
        let cycles = [0, 0, 0, 0, 0, 4, 1, 0, 1];
        let energy = [1, 2, 0, 0, 0, 10, 1, -3_i64 as u64, 3];
        definitions.push(DefinitionKind::MetricMember, &cycles, &[], "");
        definitions.push(DefinitionKind::MetricMember, &energy, &[], "");
        definitions.push(DefinitionKind::MetricClass, &[7, 0, 0], &[0, 1], "");
        definitions.push(DefinitionKind::MetricInstance, &[8, 7, 0, 0, 0], &[], "");
        let metrics = Metrics::new(&definitions);
        let mut columns = MetricColumns::default();
        columns.push(0, 0, ValueType::Uint64, 98_850);
        columns.push(0, 1, ValueType::Double, 1.5_f64.to_bits());
        columns.push(1, 0, ValueType::Int8, -4_i64 as u64);
        for metric in [7, 8] {
            let shown = MetricValues::new(&metrics, metric, &columns, 0).to_string();
            assert_eq!(shown, "cycles=98850, energy=1.5 × 10^-3 J");
        }
        assert_eq!(
            MetricValues::new(&metrics, 7, &columns, 1).to_string(),
            "cycles=-4"
        );
        assert!(MetricValues::new(&metrics, 9, &columns, 0).is_empty());
    }
}
