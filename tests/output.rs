//! Outputs: what may be replaced, what a failure or a signal leaves behind, and which stream holds
//! what.

use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::common::{FOLDTRACE, Folder, Ran, STORE_COMMANDS, files};

const TEXT: &str = "0 local enter main\n0 send 1 17\n0 local leave main\n";

/// A folder with a small text trace, `run.trace`.
fn with_text() -> Folder {
    let folder = Folder::new();
    folder.write("run.trace", TEXT);
    folder
}

#[test]
fn a_store_is_not_replaced_by_accident() {
    let folder = with_text();
    folder.say("convert run.trace run.fold").exits(0);
    folder.write("run.trace", "0 send 1 18\n");
    let ran = folder.say("convert run.trace run.fold").exits(5);
    assert_snapshot!(ran.report());
    assert_eq!(folder.names(), ["run.fold", "run.trace"]);
    assert_eq!(folder.say("print run.fold").stdout.lines().count(), 3);
}

#[test]
fn force_replaces_a_store() {
    let folder = with_text();
    folder.say("convert run.trace run.fold").exits(0);
    folder.write("run.trace", "0 send 1 18\n");
    folder.say("convert run.trace run.fold --force").exits(0);
    assert_eq!(folder.names(), ["run.fold", "run.trace"]);
    assert_eq!(
        folder.say("print run.fold").stdout,
        "0\t0 send 1 18 time=0\n"
    );
    folder.say("verify run.fold").exits(0);
}

#[test]
fn force_replaces_nothing_before_the_new_store_is_complete() {
    let folder = with_text();
    folder.say("convert run.trace run.fold").exits(0);
    folder.write("run.trace", format!("{TEXT}0 sned\n"));
    folder.say("convert run.trace run.fold --force").exits(4);
    assert_eq!(folder.names(), ["run.fold", "run.trace"]);
    folder.say("verify run.fold").exits(0);
    assert_eq!(folder.say("print run.fold").stdout.lines().count(), 3);
}

#[test]
fn a_store_can_be_replaced_by_what_it_holds() {
    let folder = Folder::with_store("ring-4");
    let print = || folder.say("print ring-4.fold").exits(0).stdout;
    let before = print();
    folder
        .say("convert ring-4.fold ring-4.fold --force")
        .exits(0);
    assert!(print() == before);
    folder.say("verify ring-4.fold").exits(0);
}

/// Without `manifest.json`, a folder belongs to someone else, whatever it is called.
#[test]
fn another_folder_is_never_replaced() {
    for force in ["", "--force"] {
        let folder = with_text();
        fs::create_dir(folder.path("run.fold")).unwrap();
        folder.write("run.fold/thesis.tex", "all my work");
        let ran = folder.say(&format!("convert run.trace run.fold {force}"));
        assert_snapshot!("another_folder_is_never_replaced", ran.exits(5).report());
        let thesis = fs::read_to_string(folder.path("run.fold/thesis.tex"));
        assert_eq!(thesis.unwrap(), "all my work");
        assert_eq!(folder.names(), ["run.fold", "run.trace"]);
    }
}

#[test]
fn another_file_is_never_replaced_by_a_store() {
    for force in ["", "--force"] {
        let folder = with_text();
        folder.write("run.fold", "all my work");
        let ran = folder.say(&format!("convert run.trace run.fold {force}"));
        assert_snapshot!(
            "another_file_is_never_replaced_by_a_store",
            ran.exits(5).report()
        );
        let work = fs::read_to_string(folder.path("run.fold"));
        assert_eq!(work.unwrap(), "all my work");
    }
}

/// A folder that has a file of that name is not a store yet.
#[test]
fn a_folder_with_someone_elses_manifest_is_never_replaced() {
    let folder = with_text();
    fs::create_dir(folder.path("run.fold")).unwrap();
    folder.write(
        "run.fold/manifest.json",
        "{\"name\": \"a web application\"}",
    );
    folder.write("run.fold/index.html", "all my work");
    let ran = folder.say("convert run.trace run.fold --force").exits(5);
    assert!(ran.stderr.contains("will not be replaced"), "{ran:?}");
    assert_eq!(files(&folder.path("run.fold")).len(), 2);
}

#[test]
fn a_dangling_link_is_not_replaced() {
    let folder = with_text();
    std::os::unix::fs::symlink("nowhere", folder.path("run.fold")).unwrap();
    folder.say("convert run.trace run.fold --force").exits(5);
    assert!(folder.path("run.fold").is_symlink());
}

/// The store is replaced where it is, perhaps on a larger disk than the link.
#[test]
fn a_store_behind_a_link_is_replaced_and_the_link_stays() {
    let folder = with_text();
    fs::create_dir(folder.path("large")).unwrap();
    folder.feed("convert - large/run.fold", TEXT).exits(0);
    std::os::unix::fs::symlink("large/run.fold", folder.path("run.fold")).unwrap();
    folder.write("run.trace", "0 send 1 18\n");
    for name in ["run.fold", "run.fold/", "./run.fold/."] {
        let ran = folder.say(&format!("convert run.trace {name} --to fold"));
        let report = ran.exits(5).report();
        assert!(report.contains("hint: --force replaces it"), "{report}");
        folder
            .say(&format!("convert run.trace {name} --to fold --force"))
            .exits(0);
        assert!(folder.path("run.fold").is_symlink());
        folder.say("verify large/run.fold").exits(0);
        assert_eq!(
            folder.say("print large/run.fold").stdout,
            "0\t0 send 1 18 time=0\n"
        );
    }
    assert_eq!(folder.names(), ["large", "run.fold", "run.trace"]);
    let large = fs::read_dir(folder.path("large")).unwrap();
    assert_eq!(large.count(), 1);
}

#[test]
fn a_link_to_someone_elses_folder_is_not_followed() {
    let folder = with_text();
    fs::create_dir(folder.path("thesis")).unwrap();
    folder.write("thesis/thesis.tex", "all my work");
    std::os::unix::fs::symlink("thesis", folder.path("run.fold")).unwrap();
    let ran = folder.say("convert run.trace run.fold --force").exits(5);
    assert!(ran.stderr.contains("will not be replaced"), "{ran:?}");
    assert!(folder.path("run.fold").is_symlink());
    assert_eq!(files(&folder.path("thesis")).len(), 1);
}

#[test]
fn a_store_is_not_written_into_another() {
    let folder = with_text();
    folder.say("convert run.trace run.fold").exits(0);
    let ran = folder.say("convert run.fold run.fold/topology/other.fold");
    assert_snapshot!(ran.exits(5).report());
    folder.say("verify run.fold").exits(0);
}

/// Also by a name that has no last part, from within.
#[test]
fn a_store_is_replaced_by_whoever_stands_in_it() {
    let folder = with_text();
    folder.say("convert run.trace run.fold").exits(0);
    folder.write("run.trace", "0 send 1 18\n");
    let convert = "cd run.fold && \"$0\" -q convert ../run.trace . --to fold";
    let run = |options: &str| -> Ran {
        let script = format!("{convert} {options}");
        let mut command = folder.command("sh");
        command.args(["-c", &script, FOLDTRACE]);
        command.output().unwrap().into()
    };
    run("").exits(5);
    run("--force").exits(0);
    folder.say("verify run.fold").exits(0);
    assert_eq!(folder.say("print run.fold").stdout.lines().count(), 1);
    assert_eq!(folder.names(), ["run.fold", "run.trace"]);
}

#[test]
fn text_is_replaced_only_by_force() {
    let folder = with_text();
    folder.write("other.trace", "0 send 1 18\n");
    let ran = folder.say("convert run.trace other.trace").exits(5);
    assert_snapshot!(ran.report());
    let other = || fs::read_to_string(folder.path("other.trace")).unwrap();
    assert_eq!(other(), "0 send 1 18\n");
    folder.say("convert run.trace other.trace --force").exits(0);
    assert!(other().contains("0 send 1 17"));
    assert_eq!(folder.names(), ["other.trace", "run.trace"]);
}

#[test]
fn a_folder_is_never_replaced_by_text() {
    let folder = with_text();
    fs::create_dir(folder.path("other.trace")).unwrap();
    folder.write("other.trace/thesis.tex", "all my work");
    let ran = folder.say("convert run.trace other.trace --force").exits(5);
    assert_snapshot!(ran.report());
    folder
        .say("convert run.trace other.trace/ --force --to text")
        .exits(5);
    assert!(folder.path("other.trace/thesis.tex").is_file());
    assert_eq!(folder.names(), ["other.trace", "run.trace"]);
}

#[test]
fn the_folder_around_the_target_is_missing() {
    let folder = with_text();
    let store = folder.say("convert run.trace no/such/run.fold").exits(5);
    assert_snapshot!(store.report());
    let text = folder.say("convert run.trace no/such/other.trace").exits(5);
    assert_snapshot!("the_folder_around_a_text_is_missing", text.report());
    assert_eq!(folder.names(), ["run.trace"]);
}

#[test]
fn the_folder_around_the_target_is_a_file() {
    let folder = with_text();
    folder.say("convert run.trace run.trace/run.fold").exits(5);
    assert_eq!(folder.names(), ["run.trace"]);
}

#[test]
fn the_folder_around_the_target_is_not_writable() {
    let folder = with_text();
    fs::create_dir(folder.path("closed")).unwrap();
    fs::set_permissions(folder.path("closed"), Permissions::from_mode(0o555)).unwrap();
    let store = folder.say_unprivileged("convert run.trace closed/run.fold");
    assert_snapshot!(store.exits(5).report());
    let text = folder.say_unprivileged("convert run.trace closed/run.trace");
    assert_snapshot!(
        "the_folder_around_a_text_is_not_writable",
        text.exits(5).report()
    );
    let manual = folder.say_unprivileged("man closed/man1");
    assert_snapshot!(
        "the_folder_around_the_manual_is_not_writable",
        manual.exits(5).report()
    );
    assert_eq!(fs::read_dir(folder.path("closed")).unwrap().count(), 0);
}

/// A store has the permissions of any new folder, not those of a temporary one.
#[test]
fn a_store_can_be_read_by_others() {
    let folder = with_text();
    let script = "umask 022; \"$0\" -q convert run.trace run.fold";
    let status = folder
        .command("sh")
        .args(["-c", script, FOLDTRACE])
        .status();
    assert!(status.unwrap().success());
    let mode = |path: &str| {
        fs::metadata(folder.path(path))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("run.fold"), 0o755);
    for file in files(&folder.path("run.fold")) {
        assert_eq!(mode(&format!("run.fold/{}", file.display())), 0o644);
    }
}

/// Runs with files limited to `bytes`, as if the disk were full.
fn with_room(folder: &Folder, bytes: u64, arguments: &str) -> Ran {
    // The signal that comes with the failure would end the program before it could say anything.
    let script = format!("trap '' XFSZ; exec prlimit --fsize={bytes} \"$0\" {arguments}");
    let mut command = folder.command("sh");
    command.args(["-c", &script, FOLDTRACE]);
    command.output().unwrap().into()
}

#[test]
fn the_disk_is_full_at_every_stage() {
    let folder = Folder::with("stencil-9");
    let whole = with_room(&folder, 1_000_000, "-q convert stencil-9 whole.fold");
    whole.exits(0);
    let sizes = files(&folder.path("whole.fold"));
    let largest = |file| {
        fs::metadata(folder.path("whole.fold").join(file))
            .unwrap()
            .len()
    };
    let largest = sizes.iter().map(largest).max().unwrap();
    fs::remove_dir_all(folder.path("whole.fold")).unwrap();
    for room in (0..largest).step_by(largest as usize / 12) {
        let ran = with_room(&folder, room, "convert stencil-9 out.fold").exits(5);
        assert!(
            ran.stderr.starts_with("error: cannot write "),
            "{room} {ran:?}"
        );
        assert!(ran.stderr.contains("File too large"), "{room} {ran:?}");
        assert_eq!(ran.stdout, "");
        assert_eq!(folder.names(), ["stencil-9"], "{room}");
    }
}

#[test]
fn the_disk_is_full_and_an_old_store_is_there() {
    let folder = Folder::with_store("ring-4");
    let ran = with_room(&folder, 2000, "convert ring-4.fold ring-4.fold --force");
    ran.exits(5);
    assert_eq!(folder.names(), ["ring-4.fold"]);
    folder.say("verify ring-4.fold").exits(0);
}

#[test]
fn the_disk_is_full_while_tables_are_derived() {
    let folder = Folder::with_store("ring-4");
    for room in [0, 1000, 3000, 5000] {
        let ran = with_room(&folder, room, "derive ring-4.fold").exits(5);
        assert!(ran.stderr.contains("File too large"), "{room} {ran:?}");
        assert_eq!(folder.names(), ["ring-4.fold"], "{room}");
        folder.say("verify ring-4.fold").exits(0);
    }
}

#[test]
fn the_disk_is_full_while_text_is_written() {
    let folder = Folder::with("stencil-9");
    let ran = with_room(&folder, 100_000, "convert stencil-9 out.trace");
    assert_snapshot!(ran.exits(5).report());
    assert_eq!(folder.names(), ["stencil-9"]);
}

#[test]
fn the_disk_is_full_while_an_archive_is_written() {
    let folder = Folder::with("stencil-9");
    for room in [10, 10_000, 20_000] {
        let ran = with_room(&folder, room, "convert stencil-9 out/run.otf2").exits(5);
        assert!(ran.stderr.contains("File too large"), "{room} {ran:?}");
        assert_eq!(folder.names(), ["stencil-9"], "{room}");
    }
}

#[test]
fn the_disk_is_full_while_a_table_is_written() {
    let folder = Folder::with_store("stencil-9");
    for table in ["out.parquet", "out.arrow", "out.csv", "out --to pipit"] {
        for room in [0, 10_000] {
            let convert = format!("convert stencil-9.fold {table}");
            let ran = with_room(&folder, room, &convert).exits(5);
            assert!(
                ran.stderr.starts_with("error: cannot write out"),
                "{table} {ran:?}"
            );
            assert!(ran.stderr.contains("File too large"), "{table} {ran:?}");
            assert_eq!(folder.names(), ["stencil-9.fold"], "{table} {room}");
        }
    }
}

/// A table is made by way of a store, of which nothing is left either.
#[test]
fn the_disk_is_full_while_a_table_is_prepared() {
    let folder = Folder::with("stencil-9");
    for room in [0, 4_000, 30_000] {
        let ran = with_room(&folder, room, "convert stencil-9 out.csv").exits(5);
        assert!(ran.stderr.contains("File too large"), "{room} {ran:?}");
        assert_eq!(folder.names(), ["stencil-9"], "{room}");
    }
}

#[test]
fn tables_are_replaced_only_by_force() {
    let folder = with_text();
    for table in ["out.parquet", "out.arrow", "out.csv"] {
        folder.write(table, "all my work");
        let ran = folder.say(&format!("convert run.trace {table}")).exits(5);
        assert!(ran.stderr.contains("it already exists"), "{ran:?}");
        assert_eq!(fs::read(folder.path(table)).unwrap(), b"all my work");
        folder
            .say(&format!("convert run.trace {table} --force"))
            .exits(0);
        assert_ne!(fs::read(folder.path(table)).unwrap(), b"all my work");
        fs::remove_file(folder.path(table)).unwrap();
        assert_eq!(folder.names(), ["run.trace"]);
    }
}

#[test]
fn standard_output_is_full() {
    let folder = Folder::with_store("ring-4");
    folder.write(
        "model.json",
        folder.say("loops ring-4.fold --format json").stdout,
    );
    for command in [
        "print ring-4.fold",
        "info ring-4.fold",
        "info ring-4.fold --json",
        "loops ring-4.fold",
        "loops ring-4.fold --format json",
        "replay ring-4.fold",
        "replay model.json",
        "verify ring-4.fold",
        "convert ring-4.fold - --to text",
        "convert ring-4.fold - --to parquet",
        "convert ring-4.fold - --to arrow",
        "convert ring-4.fold - --to csv",
        "convert ring-4.fold - --to pipit",
        "extract ring-4.fold -c 1",
        "extract ring-4.fold -c 1 --format arrow",
        "extract ring-4.fold -c 1 --format python",
        "loops ring-4.fold --main",
        "dag ring-4.fold",
        "dag ring-4.fold --format mtf",
        "patterns ring-4.fold",
        "matrix ring-4.fold --format svg",
        "predict ring-4.fold",
        "steps ring-4.fold",
        "topology ring-4.fold",
        "formats",
        "completions bash",
        "man",
        "help",
        "help loops",
        "--help",
        "--version",
    ] {
        let mut full = folder.foldtrace(command.split(' '));
        full.stdout(File::options().write(true).open("/dev/full").unwrap());
        let ran = Ran::from(full.output().unwrap()).exits(5);
        let expected = "error: cannot write standard output\n  at standard output\n";
        assert!(ran.stderr.starts_with(expected), "{command}: {ran:?}");
        for part in ["No space left on device", "hint: the disk is full"] {
            assert!(ran.stderr.contains(part), "{command}: {ran:?}");
        }
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::with_store("stencil-9");
    for command in [
        "print stencil-9.fold",
        "print stencil-9.fold --topology",
        "replay stencil-9.fold",
        "loops stencil-9.fold",
        "loops stencil-9.fold --format json",
        "info stencil-9.fold",
        "verify stencil-9.fold",
        "convert stencil-9.fold - --to text",
        "convert stencil-9.fold - --to parquet",
        "convert stencil-9.fold - --to arrow",
        "convert stencil-9.fold - --to csv",
        "convert stencil-9.fold - --to pipit",
        "extract stencil-9.fold -c 1",
        "extract stencil-9.fold -c 1 --format parquet",
        "extract stencil-9.fold -c 1 --format c",
        "formats",
        "completions bash",
        "man",
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut closed = folder.foldtrace(command.split(' '));
        let ran = Ran::from(closed.stdout(writer).output().unwrap());
        assert_eq!(ran.exits(0).stderr, "", "{command}");
    }
}

#[test]
fn a_reader_may_stop_after_a_line() {
    let folder = Folder::with_store("stencil-9");
    let script = "set -o pipefail; \"$0\" print stencil-9.fold | head -1";
    let mut bash = folder.command("bash");
    let ran = Ran::from(bash.args(["-c", script, FOLDTRACE]).output().unwrap()).exits(0);
    assert!(
        ran.stdout.starts_with("0\t0 local thread_begin "),
        "{ran:?}"
    );
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(ran.stderr, "");
}

/// `cat TRACE | foldtrace convert - run.fold`, `foldtrace convert run.fold - --to text | grep`, and without
/// a store between.
#[test]
fn every_kind_of_event_comes_through_pipes() {
    let folder = Folder::new();
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/stores/everything.trace");
    fs::copy(trace, folder.path("everything.trace")).unwrap();
    for command in [
        "cat everything.trace | \"$0\" convert -q - run.fold",
        "\"$0\" convert -q run.fold - --to text | cmp - everything.trace",
        "cat everything.trace | \"$0\" convert -q - - --to text | cmp - everything.trace",
    ] {
        let script = format!("set -o pipefail; {command}");
        let mut bash = folder.command("bash");
        let ran = Ran::from(bash.args(["-c", &script, FOLDTRACE]).output().unwrap()).exits(0);
        assert_eq!(ran.stdout, "", "{command}");
    }
}

#[test]
fn messages_are_not_data() {
    let folder = Folder::with("ring-4");
    let ran = folder.say("convert ring-4 ring.fold").exits(0);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("ring.fold: 536 events"), "{ran:?}");
    for command in ["print", "info", "info --json", "loops", "replay", "verify"] {
        let ran = folder.say(&format!("{command} ring.fold")).exits(0);
        assert!(!ran.stdout.is_empty(), "{command}");
        assert_eq!(ran.stderr, "", "{command}");
    }
    let ran = folder.say("convert ring-4 - --to text").exits(0);
    let first = ran.stdout.lines().next().unwrap();
    assert_eq!(first, "# foldtrace text, see schemas/text.md");
}

#[test]
fn quiet_is_silent_where_nothing_is_lost() {
    let folder = Folder::with("ring-4");
    for command in [
        "convert -q ring-4 ring.fold",
        "-q convert ring-4 ring.trace",
        "verify --quiet ring.fold",
    ] {
        let ran = folder.say(command).exits(0);
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.as_str()),
            ("", ""),
            "{command}"
        );
    }
}

#[test]
fn errors_are_told_even_to_the_quiet() {
    let folder = Folder::new();
    let ran = folder.say("-q convert nothing.otf2 out.fold").exits(4);
    assert!(ran.stderr.starts_with("error: cannot read nothing.otf2\n"));
}

#[test]
fn arguments_that_make_no_sense() {
    let folder = Folder::with_store("ring-4");
    folder.write("run.trace", TEXT);
    folder.write(
        "model.json",
        folder.say("loops ring-4.fold --format json").stdout,
    );
    let mut reports = String::new();
    for arguments in [
        "convert run.trace out.fold --from vampir",
        "convert run.trace out.fold --to vampir",
        "convert run.trace out",
        "convert run.trace - --to otf2",
        "convert run.trace - --to fold",
        "convert - out.fold --from fold",
        "convert - out.fold --from otf2",
        "convert run.trace -",
        "convert run.trace out.fold --max-body 0",
        "print ring-4.fold --location 4",
        "print ring-4.fold --location 0.1",
        "print ring-4.fold --location @9",
        "print ring-4.fold --location main",
        "print ring-4 --from vampir",
        "print ring-4.fold --begin -1",
        "loops ring-4.fold --location 4",
        "loops ring-4.fold --events some",
        "loops ring-4.fold --format dot",
        "replay ring-4.fold --location 4",
        "replay model.json --location 4",
        "draw ring-4.fold",
        "info",
        "completions tcl",
    ] {
        let ran = folder.say(arguments).exits(2);
        assert_eq!(ran.stdout, "", "{arguments}");
        let report = ran.report();
        let (_, message) = report.split_once('\n').unwrap();
        reports.push_str(&format!("$ foldtrace {arguments}\n{message}\n"));
    }
    assert_snapshot!(reports);
    assert_eq!(folder.names(), ["model.json", "ring-4.fold", "run.trace"]);
}

#[test]
fn a_store_of_a_later_version_is_refused() {
    let folder = Folder::with_store("ring-4");
    let path = folder.path("ring-4.fold/manifest.json");
    let manifest = fs::read_to_string(&path).unwrap();
    let later = manifest.replace("\"version\": 4,", "\"version\": 99,\n  \"moon\": \"full\",");
    assert_ne!(later, manifest);
    fs::write(&path, later).unwrap();
    for command in STORE_COMMANDS {
        let ran = folder.say(&format!("{command} ring-4.fold")).exits(4);
        assert_eq!(ran.stdout, "");
        assert_snapshot!("a_store_of_a_later_version_is_refused", ran.report());
    }
    let ran = folder.say("convert ring-4.fold out.fold").exits(4);
    assert_snapshot!("a_store_of_a_later_version_is_refused", ran.report());
    assert_eq!(folder.names(), ["ring-4.fold"]);
}

/// Everything that a later version has besides may be unknown to this one.
#[test]
fn a_store_of_a_later_version_may_have_another_manifest() {
    let folder = Folder::with_store("ring-4");
    let manifest = r#"{"kind": "foldtrace store", "version": 5}"#;
    folder.write("ring-4.fold/manifest.json", manifest);
    let ran = folder.say("print ring-4.fold").exits(4);
    assert!(ran.stderr.contains("the store has version 5"), "{ran:?}");
}

/// Data of a store is not only its tables: the first bytes of a pipe tell what comes.
#[test]
fn standard_input_is_recognised() {
    let folder = Folder::new();
    folder.feed("convert - run.fold", TEXT).exits(0);
    let info = folder.say("info --json run.fold").exits(0).json();
    assert_eq!(info["events"], 3);
    let nothing = folder.feed("convert - other.fold", "").exits(4);
    assert_snapshot!(nothing.report());
    let mut held = folder.foldtrace(["print", "-"]);
    let mut child = held
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(TEXT.as_bytes())
        .unwrap();
    let mut printed = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut printed)
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(printed, folder.say("print run.fold").stdout);
}
