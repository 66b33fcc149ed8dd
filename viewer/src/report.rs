//! A report: a page in one file, with everything that it shows.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use foldtrace_output::Scratch;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, TraceError};
use serde::Serialize;

use crate::basis::{Basis, BasisHead};
use crate::detail::{Detail, Details, Messages};
use crate::overview::{Overview, OverviewHead};
use crate::pack::{self, Columns};
use crate::page;

/// What a page shows of a store.
#[derive(Debug)]
pub struct Report {
    basis: Basis,
    overview: Overview,
    columns: Columns,
    /// The calls and messages of parts of the run.
    excerpts: Vec<Detail>,
}

/// The greatest number of events whose calls and messages are in a page.
const MOST_EVENTS: u64 = 400_000;

/// The head of the data of the page.
#[derive(Debug, Serialize)]
struct Head<'a> {
    #[serde(flatten)]
    basis: &'a BasisHead,
    #[serde(flatten)]
    overview: OverviewHead<'a>,
}

impl Report {
    /// Gathers what the page shows. Tables that the store does not have are derived in the folder `temporary`.
    ///
    /// # Errors
    /// Returns an error if the store is damaged, a table cannot be written, or the work was stopped.
    pub fn gather(
        store: &StoreReader,
        temporary: &Path,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let mut columns = Columns::default();
        let basis = Basis::of(store, true, temporary, &mut columns, progress)?;
        let mut excerpts = None;
        let overview = Overview::of(store, &basis, &mut columns, progress, || {
            excerpts = Some(Excerpts::prepare(store, &basis, temporary, progress));
        })?;
        let excerpts = match excerpts.transpose()? {
            Some(excerpts) => excerpts.read(basis.head.span, overview.linked_ranges(), progress)?,
            None => Vec::new(),
        };
        Ok(Self {
            excerpts,
            basis,
            overview,
            columns,
        })
    }

    /// Returns the problems that analyses found.
    #[must_use]
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.overview.diagnostics
    }

    /// Writes the page.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn write(&self, out: &mut impl Write, title: &str) -> io::Result<()> {
        let head = Head {
            basis: &self.basis.head,
            overview: self.overview.head(),
        };
        page::write(out, title, &self.overview.summary, false, |out| {
            out.write_all(b"{\"data\":\"")?;
            pack::write(out, &head, &self.columns)?;
            out.write_all(b"\",\"excerpts\":[")?;
            for (index, excerpt) in self.excerpts.iter().enumerate() {
                out.write_all(if index > 0 { b",\"" } else { b"\"" })?;
                excerpt.write(out)?;
                out.write_all(b"\"")?;
            }
            out.write_all(b"]}")
        })
    }
}

/// Reads single calls and messages.
struct Excerpts<'a> {
    store: &'a StoreReader,
    details: Details,
    messages: Messages,
    /// The temporary folder of the messages.
    _scratch: Scratch,
}

impl<'a> Excerpts<'a> {
    /// Prepares to read the store. Messages that it does not have are derived in the folder `temporary`.
    fn prepare(
        store: &'a StoreReader,
        basis: &Basis,
        temporary: &Path,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let scratch = Scratch::create(temporary)?;
        Ok(Self {
            store,
            messages: Messages::of(store, scratch.path(), progress)?,
            details: Details::new(store, basis.clock, &basis.head.regions, progress)?,
            _scratch: scratch,
        })
    }

    /// Reads the whole run if it is short, otherwise the ranges of nanoseconds that have few events, until there are many in all.
    fn read(
        &self,
        span: f64,
        ranges: Vec<Range<f64>>,
        progress: &Progress,
    ) -> Result<Vec<Detail>, TraceError> {
        let is_short = self.store.manifest().counts.events <= Details::MOST_EVENTS;
        let ranges = if is_short { vec![0.0..span] } else { ranges };
        let mut room = MOST_EVENTS;
        let mut found: Vec<(Range<f64>, Detail)> = Vec::new();
        for range in ranges {
            progress.check()?;
            let is_part =
                |(other, _): &(Range<f64>, _)| other.start <= range.start && range.end <= other.end;
            if found.iter().any(is_part) {
                continue;
            }
            let most = room.min(Details::MOST_EVENTS);
            let excerpt = self
                .details
                .excerpt(self.store, &self.messages, range.clone(), most)?;
            if let Some((detail, events)) = excerpt {
                room -= events;
                found.push((range, detail));
            }
        }
        Ok(found.into_iter().map(|(_, detail)| detail).collect())
    }
}
