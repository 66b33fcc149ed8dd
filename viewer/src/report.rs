//! A report: a page in one file, with everything that it shows.

use std::io::{self, Write};
use std::path::Path;

use foldtrace_output::Scratch;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, TraceError};
use serde::Serialize;

use crate::basis::{Basis, BasisHead};
use crate::detail::{Detail, Details, Messages, Part};
use crate::overview::{Overview, OverviewHead};
use crate::pack::{self, Columns};
use crate::page;

/// What a page shows of a store.
#[derive(Debug)]
pub struct Report {
    basis: Basis,
    overview: Overview,
    columns: Columns,
    /// The calls and messages of a short run.
    detail: Option<Detail>,
}

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
        let overview = Overview::of(store, &basis, &mut columns, progress)?;
        Ok(Self {
            detail: detail(store, &basis, temporary, progress)?,
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
            out.write_all(b"\",\"detail\":")?;
            match &self.detail {
                Some(detail) => {
                    out.write_all(b"\"")?;
                    detail.write(out)?;
                    out.write_all(b"\"")?;
                }
                None => out.write_all(b"null")?,
            }
            out.write_all(b"}")
        })
    }
}

/// Returns the calls and messages of a run, if there are few of them.
fn detail(
    store: &StoreReader,
    basis: &Basis,
    temporary: &Path,
    progress: &Progress,
) -> Result<Option<Detail>, TraceError> {
    if store.manifest().counts.events > Details::MOST_EVENTS {
        return Ok(None);
    }
    let scratch = Scratch::create(temporary)?;
    let messages = Messages::of(store, scratch.path(), progress)?;
    let details = Details::new(store, basis.clock, &basis.head.regions, progress)?;
    let whole = Part {
        range: 0.0..basis.head.span,
        locations: (0..store.locations().len()).collect(),
        buckets: 1,
    };
    let found = details.find_all(store, Some(&messages), &whole)?;
    Ok(found.has_calls().then_some(found))
}
