//! Archives: what they say, cut and keep is what the plain store does, and damage is told.

use std::collections::BTreeMap;
use std::fs;

use foldtrace::store::StoreReader;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, LocationId, Position, Quantity, Step, SymbolId,
};

use crate::common::{EXAMPLES, Folder};

const EXAMPLE: &str = "stencil-9";

/// A folder with a plain store and the archive that was made of it.
fn stores() -> Folder {
    let folder = Folder::with_store(EXAMPLE);
    let plain = format!("{EXAMPLE}.fold");
    folder
        .say(&format!("convert {plain} small.fold --archive"))
        .exits(0);
    folder
}

#[test]
fn what_is_told_of_an_archive_is_told_of_the_plain_store() {
    let folder = stores();
    for question in [
        "print",
        "print --location 4.0 --begin 40 --count 7",
        "loops --location 4.0",
        "replay --location 3.0",
    ] {
        let (command, options) = question.split_once(' ').unwrap_or((question, ""));
        let told = |store: &str| {
            folder
                .say(&format!("{command} {store} {options}"))
                .exits(0)
                .stdout
        };
        let plain = told(&format!("{EXAMPLE}.fold"));
        assert!(!plain.is_empty());
        assert_eq!(told("small.fold"), plain, "{question}");
    }
}

#[test]
fn a_cut_of_an_archive_is_that_of_the_plain_store() {
    let folder = stores();
    let whole = folder
        .say(&format!("convert {EXAMPLE}.fold - --to text"))
        .exits(0);
    let cut = |store: &str| {
        let said = folder.say(&format!("convert {store} - --to text --time ..40ms"));
        said.exits(0).stdout
    };
    let plain = cut(&format!("{EXAMPLE}.fold"));
    assert!(!plain.is_empty() && plain.len() < whole.stdout.len());
    assert_eq!(cut("small.fold"), plain);
}

#[test]
fn a_store_made_of_an_archive_remembers_the_first_source() {
    let folder = stores();
    folder.say("convert small.fold again.fold").exits(0);
    let source = |store: &str| {
        let manifest = fs::read(folder.path(store).join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
        (manifest["source"].clone(), manifest["counts"].clone())
    };
    let first = source(&format!("{EXAMPLE}.fold"));
    assert_eq!(first.0["format"], "otf2");
    assert_eq!(source("small.fold"), first);
    assert_eq!(source("again.fold"), first);
}

#[test]
fn the_level_is_three_unless_another_is_wanted() {
    let folder = Folder::with(EXAMPLE);
    let part = |options: &str| {
        folder
            .say(&format!("convert {EXAMPLE} run.fold -q --force {options}"))
            .exits(0);
        fs::read(folder.path("run.fold/quantity/part-00000.parquet")).unwrap()
    };
    let left_out = part("");
    assert!(left_out == part("--level 3"));
    assert!(left_out != part("--level 1") && left_out != part("--level 19"));
}

#[test]
fn info_tells_archives_from_plain_stores() {
    let folder = stores();
    let form = |store: &str| folder.say(&format!("info {store} --json")).json()["form"].clone();
    assert_eq!(form(&format!("{EXAMPLE}.fold")), "plain");
    assert_eq!(form("small.fold"), "archive");
    let said = folder.say("info small.fold").exits(0).stdout;
    assert!(said.contains("an archive"), "{said}");
}

#[test]
fn only_stores_can_be_archives() {
    let folder = stores();
    for option in ["--level 9", "--derive"] {
        let said = folder.say(&format!("convert small.fold out.parquet {option}"));
        let option = option.split(' ').next().unwrap();
        assert!(
            said.exits(2)
                .stderr
                .contains(&format!("{option} is for stores"))
        );
    }
    assert!(!folder.path("out.parquet").exists());
    let said = folder.say("convert small.fold out.otf2 --archive").exits(2);
    assert!(
        said.stderr.contains("--archive is for stores"),
        "{}",
        said.stderr
    );
    assert!(!folder.path("out.otf2").exists());
}

/// The checksum finds any damage; whoever reads without verifying gets an error, or other numbers, but
/// never more or fewer events.
#[test]
fn damage_to_an_archive_is_told() {
    let folder = stores();
    let part = folder.path("small.fold/archive/part-00000.coded");
    let whole = fs::read(&part).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 40 + 1) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&part, &bytes).unwrap();
        let found = folder.say("verify small.fold").exits(4);
        assert!(
            found.stdout.contains("archive/part-00000.coded"),
            "{found:#?}"
        );
        let printed = folder.say("print small.fold");
        assert!(matches!(printed.code, Some(0 | 4)), "{}", printed.report());
    }
    fs::write(&part, &whole[..whole.len() / 2]).unwrap();
    let printed = folder.say("print small.fold").exits(4);
    assert!(
        printed.stderr.contains("part-00000.coded"),
        "{}",
        printed.stderr
    );
    fs::remove_file(&part).unwrap();
    let printed = folder.say("print small.fold").exits(4);
    assert!(printed.stderr.contains("missing"), "{}", printed.stderr);
}

/// Sums a quantity over the events of a location, by symbol.
fn summed(store: &StoreReader, location: LocationId, quantity: Quantity) -> Vec<(SymbolId, u64)> {
    let mut sums = BTreeMap::new();
    let mut events = store.events(location, Position(0));
    let mut batch = EventBatch::default();
    let none = &mut Diagnostics::default();
    while events.next_batch(&mut batch, none).unwrap() != Step::End {
        for event in batch.iter(store.symbols()) {
            if let Some(value) = event.get(quantity) {
                let sum = sums.entry(event.symbol).or_insert(0_u64);
                *sum = sum.wrapping_add(value);
            }
        }
    }
    sums.into_iter().collect()
}

#[test]
fn totals_are_the_sums_of_events() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let archive = format!("convert -q {name}.fold small.fold --archive");
        folder.say(&archive).exits(0);
        for store in [&*format!("{name}.fold"), "small.fold"] {
            let store = StoreReader::open(&folder.path(store)).unwrap();
            for location in store.locations() {
                for &quantity in Quantity::ALL {
                    let mut read = 0;
                    let totals = store.totals(location, quantity, |events| {
                        read += events;
                        Ok(())
                    });
                    assert_eq!(totals.unwrap(), summed(&store, location, quantity));
                    assert_eq!(read, store.index().events(location));
                }
            }
        }
    }
}
