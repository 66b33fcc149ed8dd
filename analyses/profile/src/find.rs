//! Profiles a store: reads the events of each location once, on all cores.

use foldtrace_matching::Regions;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, LocationId, Position, Step, TraceError, TraceReader,
};
use rayon::prelude::*;

use crate::measures::Measures;
use crate::tally::{Effects, Tally};
use crate::{LocationProfile, Profile, Tree};

/// What a profile contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether call paths are summed, too.
    pub has_tree: bool,
}

/// Profiles `locations` of a store.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or if the work was stopped.
pub fn find(
    store: &StoreReader,
    locations: &[LocationId],
    options: Options,
    progress: &Progress,
) -> Result<Profile, TraceError> {
    let regions = Regions::new(store.definitions(), store.names(), store.symbols());
    let effects = Effects::new(&regions, store.symbols());
    let measures = Measures::new(store.definitions(), store.symbols());
    let nothing = || (Vec::new(), None);
    let found = locations
        .par_iter()
        .try_fold(nothing, |(mut all, tree), &location| {
            let own = options.has_tree.then(Tree::default);
            let tally = Tally::new(&effects, &measures, own);
            let (profile, own) = profile_location(store, location, tally, progress)?;
            all.push(profile);
            Ok(union((all, tree), (Vec::new(), own)))
        });
    let (locations, tree) = found.try_reduce(nothing, |one, other| Ok(union(one, other)))?;
    Ok(Profile {
        regions,
        locations,
        tree,
        metrics: measures.into_members(),
        clock: store.manifest().clock(),
        processes: store.manifest().counts.processes,
    })
}

type Found = (Vec<LocationProfile>, Option<Tree>);

fn union((mut all, tree): Found, (others, other): Found) -> Found {
    all.extend(others);
    let tree = match (tree, other) {
        (Some(tree), Some(other)) => Some(tree.with(&other)),
        (tree, other) => tree.or(other),
    };
    (all, tree)
}

fn profile_location(
    store: &StoreReader,
    location: LocationId,
    mut tally: Tally<'_>,
    progress: &Progress,
) -> Result<(LocationProfile, Option<Tree>), TraceError> {
    let mut events = store.events(location, Position(0));
    let mut batch = EventBatch::default();
    loop {
        progress.check()?;
        let step = events.next_batch(&mut batch, &mut Diagnostics::default())?;
        tally.take(&batch);
        progress.count(batch.len());
        if step == Step::End {
            return Ok(tally.finish(location));
        }
    }
}
