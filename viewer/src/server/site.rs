//! All that is served: the pages of stores, and what is shown above several of them.

use std::path::Path;
use std::sync::OnceLock;

use axum::body::Bytes;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, TraceError};

use super::alignment::Alignment;
use super::beside::{Beside, compared};
use super::run::{Prepared, ServedRun, Tell, note};

#[derive(Debug)]
pub(super) struct Site {
    pub runs: Vec<ServedRun>,
    beside: OnceLock<Bytes>,
    failure: OnceLock<String>,
}

impl Site {
    pub fn new(runs: Vec<ServedRun>) -> Self {
        Self {
            runs,
            beside: OnceLock::new(),
            failure: OnceLock::new(),
        }
    }

    /// Prepares all pages, their timelines first. Tables are derived in the folder `scratch`. `tell` gets the text of
    /// each error.
    pub fn prepare(&self, scratch: &Path, progress: &Progress, tell: Tell<'_>) {
        let folder = |number: usize| scratch.join(number.to_string());
        let runs = self.runs.iter().enumerate();
        let bases = runs.map(|(number, run)| run.prepare(&folder(number), progress, tell));
        let bases: Vec<_> = bases.collect();
        for (number, (run, basis)) in self.runs.iter().zip(&bases).enumerate() {
            if let Some(basis) = basis {
                run.analyse(basis, &folder(number), progress, tell);
            }
        }
        if self.runs.len() > 1
            && let Err(error) = self.prepare_beside(progress)
        {
            note(&self.failure, &error, tell);
        }
    }

    fn prepare_beside(&self, progress: &Progress) -> Result<(), TraceError> {
        let stores = self
            .runs
            .iter()
            .map(|run| (run.title.as_str(), run.store()));
        let stores: Vec<_> = stores.collect();
        let beside = Beside {
            alignments: self.alignments(),
            comparisons: compared(&stores, progress)?,
        };
        let text = serde_json::to_vec(&beside).map_err(|error| {
            TraceError::new(
                ErrorKind::Internal,
                format!("cannot write a comparison: {error}"),
            )
        })?;
        let _ = self.beside.set(text.into());
        Ok(())
    }

    /// Aligns all runs but the first one with it.
    fn alignments(&self) -> Vec<Alignment> {
        let loops = |run: &ServedRun| run.loops().map(|(loops, span)| (loops.to_vec(), span));
        let known = self.runs.iter().map(|run| loops(run).unwrap_or_default());
        let known: Vec<_> = known.collect();
        let Some(((first, span), others)) = known.split_first() else {
            return Vec::new();
        };
        let others = others.iter();
        let aligned = others.map(|(loops, other)| Alignment::new([first, loops], [*span, *other]));
        aligned.collect()
    }

    /// Returns how runs are aligned and what differs between them.
    pub fn beside(&self) -> Prepared {
        match (self.beside.get(), self.failure.get()) {
            (Some(bytes), _) => Prepared::Ready(bytes.clone()),
            (None, Some(failure)) => Prepared::Failed(failure.clone()),
            (None, None) => Prepared::Awaited,
        }
    }

    /// Returns the titles of the runs.
    pub fn titles(&self) -> Vec<&str> {
        self.runs.iter().map(|run| run.title.as_str()).collect()
    }

    /// Returns whether something could not be prepared.
    pub fn has_failed(&self) -> bool {
        self.failure.get().is_some() || self.runs.iter().any(ServedRun::has_failed)
    }

    /// Returns the problems that analyses found, by run.
    pub fn diagnostics(&self) -> Vec<Diagnostics> {
        self.runs.iter().map(ServedRun::diagnostics).collect()
    }
}
