//! Locations that were written in pieces, each of which is a part.
//!
//! The events of all pieces are folded and checked, from the first to the last, when all pieces are there. That takes much
//! less time than reading them from their source, and can therefore be done by a single core.

use std::path::Path;

use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, LocationChecks, Place, SymbolTable, TraceError};
use rayon::prelude::*;

use super::model_writer::ModelWriter;
use super::spill::SpillBlocks;
use super::used_rows::UsedRows;
use super::writer::PartEnd;
use crate::models::{ModelSpill, PartModels};

/// The model of a location that was written in pieces, with the symbols that it uses.
#[derive(Debug)]
pub(crate) struct FollowedLocation {
    pub models: PartModels,
    pub symbols: SymbolTable,
}

/// The problems of a location, with the number of its last part.
pub type ProblemsOfPieces = (u32, Diagnostics);

/// Folds and checks the locations of which some parts, in the order of their numbers, have pieces. Loop bodies have at most
/// `max_body` terms; with 0, nothing is folded.
pub(crate) fn follow_pieces<'a>(
    store: &Path,
    parts: impl Iterator<Item = &'a PartEnd>,
    max_body: usize,
    checks: &dyn LocationChecks,
    progress: &Progress,
) -> Result<Vec<(FollowedLocation, ProblemsOfPieces)>, TraceError> {
    let pieces: Vec<(&Place, &PartEnd)> = parts
        .filter_map(|part| Some((part.piece_of.as_ref()?, part)))
        .collect();
    let locations: Vec<_> = pieces.chunk_by(|a, b| a.0 == b.0).collect();
    locations
        .into_par_iter()
        .map(|pieces| follow(store, pieces, max_body, checks, progress))
        .collect()
}

/// Folds and checks a location that has some `pieces`.
fn follow(
    store: &Path,
    pieces: &[(&Place, &PartEnd)],
    max_body: usize,
    checks: &dyn LocationChecks,
    progress: &Progress,
) -> Result<(FollowedLocation, ProblemsOfPieces), TraceError> {
    let ((place, first), (_, last)) = (pieces[0], pieces[pieces.len() - 1]);
    let mut check = checks.begin(place);
    let mut diagnostics = Diagnostics::default();
    let mut models = ModelWriter::new(ModelSpill::new(store, first.number()), max_body);
    // All pieces must have the same id for a symbol.
    let mut symbols = if pieces.iter().any(|(_, part)| part.symbols.has_many_tags()) {
        SymbolTable::with_tags_in_ids()
    } else {
        SymbolTable::default()
    };
    let mut events = Vec::new();
    for (_, part) in pieces {
        let mut rows = UsedRows::default();
        let mut blocks = SpillBlocks::open(&part.spill)?;
        for segment in &part.segments {
            progress.check()?;
            blocks.next(&mut events)?;
            for event in &mut events {
                *event = rows.map(*event, &part.symbols, &mut symbols);
            }
            check.check(segment.first, &events, &symbols, &mut diagnostics);
            models.push(segment.location, &events, &symbols)?;
        }
    }
    check.finish(&mut diagnostics);
    let models = models.finish(&symbols)?;
    let problems = (last.number(), diagnostics);
    Ok((FollowedLocation { models, symbols }, problems))
}
