//! Finds the patterns of the locations of a store, and their unusual occurrences.

use foldtrace_fold::patterns::{Finder, PatternName, Patterns};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, LocationId, Position, Step, TraceError,
};
use foldtrace_view::histogram::Window;
use rayon::prelude::*;

use crate::filtered::with_whole_calls;
use crate::occurrences::{
    Finding, Kept, Observer, Pass, Peaks, Points, Role, Selecting, Tally, Tallying,
};
use crate::{Alphabet, LetterReader, Letters};

/// The patterns found in a location of a store.
#[derive(Clone, Debug)]
pub struct LocationPatterns {
    /// The location.
    pub location: LocationId,
    /// Its patterns.
    pub patterns: Patterns,
    /// Their names.
    pub names: Vec<PatternName>,
    /// The events that their letters stand for.
    pub letters: Letters,
    /// By letter: its role in the time of the location.
    roles: Vec<Role>,
}

impl LocationPatterns {
    /// Walks over the patterns of the location together with the times of its events, and reports to `observer`.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn observe<O: Observer>(
        &self,
        store: &StoreReader,
        observer: O,
        progress: &Progress,
    ) -> Result<O, TraceError> {
        let mut pass = Pass::new(&self.patterns, &self.roles, observer);
        let mut events = store.events(self.location, Position(0));
        let (mut symbols, mut times) = (Vec::new(), Vec::new());
        loop {
            progress.check()?;
            events.next_times(&mut symbols, &mut times)?;
            if times.is_empty() {
                return Ok(pass.finish());
            }
            progress.count(times.len());
            pass.take(&times);
        }
    }

    /// Measures how long the occurrences of patterns take.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn tally(&self, store: &StoreReader, progress: &Progress) -> Result<Tally, TraceError> {
        let tallying = Tallying::new(&self.patterns);
        Ok(self.observe(store, tallying, progress)?.into_tally())
    }
}

/// Finds the patterns of each of `locations`.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or the work was stopped.
pub fn find(
    store: &StoreReader,
    locations: &[LocationId],
    alphabet: &Alphabet,
    progress: &Progress,
) -> Result<Vec<LocationPatterns>, TraceError> {
    let locations = locations.par_iter();
    locations
        .map(|&location| find_in(store, location, alphabet, progress))
        .collect()
}

fn find_in(
    store: &StoreReader,
    location: LocationId,
    alphabet: &Alphabet,
    progress: &Progress,
) -> Result<LocationPatterns, TraceError> {
    let mut events = store.events(location, Position(0));
    let mut reader = LetterReader::default();
    let (mut batch, mut read) = (EventBatch::default(), Vec::new());
    let mut finder = Finder::default();
    let mut diagnostics = Diagnostics::default();
    loop {
        progress.check()?;
        let step = events.next_batch(&mut batch, &mut diagnostics)?;
        progress.count(batch.len());
        read.clear();
        reader.read(&batch, store.symbols(), alphabet, &mut read);
        finder.push(&read);
        if step == Step::End {
            let (patterns, letters) = (finder.finish(), reader.finish());
            return Ok(LocationPatterns {
                location,
                names: patterns.names(&letters.keys(alphabet)),
                patterns,
                roles: letters.roles(alphabet),
                letters,
            });
        }
    }
}

/// The events to keep of a location, and its unusual occurrences.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The location.
    pub location: LocationId,
    /// The events that are kept.
    pub kept: Kept,
    /// The occurrences that take longer than usual.
    pub points: Points,
    /// The durations that most occurrences have.
    pub peaks: Peaks,
}

/// Compares the occurrences of each pattern with each other. At most `most` points of each kind are kept per
/// location.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or the work was stopped.
pub fn filter(
    store: &StoreReader,
    found: &[LocationPatterns],
    window: Window,
    most: usize,
    progress: &Progress,
) -> Result<Vec<Filter>, TraceError> {
    let filters = found.par_iter().map(|found| {
        let tally = found.tally(store, progress)?;
        let peaks = Peaks::new(&tally, window);
        let finding = Finding::new(&tally, window.width, most);
        let observers = (Selecting::new(&peaks), finding);
        let (selecting, finding) = found.observe(store, observers, progress)?;
        Ok(Filter {
            location: found.location,
            kept: with_whole_calls(selecting.into_kept(), store, found.location, progress)?,
            points: finding.into_points(),
            peaks,
        })
    });
    filters.collect()
}
