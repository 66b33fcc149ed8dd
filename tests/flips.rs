//! Damage to a store, byte by byte: whichever byte of a store is another one, verifying names its file.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use fastrand::Rng;
use foldtrace::store::verify;

use crate::common::{Folder, files};

const MANIFEST: &str = "manifest.json";

/// A store with every sort of file, metrics, attributes and derived tables too, and its archive.
fn store() -> Folder {
    let folder = Folder::new();
    let text = "\
#: string id=0 \"cycles\"
#: metric_member id=0 name=0 value_type=4
#: metric_class id=0 members=0
#: attribute id=0 name=0 type=4
0 local metric metric=0 value.0=uint64:5 attribute.0=uint64:7
0 send 1 17 bytes=8
1 recv 0 17 bytes=8 time=0
1 send 1 17 bytes=8
";
    folder.feed("convert - run.fold", text).exits(0);
    folder.say("derive run.fold").exits(0);
    folder
        .say("convert run.fold archive.fold --archive")
        .exits(0);
    folder
}

/// A file of a store, to be damaged and repaired.
struct Victim {
    name: String,
    file: File,
    bytes: Vec<u8>,
}

impl Victim {
    fn new(store: &Path, name: &Path) -> Self {
        let path = store.join(name);
        Self {
            name: name.to_str().unwrap().to_owned(),
            file: File::options().write(true).open(&path).unwrap(),
            bytes: fs::read(path).unwrap(),
        }
    }

    fn set(&self, at: usize, byte: u8) {
        self.file.write_all_at(&[byte], at as u64).unwrap();
    }

    fn flip(&self, at: usize) {
        self.set(at, self.bytes[at] ^ (1 << (at % 8)));
    }

    fn repair(&self, at: usize) {
        self.set(at, self.bytes[at]);
    }
}

fn victims(store: &Path) -> Vec<Victim> {
    let tables = files(store).into_iter().filter(|f| *f != *MANIFEST);
    tables.map(|name| Victim::new(store, &name)).collect()
}

/// The files that verifying names.
fn named(store: &Path) -> Vec<String> {
    let findings = verify(store).unwrap().findings;
    findings.into_iter().map(|finding| finding.path).collect()
}

/// A bit of a byte in every file at once, so that all of them are to be named; then of the next byte.
#[test]
fn any_byte_of_any_table() {
    let folder = store();
    for name in ["run.fold", "archive.fold"] {
        flip_each_byte(&folder.path(name));
    }
}

fn flip_each_byte(store: &Path) {
    let mut victims = victims(store);
    let longest = victims.iter().map(|v| v.bytes.len()).max().unwrap();
    for at in 0..longest {
        victims.retain(|victim| at < victim.bytes.len());
        victims.iter().for_each(|victim| victim.flip(at));
        let expected: Vec<_> = victims.iter().map(|v| v.name.clone()).collect();
        assert_eq!(named(store), expected, "byte {at}");
        victims.iter().for_each(|victim| victim.repair(at));
    }
    assert_eq!(verify(store).unwrap().findings, []);
}

/// One byte in one file, and no other file is blamed.
#[test]
fn a_byte_of_a_table_alone() {
    let folder = store();
    let store = folder.path("run.fold");
    let mut random = Rng::with_seed(11);
    for victim in victims(&store) {
        for _ in 0..8 {
            let at = random.usize(..victim.bytes.len());
            victim.set(at, victim.bytes[at].wrapping_add(random.u8(1..)));
            assert_eq!(named(&store), [&*victim.name], "byte {at}");
            victim.repair(at);
        }
    }
    assert_eq!(verify(&store).unwrap().findings, []);
}

/// A flipped bit, and white space that is another one, which is the same to whoever reads JSON.
#[test]
fn any_byte_of_the_manifest() {
    let folder = store();
    let store = folder.path("run.fold");
    let manifest = Victim::new(&store, Path::new(MANIFEST));
    let is_named = |at: usize| match verify(&store) {
        Ok(found) => {
            let named = found.findings.iter().any(|f| f.path == MANIFEST);
            assert!(named, "byte {at}: {found:?}");
        }
        Err(error) => {
            let file = error.place.file.as_ref().unwrap();
            assert_eq!(*file, store.join(MANIFEST), "byte {at}: {error}");
        }
    };
    for at in 0..manifest.bytes.len() {
        manifest.flip(at);
        is_named(at);
        if manifest.bytes[at].is_ascii_whitespace() {
            manifest.set(at, b'\t');
            is_named(at);
        }
        manifest.repair(at);
    }
    assert_eq!(verify(&store).unwrap().findings, []);
}
