//! A disk without room, too few files at a time, too little memory: whenever that happens, there is no store
//! or the old one, and the error says which file and what to do.

use std::fs;
use std::sync::LazyLock;

use foldtrace::store::verify;

use crate::common::{FOLDTRACE, Folder, Ran};

/// Events of the archive, and of the old store.
const NEW: &str = " 8,406 events,";
const OLD: &str = " 1 event,";

/// How a disk is made small: what comes before a script, what mounts `disk` with `$ROOM` kilobytes, and
/// what the system says when they are used up.
struct SmallDisk {
    before: &'static [&'static str],
    mount: &'static str,
    full: &'static str,
    hint: &'static str,
}

const MOUNT: &str = "mount -t tmpfs -o size=${ROOM}k none disk";

/// A file system of its own, in a namespace of its own, so that it is gone with its process. Root may
/// do so, others on most systems; where nobody may, the size of each file is limited instead.
static DISK: LazyLock<SmallDisk> = LazyLock::new(|| {
    let namespaces: [&[&str]; 2] = [
        &["unshare", "--mount"],
        &["unshare", "--user", "--map-root-user", "--mount"],
    ];
    let folder = Folder::new();
    fs::create_dir(folder.path("disk")).unwrap();
    for before in namespaces {
        let mut command = folder.command(before[0]);
        command.args(&before[1..]).args(["sh", "-c", MOUNT]);
        if command
            .env("ROOM", "100")
            .output()
            .is_ok_and(|o| o.status.success())
        {
            return SmallDisk {
                before,
                mount: MOUNT,
                full: "No space left on device",
                hint: "hint: the disk is full",
            };
        }
    }
    eprintln!("no file system can be mounted here: the size of files is limited instead");
    SmallDisk {
        before: &["env"],
        mount: "trap '' XFSZ; limit=\"prlimit --fsize=$((ROOM * 64))\"",
        full: "File too large",
        hint: "hint: files are limited in size",
    }
});

/// Converts to `disk/run.fold` on a small disk, after what `script` does there, and says what is left.
fn with_room(folder: &Folder, kilobytes: u32, script: &str) -> Ran {
    let mount = DISK.mount;
    let script = format!(
        "{mount} && {script}\n$limit {FOLDTRACE} -q convert stencil-9 disk/run.fold --force\ncode=$?\n\
         ls -A disk\ntest ! -e disk/run.fold || {FOLDTRACE} verify disk/run.fold\nexit $code"
    );
    let mut command = folder.command(DISK.before[0]);
    command.args(&DISK.before[1..]).args(["sh", "-c", &script]);
    let ran = command.env("ROOM", kilobytes.to_string()).output().unwrap();
    let _ = fs::remove_dir_all(folder.path("disk/run.fold"));
    ran.into()
}

/// Converts with ever more room, until there is enough; `is_left` says whether what a failure leaves is
/// what is to be there.
fn with_ever_more_room(from: u32, script: &str, is_left: impl Fn(&[&str]) -> bool) {
    let folder = Folder::with("stencil-9");
    folder.feed("convert - old.fold", "0 send 1 17\n").exits(0);
    fs::create_dir(folder.path("disk")).unwrap();
    let mut failures = 0;
    for room in (0..).map(|step| from + 8 * step) {
        let ran = with_room(&folder, room, script);
        let left: Vec<_> = ran.stdout.lines().collect();
        if ran.code == Some(0) {
            assert_eq!(left[0], "run.fold");
            assert!(left[1].contains(NEW) && left.len() == 2, "{room}: {ran:?}");
            break;
        }
        assert_eq!(ran.code, Some(5), "{room}: {ran:?}");
        assert!(
            ran.stderr.starts_with("error: cannot write "),
            "{room}: {ran:?}"
        );
        for part in [".run.fold", DISK.full, DISK.hint] {
            assert!(ran.stderr.contains(part), "{room}: {ran:?}");
        }
        assert!(is_left(&left), "{room}: {ran:?}");
        failures += 1;
    }
    assert!(failures > 8, "{failures}");
}

#[test]
fn a_full_disk_has_no_store() {
    with_ever_more_room(8, "true", |left| left.is_empty());
}

#[test]
fn a_full_disk_keeps_the_old_store() {
    // With room for the old one.
    with_ever_more_room(
        72,
        "cp -r old.fold disk/run.fold",
        |left| matches!(left, ["run.fold", verified] if verified.contains(OLD)),
    );
}

/// Runs with so many open files at a time.
fn with_files(folder: &Folder, files: u32, arguments: &str) -> Ran {
    let mut command = folder.command("prlimit");
    command.arg(format!("--nofile={files}")).arg(FOLDTRACE);
    command.args(arguments.split(' ')).output().unwrap().into()
}

/// Without enough of them there is no store, and `--salvage` gives nothing up: the input is whole.
#[test]
fn too_few_open_files() {
    let folder = Folder::with("stencil-9");
    for salvage in ["", " --salvage"] {
        let mut failures = 0;
        // With three, not even the program itself can be loaded.
        for files in 4.. {
            let ran = with_files(
                &folder,
                files,
                &format!("convert stencil-9 run.fold{salvage}"),
            );
            if ran.code == Some(0) {
                break;
            }
            failures += 1;
            assert!(matches!(ran.code, Some(4 | 5)), "{files}: {ran:?}");
            assert!(ran.stderr.starts_with("error: cannot "), "{files}: {ran:?}");
            for part in [
                "Too many open files",
                "hint: more files must be open",
                "ulimit -n",
            ] {
                assert!(ran.stderr.contains(part), "{files}: {ran:?}");
            }
            assert!(!folder.path("run.fold").exists(), "{files}: {ran:?}");
        }
        assert!((3..20).contains(&failures), "{failures}");
        let verification = verify(&folder.path("run.fold")).unwrap();
        assert_eq!(
            (verification.events, &*verification.findings),
            (8_406, &[][..])
        );
        assert_eq!(folder.names(), ["run.fold", "stencil-9"]);
        fs::remove_dir_all(folder.path("run.fold")).unwrap();
    }
}

fn with_memory(folder: &Folder, bytes: usize, arguments: &[&str]) -> Ran {
    let mut command = folder.command("prlimit");
    // The stacks of threads need address space, too.
    command.env("RAYON_NUM_THREADS", "2");
    command.arg(format!("--as={bytes}")).arg(FOLDTRACE);
    command.args(arguments).output().unwrap().into()
}

/// Without enough memory, an error says so, and the store stays as it was: whether memory is exhausted when threads
/// start, or later, in the work itself.
#[test]
fn too_little_memory_is_an_error() {
    const STEP: usize = 2_000_000;
    const MOST: usize = 600_000_000;
    let folder = Folder::new();
    // Messages that are never received, with tags in no order, are kept until the end.
    let trace: String = (0..100_000_u32)
        .map(|message| format!("0 send 1 {}\n", message.wrapping_mul(2_654_435_761)))
        .collect();
    folder.write("tags.trace", trace);
    folder.say("convert -q tags.trace tags.fold").exits(0);
    // With less, not even the program itself can be loaded.
    let loaded = (STEP..MOST).step_by(STEP).find(|&bytes| {
        let ran = with_memory(&folder, bytes, &["--version"]);
        ran.code == Some(0)
    });
    let mut failures_of_the_work = 0;
    for bytes in (loaded.unwrap()..MOST).step_by(STEP) {
        let ran = with_memory(&folder, bytes, &["derive", "-q", "tags.fold"]);
        if ran.code == Some(0) {
            break;
        }
        assert!(matches!(ran.code, Some(1 | 5)), "{bytes}: {ran:#?}");
        assert!(ran.stderr.contains("memory"), "{bytes}: {ran:#?}");
        assert!(!folder.path("tags.fold/derived").exists(), "{bytes}");
        failures_of_the_work += usize::from(!ran.stderr.contains("threads cannot be started"));
    }
    assert!(failures_of_the_work > 0);
    folder.say("verify tags.fold").exits(0);
}
