//! Verifies a store: that its files are as they were written, and that its tables agree.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use bytes::Bytes;
use foldtrace_fold::dag::{Dag, Roles};
use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, EventKind, EventStream, LocationId, Position, Step,
    TraceError,
};
use parquet::file::metadata::ParquetMetaDataReader;
use rayon::prelude::*;

use crate::finding::Finding;
use crate::folder::{
    FileEntry, FolderHandle, Manifest, StoreFolder, TreeHash, is_within, legible_entries, replaced,
};
use crate::models::{DagTable, StoredModel};
use crate::paths::{LOOPS, MANIFEST};
use crate::reader::StoreReader;

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
                let finding = Finding::from_error(&error, folder.path());
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
        findings.extend(folder.unlisted_files(paths.collect()));
    }
    findings.extend(problems.into_iter().map(|problem| Finding {
        path: MANIFEST.to_owned(),
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
    let problem = match folder
        .open_stream(&file.path)
        .and_then(TreeHash::from_reader)
    {
        Err(error) => format!("cannot be read: {error}"),
        Ok(found) => {
            let hash = found.root.to_hex();
            if (found.bytes, hash.as_str()) == (file.bytes, &file.blake3) {
                return None;
            }
            let problem = if found.bytes == file.bytes {
                "does not match its checksum in the manifest".to_owned()
            } else {
                let bytes = found.bytes;
                format!("has {bytes} bytes, but the manifest states {}", file.bytes)
            };
            let origin = match all.iter().find(|other| other.blake3 == hash.as_str()) {
                Some(other) => format!("; its contents are those of {}", other.path),
                // Damage rarely leaves a table readable, and it never produces a readable table of another size.
                None if found.bytes != file.bytes && is_table(folder, &file.path) => {
                    "; it is an intact table, perhaps of another store".to_owned()
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
    let mut bytes = Vec::new();
    let read = folder.open_stream(file);
    let read = read.and_then(|mut file| file.read_to_end(&mut bytes));
    let footer = read.ok().and_then(|_| {
        let parser = ParquetMetaDataReader::new();
        parser.parse_and_finish(&Bytes::from(bytes)).ok()
    });
    let pairs = footer.as_ref().and_then(|footer| {
        let metadata = footer.file_metadata();
        metadata.key_value_metadata()
    });
    pairs.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == "foldtrace.table"))
}

/// The path of a file, and its problem.
type Problem = (&'static str, String);

fn check_tables(folder: &FolderHandle, verification: &mut Verification) -> Result<(), TraceError> {
    let store = StoreReader::from_folder(StoreFolder::within(folder.clone())?)?;
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
            "states {} events, but the tables have {}, or events of other kinds",
            counts.events, verification.events
        );
        verification.findings.push(Finding {
            path: MANIFEST.to_owned(),
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
    Ok((counts, finding.map(|problem| (LOOPS, problem))))
}

/// Compares the topology of a location, apart from tags in a column of their own, with its expanded DAG.
fn check_dag(
    store: &StoreReader,
    location: LocationId,
    dag: &Dag,
    roles: &Roles,
) -> Result<Option<Problem>, TraceError> {
    let differs = |problem: String| Ok(Some((DagTable::Nodes.path(), problem)));
    let mut roots = dag.roots.iter();
    let Some(&root) = roots.find(|root| root.location == location) else {
        return differs("the DAG has no root for this location".to_owned());
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
            if expected.next() != Some(symbol.without_tag()) {
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
