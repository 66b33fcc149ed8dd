//! Verifying a store: is every file as it was written, and do the tables agree?

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;

use foldtrace_trace::{
    Diagnostics, EventBatch, EventKind, EventStream, LocationId, Position, Step, TraceError,
};
use parquet::file::metadata::ParquetMetaDataReader;
use rayon::prelude::*;

use super::files::checksum;
use super::manifest::{FILE, FileEntry, Manifest};
use super::models::DagTable;
use super::{StoreReader, StoredModel};
use crate::fold::dag::{Dag, Roles};

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file in the store.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

/// What verifying has looked at and found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Files whose checksums were computed.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// Events that were read, each compared with its location's model.
    pub events: u64,
    /// Models that were expanded.
    pub models: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// Verifies the store at `path`: checksums, counts, and models against events. Tables are only
/// read if all files are as they were written.
///
/// # Errors
/// If there is no store, or one that this version cannot read.
pub fn verify(path: &Path) -> Result<Verification, TraceError> {
    let manifest = Manifest::read(path)?;
    let mut verification = Verification {
        files: manifest.files.len() as u64,
        bytes: manifest.files.iter().map(|file| file.bytes).sum(),
        findings: manifest
            .files
            .par_iter()
            .filter_map(|file| check_file(path, file, &manifest.files))
            .collect(),
        ..Verification::default()
    };
    if !manifest.is_intact(path) {
        verification.findings.push(Finding {
            path: FILE.to_owned(),
            problem: "has another checksum than it says itself".to_owned(),
        });
    }
    verification
        .findings
        .extend(check_strangers(path, &manifest));
    verification.findings.sort();
    if verification.findings.is_empty() {
        check_tables(path, &mut verification)?;
    }
    Ok(verification)
}

/// Compares a file with what was written; `all` are the files of the store.
fn check_file(store: &Path, file: &FileEntry, all: &[FileEntry]) -> Option<Finding> {
    let path = store.join(&file.path);
    let problem = match fs::metadata(&path).and_then(|m| Ok((m.len(), checksum(&path)?))) {
        Err(error) => format!("cannot be read: {error}"),
        Ok((bytes, blake3)) if (bytes, &blake3) == (file.bytes, &file.blake3) => return None,
        Ok((bytes, blake3)) => {
            let found = if bytes == file.bytes {
                "has another checksum than the manifest says".to_owned()
            } else {
                format!("has {bytes} bytes, the manifest says {}", file.bytes)
            };
            let origin = match all.iter().find(|other| other.blake3 == blake3) {
                Some(other) => format!("; it is {} of this store", other.path),
                // Damage seldom leaves a table whole and never makes one of another size.
                None if bytes != file.bytes && is_table(&path) => {
                    "; it is a whole table, perhaps of another store".to_owned()
                }
                None => String::new(),
            };
            found + &origin
        }
    };
    Some(Finding {
        path: file.path.clone(),
        problem,
    })
}

/// Whether a file is a table that foldtrace wrote, as far as its footer tells.
fn is_table(path: &Path) -> bool {
    let footer = File::open(path)
        .ok()
        .and_then(|file| ParquetMetaDataReader::new().parse_and_finish(&file).ok());
    let pairs = footer.as_ref().and_then(|footer| {
        let metadata = footer.file_metadata();
        metadata.key_value_metadata()
    });
    pairs.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == "foldtrace.table"))
}

/// Files that the manifest does not know would be read as parts of the tables.
pub(super) fn check_strangers(store: &Path, manifest: &Manifest) -> Vec<Finding> {
    let mut known: BTreeSet<_> = manifest.files.iter().map(|f| store.join(&f.path)).collect();
    known.insert(store.join(FILE));
    let mut findings = Vec::new();
    let mut find = |path: &Path, problem: String| {
        let relative = path.strip_prefix(store).unwrap_or(path);
        findings.push(Finding {
            path: relative.to_string_lossy().into_owned(),
            problem,
        });
    };
    let mut folders = vec![store.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                find(&folder, format!("cannot be read: {error}"));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            // Links are not followed, or they might lead in circles.
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                folders.push(path);
                continue;
            }
            let mut from_here = known.range(path.clone()..);
            if !from_here.next().is_some_and(|file| file.starts_with(&path)) {
                find(&path, "is not in the manifest".to_owned());
            }
        }
    }
    findings
}

/// What is wrong, and in which file.
type Problem = (&'static str, String);

fn check_tables(path: &Path, verification: &mut Verification) -> Result<(), TraceError> {
    let store = StoreReader::open(path)?;
    let dag = store.dag()?.map(|dag| (dag, Roles::of(store.symbols())));
    let mut results = (store.models()?.par_bridge())
        .map(|stored| {
            let stored = stored?;
            let (counts, mut finding) = check_location(&store, &stored)?;
            if let (None, Some((dag, roles))) = (&finding, &dag) {
                finding = check_dag(&store, stored.location, dag, roles)?;
            }
            Ok((stored.location, counts, finding))
        })
        .collect::<Result<Vec<_>, TraceError>>()?;
    results.sort_by_key(|&(location, ..)| location);
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for (location, counts, finding) in results {
        for (&kind, &count) in EventKind::ALL.iter().zip(&counts) {
            if count > 0 {
                *kinds.entry(kind.name().to_owned()).or_default() += count;
                verification.events += count;
            }
        }
        if let Some((file, problem)) = finding {
            let path = format!("{file} (location {location})");
            verification.findings.push(Finding { path, problem });
        }
        verification.models += 1;
    }
    let counts = &store.manifest().counts;
    if counts.kinds != kinds || counts.events != verification.events {
        let problem = format!(
            "says {} events, the tables have {}, or other kinds of them",
            counts.events, verification.events
        );
        verification.findings.push(Finding {
            path: FILE.to_owned(),
            problem,
        });
    }
    Ok(())
}

/// Reads all events of a location next to its expanded model.
fn check_location(
    store: &StoreReader,
    stored: &StoredModel,
) -> Result<(Vec<u64>, Option<Problem>), TraceError> {
    let location: LocationId = stored.location;
    let mut counts = vec![0; EventKind::COUNT];
    let mut finding = None;
    let mut expansion = stored.model.expand(store.symbols());
    let mut stream = store.events(location, Position(0));
    let mut batch = EventBatch::default();
    let mut diagnostics = Diagnostics::default();
    while stream.next_batch(&mut batch, &mut diagnostics)? == Step::Batch {
        for (index, &symbol) in batch.symbols.iter().enumerate() {
            counts[store.symbols().kind(symbol) as usize] += 1;
            if finding.is_none() && expansion.next() != Some(symbol) {
                let position = batch.first.0 + index as u64;
                finding = Some(format!(
                    "the model differs from the events at position {position}"
                ));
            }
        }
    }
    if finding.is_none() && expansion.next().is_some() {
        finding = Some("the model has more events than the location".to_owned());
    }
    Ok((
        counts,
        finding.map(|problem| (super::models::FILE, problem)),
    ))
}

/// Reads what happened in a location next to its expanded DAG.
fn check_dag(
    store: &StoreReader,
    location: LocationId,
    dag: &Dag,
    roles: &Roles,
) -> Result<Option<Problem>, TraceError> {
    let differs = |problem: String| Ok(Some((DagTable::Nodes.path(), problem)));
    let mut roots = dag.roots.iter();
    let Some(&root) = roots.find(|root| root.location == location) else {
        return differs("the DAG has no root for it".to_owned());
    };
    let mut expected = dag.events(root, roles);
    let mut events = store.events(location, Position(0));
    let (mut symbols, mut position) = (Vec::new(), 0);
    loop {
        events.next_symbols(&mut symbols)?;
        if symbols.is_empty() {
            break;
        }
        for &symbol in &symbols {
            if expected.next() != Some(symbol) {
                return differs(format!(
                    "the DAG differs from the events at position {position}"
                ));
            }
            position += 1;
        }
    }
    match expected.next() {
        Some(_) => differs("the DAG has more events than the location".to_owned()),
        None => Ok(None),
    }
}
