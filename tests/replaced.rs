//! Stores that are replaced while they are read, and what replacing must leave alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use foldtrace::store::{StoreReader, verify};
use foldtrace_trace::{ErrorKind, Position, SymbolId, TraceError};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::common::{Folder, copy, example};

/// What a store says of its trace: the symbols of all events and the number of terms of each model.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    symbols: Vec<Vec<SymbolId>>,
    terms: Vec<u64>,
}

fn read(path: &Path) -> Result<Content, TraceError> {
    let store = StoreReader::open(path)?;
    let models = store.models()?.map(|stored| Ok(stored?.model.terms()));
    let terms = models.collect::<Result<_, TraceError>>()?;
    let symbols = store.locations().map(|location| {
        let mut events = store.events(location, Position(0));
        let (mut all, mut some) = (Vec::new(), Vec::new());
        loop {
            events.next_symbols(&mut some)?;
            if some.is_empty() {
                return Ok(all);
            }
            all.extend_from_slice(&some);
        }
    });
    let symbols = symbols.collect::<Result<_, TraceError>>()?;
    Ok(Content { symbols, terms })
}

/// Puts a copy of a store in the place of another, as its writer does.
fn put(store: &Path, target: &Path) {
    let new = target.with_extension("new");
    copy(store, &new);
    renameat_with(CWD, &new, CWD, target, RenameFlags::EXCHANGE).unwrap();
    fs::remove_dir_all(&new).unwrap();
}

/// Puts copies of the stores in the place of `target`, one after the other, until `stop`. Some of them stay for as long as even a
/// slow machine needs to read one.
fn put_in_turns(stores: &[PathBuf], target: &Path, stop: &AtomicBool) {
    let pauses = [0, 0, 1, 10, 50].map(Duration::from_millis);
    for (store, pause) in stores.iter().cycle().zip(pauses.into_iter().cycle()) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        put(store, target);
        std::thread::sleep(pause);
    }
}

fn two_stores() -> Folder {
    let folder = Folder::new();
    for name in ["wave-4", "stencil-9"] {
        let input = example(name).display().to_string();
        folder
            .say(&format!("convert {input} {name}.fold -q"))
            .exits(0);
    }
    copy(&folder.path("wave-4.fold"), &folder.path("c.fold"));
    folder
}

fn is_replaced(error: &TraceError) -> bool {
    error.kind == ErrorKind::Unreadable && error.message.contains("the store was replaced")
}

#[test]
fn a_reader_sees_one_store() {
    const READERS: usize = 150;
    let folder = two_stores();
    let names = ["wave-4.fold", "stencil-9.fold"].map(|name| folder.path(name));
    let expected = names.each_ref().map(|name| read(name).unwrap());
    let (target, stop) = (folder.path("c.fold"), AtomicBool::new(false));
    let (mut seen, mut refused) = ([0, 0], 0);
    std::thread::scope(|scope| {
        scope.spawn(|| put_in_turns(&names, &target, &stop));
        for _ in 0..READERS {
            match read(&target) {
                Ok(content) => {
                    let which = expected.iter().position(|expected| *expected == content);
                    seen[which.expect("what was read is of neither store")] += 1;
                }
                Err(error) => {
                    assert!(is_replaced(&error), "{error:?} {:?}", error.place);
                    refused += 1;
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(seen[0] + seen[1] + refused, READERS);
    assert!(refused < READERS, "nobody could read");
}

#[test]
fn a_command_sees_one_store() {
    let folder = two_stores();
    let names = ["wave-4.fold", "stencil-9.fold"];
    let paths = names.map(|name| folder.path(name));
    for command in ["predict", "loops", "print", "verify", "info --json"] {
        let answers = names.map(|name| {
            copy(&folder.path(name), &folder.path("c.new"));
            fs::remove_dir_all(folder.path("c.fold")).unwrap();
            fs::rename(folder.path("c.new"), folder.path("c.fold")).unwrap();
            folder.say(&format!("{command} c.fold")).exits(0).stdout
        });
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| put_in_turns(&paths, &folder.path("c.fold"), &stop));
            for _ in 0..5 {
                let ran = folder.say(&format!("{command} c.fold"));
                let is_right = ran.code == Some(0) && answers.contains(&ran.stdout);
                let is_refused =
                    ran.code == Some(4) && ran.stderr.contains("the store was replaced");
                if !is_right && !is_refused {
                    stop.store(true, Ordering::Relaxed);
                    panic!("{command}: {ran:?}");
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn verifying_tells_that_the_store_was_replaced() {
    let folder = two_stores();
    let (target, stop) = (folder.path("c.fold"), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                put(&folder.path("wave-4.fold"), &target);
            }
        });
        for _ in 0..20 {
            match verify(&target) {
                Ok(verification) => assert_eq!(verification.findings, []),
                Err(error) => assert!(is_replaced(&error), "{error:?}"),
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_store_with_other_files_is_not_replaced() {
    let folder = Folder::with_store("ring-4");
    let input = example("wave-4").display().to_string();
    for name in ["notes.txt", "topology/thesis.tex"] {
        let note = format!("ring-4.fold/{name}");
        folder.write(&note, "mine");
        let ran = folder
            .say(&format!("convert {input} ring-4.fold --force"))
            .exits(5);
        let message = format!("error: {name} is in the folder but not part of the store\n");
        assert!(ran.stderr.starts_with(&message), "{ran:?}");
        assert_eq!(fs::read_to_string(folder.path(&note)).unwrap(), "mine");
        fs::remove_file(folder.path(&note)).unwrap();
    }
    folder
        .say(&format!("convert {input} ring-4.fold --force"))
        .exits(0);
}
