//! Verifies a store: that its files are as they were written, and that its tables agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use foldtrace_fold::dag::{Dag, Roles};
use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, EventKind, EventStream, LocationId, Position, Step,
    TraceError,
};
use parquet::file::metadata::ParquetMetaDataReader;
use rayon::prelude::*;

use super::folder::{FolderHandle, StoreFolder, TreeHash, replaced};
use super::manifest::{FILE, FileEntry, Manifest, is_within, legible_entries};
use super::models::DagTable;
use super::{StoreReader, StoredModel};

/// One problem of a store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The path of the file in the store.
    pub path: String,
    /// The problem with the file.
    pub problem: String,
}

impl Finding {
    /// Converts an error about a file of `store` to a finding.
    fn of(error: &TraceError, store: &Path) -> Self {
        let file = error.place.file.as_deref().unwrap_or(store);
        let file = file.strip_prefix(store).unwrap_or(file);
        let cause = error.source.as_ref().map(|cause| format!(": {cause}"));
        Self {
            path: file.to_string_lossy().into_owned(),
            problem: format!("{}{}", error.message, cause.unwrap_or_default()),
        }
    }
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// The number of files whose checksums were computed.
    pub files: u64,
    /// The number of bytes of these files.
    pub bytes: u64,
    /// The number of events that were read, each compared with its location's model.
    pub events: u64,
    /// The number of models that were expanded.
    pub models: u64,
    /// The problems found.
    pub findings: Vec<Finding>,
}

/// Verifies the store at `path`: its checksums, its counts, and its models against its events. Tables are only read
/// if all files have the right checksums. If the manifest is damaged, the files are compared with the entries that
/// can still be parsed.
///
/// # Errors
/// Returns an error if there is no store, if this version cannot read it, or if it is replaced during the
/// verification.
pub fn verify(path: &Path) -> Result<Verification, TraceError> {
    let folder = FolderHandle::open(path)?;
    match verify_within(&folder) {
        Ok(verification) if verification.findings.is_empty() => Ok(verification),
        _ if !folder.is_at_its_path() => Err(replaced(path, "verified")),
        verified => verified,
    }
}

fn verify_within(folder: &FolderHandle) -> Result<Verification, TraceError> {
    let mut verification = check_files(folder)?;
    verification.findings.sort();
    if verification.findings.is_empty() {
        match check_tables(folder, &mut verification) {
            Err(error) if error.kind == ErrorKind::Malformed => {
                let finding = Finding::of(&error, folder.path());
                verification.findings.push(finding);
            }
            checked => checked?,
        }
    }
    Ok(verification)
}

/// Compares the files of a store with its manifest.
fn check_files(folder: &FolderHandle) -> Result<Verification, TraceError> {
    let bytes = Manifest::bytes(folder)?;
    let (entries, problems) = match Manifest::parse(folder.path(), &bytes) {
        Ok(manifest) => {
            let problems = manifest.problems(&bytes);
            (manifest.files, problems)
        }
        Err(error) if error.kind == ErrorKind::Malformed => {
            let cause = error.source.map(|cause| format!(": {cause}"));
            let problem = format!("is damaged{}", cause.unwrap_or_default());
            (legible_entries(&bytes), vec![problem])
        }
        Err(error) => return Err(error),
    };
    let mut findings: Vec<Finding> = (entries.par_iter())
        .filter(|file| is_within(&file.path))
        .filter_map(|file| check_file(folder, file, &entries))
        .collect();
    // A damaged manifest may have lost the entries of files that belong to the store.
    if problems.is_empty() {
        let paths = entries.iter().map(|file| file.path.clone());
        findings.extend(check_strangers(folder.path(), paths));
    }
    findings.extend(problems.into_iter().map(|problem| Finding {
        path: FILE.to_owned(),
        problem,
    }));
    Ok(Verification {
        files: entries.len() as u64,
        bytes: entries.iter().map(|file| file.bytes).sum(),
        findings,
        ..Verification::default()
    })
}

/// Compares a file with its entry in the manifest; `all` are the entries of all files of the store.
fn check_file(folder: &FolderHandle, file: &FileEntry, all: &[FileEntry]) -> Option<Finding> {
    let problem = match folder.open_file(&file.path).and_then(TreeHash::of) {
        Err(error) => format!("cannot be read: {error}"),
        Ok(found) => {
            let hash = found.root.to_hex();
            if (found.bytes, hash.as_str()) == (file.bytes, &file.blake3) {
                return None;
            }
            let problem = if found.bytes == file.bytes {
                "has another checksum than the manifest says".to_owned()
            } else {
                let bytes = found.bytes;
                format!("has {bytes} bytes, the manifest says {}", file.bytes)
            };
            let origin = match all.iter().find(|other| other.blake3 == hash.as_str()) {
                Some(other) => format!("; it is {} of this store", other.path),
                // Damage rarely leaves a table readable, and it never produces a readable table of another size.
                None if found.bytes != file.bytes && is_table(folder, &file.path) => {
                    "; it is a whole table, perhaps of another store".to_owned()
                }
                None => String::new(),
            };
            problem + &origin
        }
    };
    Some(Finding {
        path: file.path.clone(),
        problem,
    })
}

/// Returns whether a file is a table that foldtrace wrote, according to its footer.
fn is_table(folder: &FolderHandle, file: &str) -> bool {
    let footer = folder
        .open_file(file)
        .ok()
        .and_then(|file| ParquetMetaDataReader::new().parse_and_finish(&file).ok());
    let pairs = footer.as_ref().and_then(|footer| {
        let metadata = footer.file_metadata();
        metadata.key_value_metadata()
    });
    pairs.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == "foldtrace.table"))
}

/// Finds files in the folder of a store that are not among its `files`.
pub(super) fn check_strangers(
    store: &Path,
    files: impl IntoIterator<Item = String>,
) -> Vec<Finding> {
    let files = files.into_iter();
    let mut known: BTreeSet<_> = files.map(|file| store.join(file)).collect();
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
            // Links are not followed, because they might form a cycle.
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

/// The path of a file, and its problem.
type Problem = (&'static str, String);

fn check_tables(folder: &FolderHandle, verification: &mut Verification) -> Result<(), TraceError> {
    let store = StoreReader::of(StoreFolder::within(folder.clone())?)?;
    for number in 0..store.manifest().files.len() {
        store.folder().values(number)?;
    }
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

/// Compares all events of a location with its expanded model.
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

/// Compares the topology of a location with its expanded DAG.
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
