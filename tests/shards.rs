//! Conversion by several tasks: whatever their number, the store is that of a single task, byte by byte.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use foldtrace::convert::{ConvertOptions, Progress, ShardTask, join, to_shard, to_store};
use foldtrace::formats::REGISTRY;
use foldtrace::store::{Form, Layout, Origin, ShardId, Source};
use foldtrace::trace::{ReadOptions, TraceReader};

use crate::common::mpi::mpirun;
use crate::common::{FOLDTRACE, Folder, assert_same, copy, example, note_joined};

fn open(input: &Path, salvage: bool) -> Box<dyn TraceReader> {
    let options = ReadOptions::whole(salvage);
    let opened = foldtrace::formats::open(input, None, &options, &Arc::default());
    opened.unwrap().reader
}

/// Every stream is a part, so that shards differ.
#[test]
fn any_number_of_shards_makes_the_store_of_one_task() {
    let folder = Folder::with("wave-4");
    let text = "\
0 send 1 7 bytes=18446744073709551615 time=3
region main
3 local enter main time=9223372036854775809
nonsense
0 recv 1 7 time=9
3 local leave main time=9223372036854775810
";
    folder.write("odd.trace", text);
    let inputs = [
        folder.path("wave-4"),
        example("vcycle-4"),
        folder.path("odd.trace"),
    ];
    let plain = ConvertOptions {
        part_bytes: 1,
        salvage: true,
        ..ConvertOptions::default()
    };
    let archive = ConvertOptions {
        layout: Layout::default().with_form(Form::Archive),
        ..plain.clone()
    };
    let mut unfolded = ConvertOptions {
        max_body: 0,
        ..plain.clone()
    };
    unfolded.layout.row_group_rows = 100;
    for (input, of) in inputs
        .iter()
        .flat_map(|input| [(input, 1), (input, 2), (input, 3), (input, 7)])
    {
        let reader = open(input, true);
        let origin = Origin::trace(Source {
            format: "otf2".to_owned(),
            name: "run".to_owned(),
        });
        for options in [&plain, &archive, &unfolded] {
            let around = tempfile::tempdir().unwrap();
            // The views of a store have its name.
            let [one, many] = ["one", "many"].map(|name| around.path().join(name).join("run.fold"));
            for store in [&one, &many] {
                fs::create_dir(store.parent().unwrap()).unwrap();
            }
            let progress = Progress::default();
            let (manifest, diagnostics) =
                to_store(&*reader, &origin, &one, options, &progress).unwrap();
            for number in (0..of).rev() {
                let task = ShardTask {
                    id: ShardId::new(number, of).unwrap(),
                    selection: "",
                };
                to_shard(&*reader, &origin, &many, task, options, &progress).unwrap();
            }
            let joined = join(&many, &REGISTRY, &ConvertOptions::default(), &progress).unwrap();
            assert_same(&many, &one);
            assert_eq!(joined.0.counts, manifest.counts);
            assert_eq!(joined.1, diagnostics);
            let left = fs::read_dir(many.parent().unwrap()).unwrap();
            assert_eq!(left.count(), 1, "the shards are gone");
        }
    }
}

/// Writes an archive, and its store, which has several parts.
fn archive(folder: &Folder) {
    let (mut trace, locations) = (String::new(), 100);
    for rank in 0..locations {
        for turn in 0..900 {
            let (to, time) = ((rank + turn + 1) % locations, 100 * turn + rank);
            writeln!(trace, "{rank} local enter work time={time}").unwrap();
            writeln!(
                trace,
                "{rank} send {to} {turn} bytes={rank} time={}",
                time + 1
            )
            .unwrap();
            writeln!(trace, "{rank} local leave work time={}", time + 2).unwrap();
        }
    }
    folder.write("many.trace", trace);
    folder.say("convert -q many.trace many.otf2").exits(0);
    fs::create_dir(folder.path("one")).unwrap();
    folder.say("convert -q many.otf2 one/run.fold").exits(0);
    let parts = fs::read_dir(folder.path("one/run.fold/topology")).unwrap();
    assert!(parts.count() >= 3);
}

/// Checks that a store is that of one task, and that its shards are gone.
fn assert_joined(store: &Path, folder: &Folder) {
    assert_same(store, &folder.path("one/run.fold"));
    assert_eq!(fs::read_dir(store.parent().unwrap()).unwrap().count(), 1);
}

/// The tasks of a real launcher, the last of which joins the shards.
#[test]
fn tasks_of_mpirun_make_the_store_of_one_task() {
    let folder = Folder::new();
    archive(&folder);
    for tasks in [1, 2, 4, 7] {
        let store = folder.path(format!("{tasks}/run.fold"));
        fs::create_dir(store.parent().unwrap()).unwrap();
        let command = format!("{FOLDTRACE} convert -q many.otf2 {tasks}/run.fold --shard auto");
        let ran = mpirun(&folder, tasks, &command);
        assert!(ran.status.success(), "{ran:?}");
        assert_joined(&store, &folder);
    }
}

/// The tasks of a real batch system, on several nodes of its cluster.
#[test]
fn tasks_of_slurm_make_the_store_of_one_task() {
    let folder = Folder::new();
    archive(&folder);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/slurm.sh");
    let tasks = [3, 5, 8];
    for count in tasks {
        fs::create_dir(folder.path(count.to_string())).unwrap();
    }
    let jobs = tasks.map(|count| {
        let options = "convert -q many.otf2";
        format!(
            "srun --overcommit -N3 -n{count} {FOLDTRACE} {options} {count}/run.fold --shard auto"
        )
    });
    let jobs = jobs.join(" && ");
    let mut command = folder.command(script);
    let ran = command.args(["3", "sh", "-c", &jobs]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    for count in tasks {
        let store = folder.path(format!("{count}/run.fold"));
        assert_joined(&store, &folder);
    }
}

/// A task that is killed is run again alone.
#[test]
fn a_task_is_killed_at_twenty_moments() {
    let folder = Folder::new();
    archive(&folder);
    fs::create_dir(folder.path("two")).unwrap();
    let shard = |number| format!("convert -q many.otf2 two/run.fold --shard {number}/2");
    let start = Instant::now();
    folder.say(&shard(1)).exits(0);
    let whole = start.elapsed();
    let mut rng = fastrand::Rng::new();
    let mut ended = 0;
    for _ in 0..20 {
        let delay = Duration::from_secs_f64(rng.f64() * whole.as_secs_f64());
        let arguments = shard(0);
        let mut child = folder.foldtrace(arguments.split(' ')).spawn().unwrap();
        thread::sleep(delay);
        child.kill().unwrap();
        ended += u32::from(child.wait().unwrap().success());
        let is_written = folder.path("two/run.fold.shards/0-of-2").exists();
        let again = folder.say("join two/run.fold");
        if is_written {
            again.exits(0);
            assert_same(&folder.path("two/run.fold"), &folder.path("one/run.fold"));
            fs::remove_dir_all(folder.path("two/run.fold")).unwrap();
            folder.say(&shard(1)).exits(0);
        } else {
            let again = again.exits(4);
            assert!(
                again.stderr.contains("shards are missing: 0/2"),
                "{}",
                again.stderr
            );
            assert!(again.stderr.contains("--shard 0/2"), "{}", again.stderr);
        }
    }
    assert!(ended < 20, "no task was killed");
    folder.say(&shard(0)).exits(0);
    let again = folder.say(&shard(0).replace("-q ", "")).exits(0);
    assert!(
        again.stderr.contains("shard 0/2 was written before"),
        "{}",
        again.stderr
    );
    folder.say("join two/run.fold").exits(0);
    assert_same(&folder.path("two/run.fold"), &folder.path("one/run.fold"));
}

/// A job is started again while tasks of the one before still end.
#[test]
fn two_tasks_of_a_shard_do_not_disturb_each_other() {
    let folder = Folder::new();
    archive(&folder);
    fs::create_dir(folder.path("two")).unwrap();
    let task = |number: &str| {
        let mut command =
            folder.foldtrace("convert many.otf2 two/run.fold --shard auto".split(' '));
        command.env("OMPI_COMM_WORLD_RANK", number);
        command.env("OMPI_COMM_WORLD_SIZE", "2");
        command.stderr(Stdio::piped()).spawn().unwrap()
    };
    let both = [task("0"), task("0")].map(|task| task.wait_with_output().unwrap());
    let said = both.map(|output| {
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    });
    let before = said
        .iter()
        .filter(|said| said.contains("shard 0/2 was written before"));
    assert_eq!(before.count(), 1, "{said:?}");
    assert!(!folder.path("two/run.fold").exists());
    assert!(task("1").wait().unwrap().success());
    assert_same(&folder.path("two/run.fold"), &folder.path("one/run.fold"));
}

/// Changes the files of all locations of an archive in place, which their folder does not show.
fn change(folder: &Folder, extension: &str, contents: impl Fn(Vec<u8>) -> Vec<u8>) {
    for entry in fs::read_dir(folder.path("many")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|found| found == extension) {
            fs::write(&path, contents(fs::read(&path).unwrap())).unwrap();
        }
    }
}

/// An archive has several files for each location; each task looks at those of its own locations.
#[test]
fn only_the_first_task_looks_at_all_locations() {
    let folder = Folder::new();
    archive(&folder);
    let shard = |number| format!("convert -q many.otf2 two/run.fold --shard {number}/2");
    fs::create_dir(folder.path("two")).unwrap();
    folder.say(&shard(0)).exits(0);
    change(&folder, "def", |_| b"nonsense".to_vec());
    folder.say("convert -q many.otf2 broken.fold").exits(4);
    folder.say(&shard(1)).exits(0);
    folder.say("join two/run.fold").exits(0);
    assert_joined(&folder.path("two/run.fold"), &folder);
}

#[test]
fn an_archive_that_changes_between_tasks_is_noticed() {
    let folder = Folder::new();
    archive(&folder);
    let shard = |number| format!("convert -q many.otf2 two/run.fold --shard {number}/2");
    fs::create_dir(folder.path("two")).unwrap();
    folder.say(&shard(0)).exits(0);
    change(&folder, "evt", |mut bytes| {
        bytes.push(0);
        bytes
    });
    for option in ["", " --time 0s..1s"] {
        let changed = folder.say(&format!("{}{option}", shard(1))).exits(4);
        assert!(
            changed.stderr.contains("another task"),
            "{}",
            changed.stderr
        );
    }

    folder.write("other.trace", "0 send 1 1 time=1\n1 recv 0 1 time=2\n");
    folder
        .say("convert -q --force other.trace many.otf2")
        .exits(0);
    folder.say(&shard(1)).exits(0);
    let joined = folder.say("join two/run.fold").exits(2);
    assert!(joined.stderr.contains("another input"), "{}", joined.stderr);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let folder = Folder::with("wave-4");
    let refused = |arguments: &str, code, words: &str| {
        let ran = folder.say(arguments).exits(code);
        assert!(ran.stderr.contains(words), "{arguments}: {}", ran.stderr);
    };
    refused("join run.fold", 4, "run.fold has no shards");
    refused(
        "convert wave-4 run.fold --shard 2/2",
        2,
        "write K/N with K from 0 to N-1",
    );
    refused(
        "convert wave-4 run.fold --shard auto",
        2,
        "no launcher has numbered this task",
    );
    refused(
        "convert wave-4 run.trace --shard 0/2",
        2,
        "only a store has shards",
    );
    refused("convert - run.fold --shard 0/2", 2, "standard input");
    refused(
        "convert wave-4 run.fold --shard 0/2 --derive",
        2,
        "a shard has no derived tables",
    );
    folder.say("convert wave-4 whole.fold").exits(0);
    refused(
        "convert whole.fold run.fold --shard 0/2",
        2,
        "a store is converted by one task",
    );
    refused("convert wave-4 whole.fold --shard 0/2", 5, "exists");

    // A task of a launcher does not wait for a folder that cannot be written.
    let mut command = folder.foldtrace("convert wave-4 nowhere/run.fold --shard auto".split(' '));
    command.env("PMI_RANK", "0").env("PMI_SIZE", "2");
    let ran = command.output().unwrap();
    assert_eq!(ran.status.code(), Some(5), "{ran:?}");

    folder.say("convert wave-4 run.fold --shard 0/2").exits(0);
    let second = "convert wave-4 run.fold --shard 1/2 --force";
    for option in [
        "--max-body 9",
        "--archive",
        "--level 9",
        "--time 0s..1s",
        "--repair",
    ] {
        folder.say(&format!("{second} {option}")).exits(0);
        let words = "shard 1/2 is from another input or has other options than shard 0/2";
        refused("join run.fold", 2, words);
        let unforced = second.replace(" --force", "");
        refused(&unforced, 5, "exists");
    }
    folder.say(second).exits(0);
    folder.say("convert wave-4 run.fold --shard 2/3").exits(0);
    refused("join run.fold", 2, "there are shards of 2 and of 3 tasks");
    fs::remove_dir_all(folder.path("run.fold.shards/2-of-3")).unwrap();

    let file = folder.path("run.fold.shards/1-of-2/shard");
    let bytes = fs::read(&file).unwrap();
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&file, damaged).unwrap();
    refused("join run.fold", 4, "the shard is damaged");
    fs::write(&file, &bytes[..30]).unwrap();
    refused("join run.fold", 4, "the shard is damaged");
    fs::write(&file, "foldtrace shard 0.0.1\n").unwrap();
    refused("join run.fold", 4, "another version of foldtrace");
    fs::write(&file, bytes).unwrap();
    folder.say("join run.fold").exits(0);
    folder.say("verify run.fold").exits(0);
    refused("join run.fold", 4, "run.fold has no shards");
}

/// A task was killed when the store was complete, and has left its shards.
#[test]
fn shards_that_are_joined_are_only_removed() {
    let folder = Folder::with("wave-4");
    let shards = folder.path("run.fold.shards");
    for number in [0, 1] {
        let convert = format!("convert wave-4 run.fold --shard {number}/2");
        folder.say(&convert).exits(0);
    }
    let leave = || {
        copy(&folder.path("kept"), &shards);
        note_joined(&folder, "run.fold");
    };
    copy(&shards, &folder.path("kept"));
    folder.say("join run.fold").exits(0);
    leave();
    let again = folder.say("convert wave-4 run.fold --shard 1/2").exits(0);
    assert!(
        again.stderr.contains("shard 1/2 was written before"),
        "{}",
        again.stderr
    );
    let again = folder.say("join run.fold").exits(0);
    assert!(
        again.stderr.contains("the shards were joined before"),
        "{}",
        again.stderr
    );
    assert!(!shards.exists());

    // A new conversion is not mistaken for that of the store.
    leave();
    for number in [0, 1] {
        let convert = format!("convert wave-4 run.fold --level 9 --force --shard {number}/2");
        folder.say(&convert).exits(0);
    }
    folder.say("convert wave-4 other.fold --level 9").exits(0);
    folder.say("join run.fold --force").exits(0);
    let file = "quantity/part-00000.parquet";
    let [found, expected] =
        ["run.fold", "other.fold"].map(|store| fs::read(folder.path(store).join(file)).unwrap());
    assert!(found == expected);
}
