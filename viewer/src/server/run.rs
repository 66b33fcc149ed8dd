//! A store that is served. What its page shows is prepared step by step, so that it can be looked at before it is complete.

use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, TraceError};
use rayon::ThreadPool;
use serde::Serialize;

use super::alignment::LoopSketch;
use crate::basis::Basis;
use crate::detail::{Details, Messages, Part};
use crate::overview::Overview;
use crate::pack::{self, Columns};

/// The state of a store that is served.
#[derive(Debug)]
pub(super) struct ServedRun {
    pub title: String,
    store: StoreReader,
    /// Threads that only answers use, so that these do not wait for analyses.
    pool: Arc<ThreadPool>,
    basis: OnceLock<Bytes>,
    details: OnceLock<Details>,
    messages: OnceLock<Messages>,
    overview: OnceLock<Bytes>,
    /// The loops, and the length of the run.
    loops: OnceLock<(Vec<LoopSketch>, f64)>,
    diagnostics: OnceLock<Diagnostics>,
    failure: OnceLock<String>,
}

/// A part of what a page shows.
pub(super) enum Prepared {
    Ready(Bytes),
    /// It is being prepared.
    Awaited,
    /// It cannot be prepared, for this reason.
    Failed(String),
}

impl ServedRun {
    pub fn new(title: String, store: StoreReader, pool: Arc<ThreadPool>) -> Self {
        Self {
            title,
            store,
            pool,
            basis: OnceLock::new(),
            details: OnceLock::new(),
            messages: OnceLock::new(),
            overview: OnceLock::new(),
            loops: OnceLock::new(),
            diagnostics: OnceLock::new(),
            failure: OnceLock::new(),
        }
    }

    /// Prepares the timeline and its details. Tables are derived in the folder `scratch`, which is created. Returns `None` if
    /// that fails or is stopped.
    pub fn prepare(&self, scratch: &Path, progress: &Progress, tell: Tell<'_>) -> Option<Basis> {
        let basis = self.prepare_basis(scratch, progress);
        basis
            .map_err(|error| note(&self.failure, &error, tell))
            .ok()
    }

    fn prepare_basis(&self, scratch: &Path, progress: &Progress) -> Result<Basis, TraceError> {
        fs::create_dir_all(scratch).map_err(|error| TraceError::unwritable(scratch, error))?;
        let mut columns = Columns::default();
        let basis = Basis::of(&self.store, false, scratch, &mut columns, progress)?;
        let _ = self.basis.set(packed(&basis.head, &columns)?);
        drop(columns);
        let details = Details::new(&self.store, basis.clock, &basis.head.regions, progress)?;
        let _ = self.details.set(details);
        Ok(basis)
    }

    /// Prepares the overview, and meanwhile the messages.
    pub fn analyse(&self, basis: &Basis, scratch: &Path, progress: &Progress, tell: Tell<'_>) {
        if let Err(error) = self.prepare_overview(basis, scratch, progress, tell) {
            note(&self.failure, &error, tell);
        }
    }

    fn prepare_overview(
        &self,
        basis: &Basis,
        scratch: &Path,
        progress: &Progress,
        tell: Tell<'_>,
    ) -> Result<(), TraceError> {
        let mut columns = Columns::default();
        let overview =
            Overview::of(
                &self.store,
                basis,
                &mut columns,
                progress,
                || match Messages::of(&self.store, scratch, progress) {
                    Ok(messages) => drop(self.messages.set(messages)),
                    Err(error) => note(&self.failure, &error, tell),
                },
            )?;
        let _ = self.overview.set(packed(&overview.head(), &columns)?);
        let loops = LoopSketch::of_loops(overview.loops(), basis.clock);
        let _ = self.loops.set((loops, basis.head.span));
        let _ = self.diagnostics.set(overview.diagnostics);
        Ok(())
    }

    /// Returns whether something could not be prepared.
    pub fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    pub fn store(&self) -> &StoreReader {
        &self.store
    }

    /// Returns the loops and the length of the run, when they are known.
    pub fn loops(&self) -> Option<(&[LoopSketch], f64)> {
        let (loops, span) = self.loops.get()?;
        Some((loops, *span))
    }

    /// Returns the problems that analyses found.
    pub fn diagnostics(&self) -> Diagnostics {
        self.diagnostics.get().cloned().unwrap_or_default()
    }

    /// Returns the number of locations.
    pub fn locations(&self) -> usize {
        self.store.locations().len()
    }

    /// Returns the locations, regions and the timeline.
    pub fn basis(&self) -> Prepared {
        self.prepared(self.basis.get().cloned())
    }

    /// Returns the overview.
    pub fn overview(&self) -> Prepared {
        self.prepared(self.overview.get().cloned())
    }

    /// Returns what happens in a part of the run.
    pub fn detail(&self, part: &Part) -> Prepared {
        let Some(details) = self.details.get() else {
            return self.prepared(None);
        };
        let messages = self.messages.get();
        let found = self
            .pool
            .install(|| details.find(&self.store, messages, part));
        match found.map(|detail| detail.pack()) {
            Ok(Ok(bytes)) => Prepared::Ready(bytes.into()),
            Ok(Err(error)) => Prepared::Failed(error.to_string()),
            Err(error) => Prepared::Failed(explained(&error)),
        }
    }

    /// Returns the events of a location, an index, in a part of the run.
    pub fn events(&self, part: &Part) -> Prepared {
        let Some(details) = self.details.get() else {
            return self.prepared(None);
        };
        match details.events(&self.store, part) {
            Ok(lines) => match serde_json::to_vec(&lines) {
                Ok(text) => Prepared::Ready(text.into()),
                Err(error) => Prepared::Failed(error.to_string()),
            },
            Err(error) => Prepared::Failed(explained(&error)),
        }
    }

    fn prepared(&self, ready: Option<Bytes>) -> Prepared {
        match (ready, self.failure.get()) {
            (Some(bytes), _) => Prepared::Ready(bytes),
            (None, Some(failure)) => Prepared::Failed(failure.clone()),
            (None, None) => Prepared::Awaited,
        }
    }
}

/// Tells users that something cannot be prepared.
pub(super) type Tell<'a> = &'a (dyn Fn(&str) + Sync);

/// Keeps the first error for the page, and tells users of it. That work was stopped is no failure.
pub(super) fn note(failure: &OnceLock<String>, error: &TraceError, tell: Tell<'_>) {
    if error.kind == ErrorKind::Interrupted {
        return;
    }
    let text = explained(error);
    tell(&text);
    let _ = failure.set(text);
}

/// Returns an error with its place, its cause and its hint, for the page.
fn explained(error: &TraceError) -> String {
    let place = error.place.to_string();
    let place = (!place.is_empty()).then(|| format!(", at {place}"));
    let cause = error.source.as_ref().map(|cause| format!(": {cause}"));
    let hint = error.hint.as_ref().map(|hint| format!(" ({hint})"));
    let parts = [place, cause, hint].into_iter().flatten();
    format!("{error}{}", parts.collect::<String>())
}

/// Returns data in the form in which a page reads it.
fn packed(head: &impl Serialize, columns: &Columns) -> Result<Bytes, TraceError> {
    let mut bytes = Vec::new();
    pack::write_plain(&mut bytes, head, columns).map_err(|error| {
        TraceError::new(
            ErrorKind::Internal,
            format!("the page is too large: {error}"),
        )
    })?;
    Ok(bytes.into())
}
