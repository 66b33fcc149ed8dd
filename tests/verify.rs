//! Verifying: whatever happens to a file of a store is found, and the file is named.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use foldtrace::store::{Verification, verify};

use crate::common::seal::seal;
use crate::common::{Folder, Ran, files};

/// A store with every sort of file: metrics and attributes too.
fn store() -> Folder {
    let folder = Folder::new();
    let text = "\
#: string id=0 \"cycles\"
#: metric_member id=0 name=0 value_type=4
#: metric_class id=0 members=0
#: attribute id=0 name=0 type=4
0 local metric metric=0 value.0=uint64:5 attribute.0=uint64:7
0 send 1 17 bytes=8
0 recv 1 17 bytes=8
0 sync MPI_Barrier 0-1
1 sync MPI_Barrier 0-1
1 sync MPI_Barrier 0-1 time=0
";
    folder.feed("convert - run.fold", text).exits(0);
    folder
}

fn found(folder: &Folder) -> Ran {
    let ran = folder.say("verify run.fold").exits(4);
    assert_eq!(ran.stderr, "");
    ran
}

/// Runs `check` on each file of the store after `harm` was done to it.
fn harm_each(harm: impl Fn(&Path), check: impl Fn(&Folder, &str)) {
    let folder = store();
    let all = files(&folder.path("run.fold"));
    for folder_name in [
        "definitions",
        "topology",
        "quantity",
        "metrics",
        "attributes",
    ] {
        let has = all.iter().any(|file| file.starts_with(folder_name));
        assert!(has, "{folder_name} is not in {all:?}");
    }
    for file in all.iter().filter(|file| **file != *"manifest.json") {
        let path = folder.path("run.fold").join(file);
        let bytes = fs::read(&path).unwrap();
        harm(&path);
        check(&folder, file.to_str().unwrap());
        fs::write(&path, bytes).unwrap();
    }
    folder.say("verify run.fold").exits(0);
}

#[test]
fn a_flipped_bit_in_any_table() {
    for place in [0, 1, 2, 3] {
        let flip = |path: &Path| {
            let mut bytes = fs::read(path).unwrap();
            let at = (bytes.len() - 1) * place / 3;
            bytes[at] ^= 1 << place;
            fs::write(path, bytes).unwrap();
        };
        harm_each(flip, |folder, file| {
            let ran = found(folder);
            let finding = format!("{file}: does not match its checksum in the manifest\n");
            assert!(ran.stdout.starts_with(&finding), "{ran:?}");
            assert!(
                ran.stdout.ends_with(": 1 not as it was written\n"),
                "{ran:?}"
            );
        });
    }
}

#[test]
fn a_missing_file() {
    let remove = |path: &Path| fs::remove_file(path).unwrap();
    harm_each(remove, |folder, file| {
        let ran = found(folder);
        let finding = format!("{file}: cannot be read: No such file or directory");
        assert!(ran.stdout.starts_with(&finding), "{ran:?}");
    });
}

#[test]
fn a_shorter_and_a_longer_file() {
    for change in [-1, 1] {
        let resize = |path: &Path| {
            let length = fs::metadata(path).unwrap().len().checked_add_signed(change);
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_len(length.unwrap()).unwrap();
        };
        harm_each(resize, |folder, file| {
            let ran = found(folder);
            assert!(ran.stdout.starts_with(&format!("{file}: has ")), "{ran:?}");
            assert!(
                ran.stdout.contains(" bytes, but the manifest states "),
                "{ran:?}"
            );
        });
    }
}

#[test]
fn a_stranger() {
    let folder = store();
    for stranger in ["topology/part-00001.parquet", "notes.txt", ".hidden"] {
        let path = folder.path("run.fold").join(stranger);
        fs::write(&path, "not of this store").unwrap();
        let ran = found(&folder);
        let finding = format!("{stranger}: is not in the manifest\n");
        assert!(ran.stdout.starts_with(&finding), "{ran:?}");
        fs::remove_file(path).unwrap();
    }
    folder.say("verify run.fold").exits(0);
}

#[test]
fn an_empty_file_and_a_folder_in_place_of_one() {
    let empty = |path: &Path| fs::write(path, "").unwrap();
    harm_each(empty, |folder, file| {
        let ran = found(folder);
        let finding = format!("{file}: has 0 bytes, but the manifest states ");
        assert!(ran.stdout.starts_with(&finding), "{ran:?}");
        assert!(
            ran.stdout.ends_with(": 1 not as it was written\n"),
            "{ran:?}"
        );
    });
    let folder = store();
    let index = folder.path("run.fold/index.parquet");
    fs::remove_file(&index).unwrap();
    fs::create_dir(&index).unwrap();
    let ran = found(&folder);
    let finding = "index.parquet: cannot be read: Is a directory";
    assert!(ran.stdout.starts_with(finding), "{ran:?}");
}

/// Each table in place of the same table of another store, which is whole, too.
#[test]
fn a_table_of_another_store() {
    let other = Folder::with_store("ring-4");
    let mut told = 0;
    let exchange = |path: &Path| {
        let file = path.to_str().unwrap().split_once("run.fold/").unwrap().1;
        let theirs = other.path("ring-4.fold").join(file);
        if theirs.exists() {
            fs::copy(theirs, path).unwrap();
        } else {
            fs::write(path, "there is no such table").unwrap();
        }
    };
    let folder = store();
    for file in files(&folder.path("run.fold")) {
        let path = folder.path("run.fold").join(&file);
        if file == *"manifest.json" {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        exchange(&path);
        let ran = found(&folder);
        let finding = format!("{}: has ", file.display());
        assert!(ran.stdout.starts_with(&finding), "{ran:?}");
        let whole = "; it is an intact table, perhaps of another store\n";
        let is_other = other.path("ring-4.fold").join(&file).exists();
        let is_table = file.extension().is_some_and(|e| e == "parquet");
        let is_as_long = fs::metadata(&path).unwrap().len() == bytes.len() as u64;
        let tells = is_other && is_table && !is_as_long;
        assert_eq!(ran.stdout.contains(whole), tells, "{ran:?}");
        told += u32::from(tells);
        fs::write(&path, bytes).unwrap();
    }
    assert!(told > 5, "{told}");
    folder.say("verify run.fold").exits(0);
}

#[test]
fn two_parts_of_a_store_exchanged() {
    let folder = Folder::with_parts();
    let part = |number: u32| folder.path(format!("ring-4.fold/quantity/part-0000{number}.parquet"));
    let aside = folder.path("aside");
    for (from, to) in [
        (part(1), &aside),
        (part(2), &part(1)),
        (aside.clone(), &part(2)),
    ] {
        fs::rename(from, to).unwrap();
    }
    let ran = folder.say("verify ring-4.fold").exits(4);
    let mut lines = ran.stdout.lines();
    for (file, is) in [(1, 2), (2, 1)] {
        let line = lines.next().unwrap();
        let begin = format!("quantity/part-0000{file}.parquet: has ");
        let end = format!("; its contents are those of quantity/part-0000{is}.parquet");
        assert!(line.starts_with(&begin) && line.ends_with(&end), "{ran:?}");
    }
}

/// A circle of links would never end if it were followed.
#[test]
fn a_link_to_nowhere_good() {
    let folder = store();
    for target in ["..", ".", "nowhere", "index.parquet"] {
        let link = folder.path("run.fold/topology/link");
        std::os::unix::fs::symlink(target, &link).unwrap();
        let ran = found(&folder);
        let finding = "topology/link: is not in the manifest\n";
        assert!(ran.stdout.starts_with(finding), "{ran:?}");
        assert_eq!(ran.stdout.lines().count(), 2, "{ran:?}");
        fs::remove_file(link).unwrap();
    }
}

/// Where a folder of the store lies is not what the store is.
#[test]
fn a_folder_may_be_elsewhere() {
    let folder = store();
    let topology = folder.path("run.fold/topology");
    fs::rename(&topology, folder.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", topology).unwrap();
    folder.say("verify run.fold").exits(0);
}

#[test]
fn a_folder_that_cannot_be_listed() {
    let folder = store();
    let definitions = folder.path("run.fold/definitions");
    fs::set_permissions(&definitions, Permissions::from_mode(0o000)).unwrap();
    let ran = folder.say_unprivileged("verify run.fold").exits(4);
    fs::set_permissions(&definitions, Permissions::from_mode(0o755)).unwrap();
    let finding = "definitions: cannot be read: Permission denied";
    assert!(ran.stdout.starts_with(finding), "{ran:?}");
}

#[test]
fn several_findings_are_listed_in_order() {
    let folder = store();
    fs::remove_file(folder.path("run.fold/symbols.parquet")).unwrap();
    fs::remove_file(folder.path("run.fold/index.parquet")).unwrap();
    folder.write("run.fold/a", "stranger");
    let ran = folder.say("verify -q run.fold").exits(4);
    let named: Vec<_> = ran
        .stdout
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(file, _)| file)
        .collect();
    assert_eq!(named, ["a", "index.parquet", "symbols.parquet"]);
}

#[test]
fn a_store_without_its_manifest_is_none() {
    let folder = store();
    fs::remove_file(folder.path("run.fold/manifest.json")).unwrap();
    let ran = folder.say("verify run.fold").exits(4);
    assert!(
        ran.stderr.starts_with("error: run.fold is not a store\n"),
        "{ran:?}"
    );
}

/// What it says of the trace stands in the tables, too, but for what only its own checksum guards.
#[test]
fn another_number_in_the_manifest() {
    let folder = store();
    let path = folder.path("run.fold/manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut unseen = Vec::new();
    let mut section = "";
    for (number, line) in text.lines().enumerate() {
        let key = line.trim().split('"').nth(1).unwrap_or_default();
        if line.ends_with('{') || line.ends_with('[') {
            section = key;
        }
        let is_number = line
            .trim_end_matches(',')
            .ends_with(|c: char| c.is_ascii_digit());
        if !is_number || key == "version" {
            continue;
        }
        let (head, value) = line.split_once(": ").unwrap();
        let comma = if value.ends_with(',') { "," } else { "" };
        let value: u64 = value.trim_end_matches(',').parse().unwrap();
        let lines = text.lines().enumerate().map(|(i, l)| match i == number {
            true => format!("{head}: {}{comma}\n", value + 1),
            false => format!("{l}\n"),
        });
        fs::write(&path, lines.collect::<String>()).unwrap();
        let ran = folder.say("verify run.fold");
        if ran.code != Some(4) {
            unseen.push(format!("{section}.{key}"));
        }
    }
    assert!(
        unseen.is_empty(),
        "verify does not see a change of {unseen:?}"
    );
}

#[test]
fn another_checksum_in_the_manifest() {
    let folder = store();
    let path = folder.path("run.fold/manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    for (at, _) in text.match_indices("\"blake3\": \"") {
        let mut bytes = text.clone().into_bytes();
        let digit = &mut bytes[at + 15];
        *digit = if *digit == b'0' { b'1' } else { b'0' };
        fs::write(&path, bytes).unwrap();
        let ran = found(&folder);
        assert!(ran.stdout.contains(": does not match its "), "{ran:?}");
    }
}

/// The checksums may agree and the content still be of another store.
#[test]
fn models_are_compared_with_the_events() {
    let file = "models/loops.parquet";
    for (counts, replays) in [([4, 2], 4), ([3, 3], 0)] {
        let folder = store();
        let other = "0 send 1 17\n".repeat(counts[0]) + &"1 send 0 17\n".repeat(counts[1]);
        folder.feed("convert - other.fold", other).exits(0);
        let [mine, theirs] = ["run.fold", "other.fold"].map(|name| folder.path(name));
        fs::copy(theirs.join(file), mine.join(file)).unwrap();
        seal(&mine, |_| {});
        let replayed = folder.say("replay run.fold").exits(replays);
        let is_refused = replayed.stderr.contains("number of events differs");
        assert_eq!(is_refused, replays != 0, "{replayed:?}");
        let ran = folder.say("verify run.fold").exits(4);
        assert!(ran.stdout.contains(file), "{ran:?}");
    }
}

#[test]
fn the_library_says_what_it_has_looked_at() {
    let folder = Folder::with_store("wave-4");
    let path = folder.path("wave-4.fold");
    let verification = verify(&path).unwrap();
    let bytes = |file| fs::metadata(path.join(file)).unwrap().len();
    let tables: Vec<_> = files(&path)
        .into_iter()
        .filter(|file| **file != *"manifest.json")
        .collect();
    assert_eq!(
        verification,
        Verification {
            files: tables.len() as u64,
            bytes: tables.iter().map(bytes).sum(),
            events: 3896,
            models: 4,
            findings: Vec::new(),
        }
    );
}
