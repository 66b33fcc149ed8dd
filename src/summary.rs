//! What is in a trace, in numbers.

use std::collections::BTreeMap;
use std::path::Path;

use foldtrace_trace::{
    DefinitionKind, EventKind, LocationId, Names, Severity, SymbolTable, TraceError,
};
use rayon::prelude::*;
use serde::Serialize;

use crate::formats::Opened;
use crate::read::{Late, Progress, read_stream};
use crate::store::{Form, StoreReader};

/// A summary; as JSON it is what `schemas/info.schema.json` describes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Name of the format.
    pub format: String,
    /// Events of all locations.
    pub events: u64,
    /// Locations.
    pub locations: u64,
    /// Processes.
    pub processes: u64,
    /// Definitions of regions, as the source has them.
    pub regions: u64,
    /// Distinct topological identities.
    pub symbols: u64,
    /// Ticks per second of the source's clock.
    pub ticks_per_second: u64,
    /// How quantities are kept; of stores only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// Size in bytes; of stores only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Loops of all models; of stores only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loops: Option<u64>,
    /// Terms of all models; of stores only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<u64>,
    /// Events of each kind.
    pub kinds: BTreeMap<String, u64>,
    /// Problems by key.
    pub diagnostics: BTreeMap<String, u64>,
    #[serde(skip)]
    worst: Option<Severity>,
}

impl Summary {
    /// The worst problem that was met while reading for the summary.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.worst
    }

    /// Sums up an open trace. A store knows its numbers; anything else is read to its end.
    ///
    /// # Errors
    /// If the trace is damaged and `salvage` is off.
    pub fn of(path: &Path, opened: &Opened, salvage: bool) -> Result<Self, TraceError> {
        let mut summary = if opened.format.name == "fold" {
            of_store(path)?
        } else {
            of_trace(opened, salvage)?
        };
        opened.format.name.clone_into(&mut summary.format);
        Ok(summary)
    }
}

fn of_store(path: &Path) -> Result<Summary, TraceError> {
    let store = StoreReader::open(path)?;
    let (mut loops, mut terms) = (0, 0);
    for stored in store.models()? {
        let model = stored?.model;
        loops += model.loops();
        terms += model.terms();
    }
    let manifest = store.manifest();
    let counts = manifest.counts.clone();
    Ok(Summary {
        events: counts.events,
        locations: counts.locations,
        processes: counts.processes,
        regions: counts.regions,
        symbols: counts.symbols,
        ticks_per_second: manifest.clock().ticks_per_second,
        form: Some(manifest.form),
        bytes: Some(manifest.files.iter().map(|file| file.bytes).sum()),
        loops: Some(loops),
        terms: Some(terms),
        kinds: counts.kinds,
        diagnostics: counts.diagnostics,
        ..Summary::default()
    })
}

/// What one stream has.
#[derive(Debug, Default)]
struct Count {
    kinds: Vec<u64>,
    locations: Vec<LocationId>,
    symbols: SymbolTable,
    late: Late,
}

fn of_trace(opened: &Opened, salvage: bool) -> Result<Summary, TraceError> {
    let reader = &*opened.reader;
    let progress = Progress::default();
    let counts = (0..reader.streams().len())
        .into_par_iter()
        .map(|stream| {
            let mut count = Count {
                kinds: vec![0; EventKind::COUNT],
                ..Count::default()
            };
            count.late = read_stream(reader, stream, salvage, &progress, |batch, symbols| {
                for &symbol in &batch.symbols {
                    count.kinds[symbols.kind(symbol) as usize] += 1;
                }
                if !batch.is_empty() && !count.locations.contains(&batch.location) {
                    count.locations.push(batch.location);
                }
                for (_, symbol) in symbols.iter().skip(count.symbols.len()) {
                    count.symbols.intern(symbol);
                }
                Ok(())
            })?;
            Ok(count)
        })
        .collect::<Result<Vec<_>, TraceError>>()?;

    let mut definitions = reader.definitions().clone();
    let mut diagnostics = reader.diagnostics().clone();
    let mut symbols = SymbolTable::default();
    let mut locations = Vec::new();
    let mut kinds = BTreeMap::new();
    for count in counts {
        for (&kind, &events) in EventKind::ALL
            .iter()
            .zip(&count.kinds)
            .filter(|(_, n)| **n > 0)
        {
            *kinds.entry(kind.name().to_owned()).or_default() += events;
        }
        for (_, symbol) in count.symbols.iter() {
            symbols.intern(symbol);
        }
        locations.extend(count.locations);
        definitions.append(&count.late.definitions);
        diagnostics.merge(count.late.diagnostics);
    }
    let defined = definitions
        .records(DefinitionKind::Location)
        .map(|r| LocationId(r.get(0)));
    locations.extend(defined);
    locations.sort_unstable();
    locations.dedup();
    Ok(Summary {
        events: kinds.values().sum(),
        locations: locations.len() as u64,
        processes: Names::new(&definitions).processes().len() as u64,
        regions: definitions.table(DefinitionKind::Region).len() as u64,
        symbols: symbols.len() as u64,
        ticks_per_second: definitions.clock().ticks_per_second,
        kinds,
        diagnostics: diagnostics
            .groups()
            .map(|(key, g)| (key.to_owned(), g.count))
            .collect(),
        worst: diagnostics.worst(),
        ..Summary::default()
    })
}
