//! Finds the time span of a store, from the statistics of its times.

use std::collections::BTreeSet;

use foldtrace_trace::{Timestamp, TraceError};
use parquet::file::statistics::Statistics;
use rayon::prelude::*;

use super::store_reader::StoreReader;
use crate::events::EventTables;
use crate::folder::Form;
use crate::index::Segment;
use crate::schema::{QUANTITY, TIME};
use crate::tables::column_index;

impl StoreReader {
    /// Returns the least and the greatest time of all events, in ticks; `None` if there are no events, or
    /// if the footers lack bounds, which happens if some times need the 64th bit and others do not.
    ///
    /// For a plain store, only footers are read. An archive has no statistics, so the first and the last block of
    /// each location are decoded. If clocks go backwards, other blocks may have times outside of the span.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn time_span(&self) -> Result<Option<(Timestamp, Timestamp)>, TraceError> {
        match self.manifest().form {
            Form::Plain => self.span_of_footers(),
            Form::Archive => self.span_of_blocks(),
        }
    }

    fn span_of_footers(&self) -> Result<Option<(Timestamp, Timestamp)>, TraceError> {
        let mut quantities = self.source().part_tables(QUANTITY);
        let segments = self.index().segments().iter();
        let parts: BTreeSet<u32> = segments.map(|segment| segment.part).collect();
        let mut span = None;
        for part in parts {
            for row_group in quantities.part(part)?.row_groups() {
                let times = column_index(row_group, TIME).map(|time| row_group.column(time));
                let Some(Statistics::Int64(times)) = times.and_then(|c| c.statistics()) else {
                    return Ok(None);
                };
                let Some((&first, &last)) = times.min_opt().zip(times.max_opt()) else {
                    return Ok(None);
                };
                span = extended(extended(span, first.cast_unsigned()), last.cast_unsigned());
            }
        }
        Ok(span.map(|(first, last)| (Timestamp(first), Timestamp(last))))
    }

    fn span_of_blocks(&self) -> Result<Option<(Timestamp, Timestamp)>, TraceError> {
        let mut segments: Vec<&Segment> = Vec::new();
        for location in self.locations() {
            let own = self.index().of(location);
            segments.extend(own.first());
            segments.extend(own.last());
        }
        segments.dedup();
        let spans = segments.into_par_iter().map(|segment| {
            let decoded = EventTables::new(self.source()).decode(segment)?;
            let times = decoded.times().iter();
            Ok(times.fold(None, |span, &time| extended(span, time)))
        });
        let spans: Vec<_> = spans.collect::<Result<_, TraceError>>()?;
        let bounds = spans.into_iter().flatten();
        let span = bounds.fold(None, |span, (first, last)| {
            extended(extended(span, first), last)
        });
        Ok(span.map(|(first, last)| (Timestamp(first), Timestamp(last))))
    }
}

/// Extends a span by one more time.
fn extended(span: Option<(u64, u64)>, time: u64) -> Option<(u64, u64)> {
    let (first, last) = span.unwrap_or((time, time));
    Some((first.min(time), last.max(time)))
}
