//! Writes the tables of calls and of iterations, which have a file for each part of the store.

use std::collections::BTreeMap;

use foldtrace_matching::{Call, Calls, RankRange};
use foldtrace_store::{DerivedFolder, StoreReader};
use foldtrace_stream::read::{Progress, read_stream};
use foldtrace_trace::{Diagnostic, Diagnostics, LocationId, Place, Severity, TraceError};
use rayon::prelude::*;

use crate::calls::{Callees, CallsWriter};
use crate::iterations::IterationsWriter;
use crate::rows::Finished;
use crate::share::{TaskShare, part_of};

/// Writes the calls. Also returns the problems of each part.
///
/// # Errors
/// Returns an error if the store is damaged, the output cannot be written, or the work was stopped.
pub(crate) fn write_calls(
    folder: DerivedFolder<'_>,
    share: &TaskShare,
    progress: &Progress,
) -> Result<(Finished, Vec<(u32, Diagnostics)>), TraceError> {
    let store = folder.store;
    let callees = Callees::new(store);
    let written = locations_of_parts(store, share, share.callers)
        .into_par_iter()
        .map(|(part, locations)| {
            let mut writer = CallsWriter::create(part, folder, &callees)?;
            let mut own = Diagnostics::default();
            for (stream, location) in locations {
                writer.begin(location)?;
                let mut calls = Calls::default();
                let mut write = |call: Call| {
                    report_irregular(&call, location, &mut own);
                    writer.write(call)
                };
                read_stream(store, stream, false, progress, |batch, symbols| {
                    let mut events = batch.iter(symbols);
                    events.try_for_each(|event| match calls.take(&event, symbols) {
                        Some(call) => write(call),
                        None => Ok(()),
                    })
                })?;
                calls.finish().try_for_each(write)?;
            }
            Ok((part, writer.finish()?, own))
        })
        .collect::<Result<Vec<_>, TraceError>>()?;
    let (mut finished, mut problems) = (Finished::default(), Vec::new());
    for (part, (rows, file), own) in written {
        finished.rows += rows;
        finished.files.push(file);
        problems.push((part, own));
    }
    Ok((finished, problems))
}

/// Writes the iterations of loops.
///
/// # Errors
/// Returns an error if the store is damaged, the output cannot be written, or the work was stopped.
pub(crate) fn write_iterations(
    folder: DerivedFolder<'_>,
    share: &TaskShare,
    progress: &Progress,
) -> Result<Finished, TraceError> {
    let store = folder.store;
    let written = locations_of_parts(store, share, RankRange::ALL)
        .into_par_iter()
        .map(|(part, locations)| {
            let mut writer = IterationsWriter::create(part, folder, progress)?;
            let locations = locations.into_iter().map(|(_, location)| location);
            for stored in store.models_of(locations.collect())? {
                let stored = stored?;
                writer.write(stored.location, &stored.model)?;
            }
            writer.finish()
        })
        .collect::<Result<Vec<_>, TraceError>>()?;
    let (rows, files): (Vec<u64>, Vec<_>) = written.into_iter().unzip();
    let rows = rows.into_iter().sum();
    Ok(Finished { rows, files })
}

/// Returns the locations of some processes in each part of a task, with the numbers of their streams. The first part is always
/// there, so that even an empty table has a file.
fn locations_of_parts(
    store: &StoreReader,
    share: &TaskShare,
    ranks: RankRange,
) -> BTreeMap<u32, Vec<(usize, LocationId)>> {
    let rank = |location| store.names().rank(location).map(|(rank, _)| rank);
    let mut parts = BTreeMap::new();
    if share.has_part(0) {
        parts.insert(0, Vec::new());
    }
    for (location, stream) in share.locations(store) {
        if ranks.contains(rank(location)) && store.index().events(location) > 0 {
            let of_part: &mut Vec<_> = parts.entry(part_of(store, location)).or_default();
            of_part.push((stream, location));
        }
    }
    parts
}

/// Reports an irregular call.
fn report_irregular(call: &Call, location: LocationId, diagnostics: &mut Diagnostics) {
    let (severity, key, message, moment) = match (call.begin, call.end) {
        (Some(_), Some(end)) if call.is_misnested => {
            let message = "a call is left before a call within it";
            (Severity::Note, "calls.misnested", message, end)
        }
        (Some(begin), None) => {
            let message = "a call is entered and never left";
            (Severity::Note, "calls.without_end", message, begin)
        }
        (None, Some(end)) => {
            let message = "a call is left without having been entered";
            (Severity::Note, "calls.without_begin", message, end)
        }
        _ => return,
    };
    let place = Place::default().event(location, moment.position);
    diagnostics.report(Diagnostic::new(severity, key, message).at(place));
}
