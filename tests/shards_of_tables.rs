//! Deriving by several tasks: whatever their number, the store is that of a single task, byte by byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use foldtrace::convert::{ConvertOptions, Progress, to_store};
use foldtrace::derive::{Request, derive, join, to_shard};
use foldtrace::store::{Derived, Origin, ShardId, Source};
use foldtrace::trace::ReadOptions;
use proptest::prelude::*;

use crate::common::mpi::mpirun;
use crate::common::{FOLDTRACE, Folder, assert_same, example, note_joined};
use crate::derive::message_event;

/// Converts a trace to stores in two folders; the views of a store have its name. Each stream is a part.
fn two_stores(folder: &Folder, trace: &Path) -> [PathBuf; 2] {
    ["one", "many"].map(|name| {
        let store = folder.path(name).join("run.fold");
        fs::create_dir_all(store.parent().unwrap()).unwrap();
        let options = ReadOptions::whole(true);
        let format = trace.extension().map(|_| "text");
        let opened = foldtrace::formats::open(trace, format, &options, &Arc::default()).unwrap();
        let origin = Origin::trace(Source {
            format: "any".to_owned(),
            name: "run".to_owned(),
        });
        let options = ConvertOptions {
            part_bytes: 1,
            salvage: true,
            ..ConvertOptions::default()
        };
        to_store(
            &*opened.reader,
            &origin,
            &store,
            &options,
            &Progress::default(),
        )
        .unwrap();
        store
    })
}

/// Derives `tables` by one task, and by `of` tasks, and compares the stores.
fn check_tables([one, many]: &[PathBuf; 2], tables: &[Derived], of: u32) {
    let request = Request {
        events_per_group: 1,
        ..Request::new(tables)
    };
    let progress = Progress::default();
    let expected = derive(one, request, &progress).unwrap();
    for number in (0..of).rev() {
        let shard = ShardId::new(number, of).unwrap();
        to_shard(many, request, shard, false, &progress).unwrap();
    }
    let joined = join(many, &progress).unwrap();
    assert_same(many, one);
    assert_eq!(joined.rows, expected.rows);
    assert_eq!(joined.diagnostics, expected.diagnostics);
    assert_eq!(joined.tables, expected.tables);
    let left = fs::read_dir(many.parent().unwrap()).unwrap();
    assert_eq!(left.count(), 1, "the shards are gone");
}

#[test]
fn any_number_of_shards_makes_the_tables_of_one_task() {
    let folder = Folder::new();
    // Times, and what is derived of them, need 64 bits; a location has no events.
    let text = "\
region main
0 send 1 7 bytes=18446744073709551615 time=3
3 local enter main time=9223372036854775809
0 recv 1 7 time=9
1 send 3 7 bytes=1 time=9223372036854775810
3 recv 1 7 bytes=1 time=9223372036854775811
3 local leave main time=18446744073709551614
";
    folder.write("odd.trace", text);
    folder.write("empty.trace", "");
    // Messages that probes have taken are never received, with a message to another process between them.
    let text = "\
0 send 2 9 time=1
0 send 1 7 time=2
1 local mpi_probe peer=0 communicator=0 tag=7 value=0 time=3
0 recv 2 9 time=4
0 send 1 7 time=5
1 local mpi_probe peer=0 communicator=0 tag=7 value=1 time=6
";
    folder.write("taken.trace", text);
    let traces = [
        example("wave-4"),
        example("vcycle-4"),
        folder.path("odd.trace"),
        folder.path("empty.trace"),
        folder.path("taken.trace"),
    ];
    for trace in traces {
        for of in [1, 2, 3, 7] {
            let around = Folder::new();
            check_tables(&two_stores(&around, &trace), &Derived::ALL, of);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Messages come in the same order, whatever becomes of requests and probes; so do more problems than are kept.
    #[test]
    fn shards_of_messages_make_the_table_of_one_task(
        events in prop::collection::vec(message_event(5), 0..700),
        of in 1_u32..5,
    ) {
        let folder = Folder::new();
        let lines = events.iter().enumerate().map(|(time, event)| format!("{event} time={time}\n"));
        folder.write("run.trace", lines.collect::<String>());
        let stores = two_stores(&folder, &folder.path("run.trace"));
        check_tables(&stores, &[Derived::Calls, Derived::Messages, Derived::Collectives], of);
    }
}

/// Writes a store with several parts to two folders.
fn store(folder: &Folder) {
    let mut trace = String::new();
    for rank in 0..60 {
        for turn in 0..600 {
            let (to, time) = ((rank + 1) % 60, 100 * turn + rank);
            trace += &format!("{rank} local enter work time={time}\n");
            trace += &format!("{rank} send {to} {turn} bytes={rank} time={}\n", time + 1);
            trace += &format!("{rank} local leave work time={}\n", time + 2);
        }
    }
    folder.write("many.trace", trace);
    folder.say("convert -q many.trace many.otf2").exits(0);
    for name in ["one", "two"] {
        fs::create_dir(folder.path(name)).unwrap();
        let convert = format!("convert -q many.otf2 {name}/run.fold");
        folder.say(&convert).exits(0);
    }
    let parts = fs::read_dir(folder.path("one/run.fold/topology")).unwrap();
    assert!(parts.count() >= 2);
}

/// The tasks of a real launcher, the last of which joins the shards.
#[test]
fn tasks_of_mpirun_derive_the_tables_of_one_task() {
    let folder = Folder::new();
    store(&folder);
    folder.say("derive one/run.fold").exits(0);
    for tasks in [1, 2, 4, 7] {
        let command = format!("{FOLDTRACE} derive -q two/run.fold --shard auto");
        let ran = mpirun(&folder, tasks, &command);
        assert!(ran.status.success(), "{ran:?}");
        assert_same(&folder.path("two/run.fold"), &folder.path("one/run.fold"));
        assert!(!folder.path("two/run.fold.shards").exists());
    }
}

/// A task that is killed is run again alone. The store is whole at any moment.
#[test]
fn a_task_that_derives_is_killed_at_twenty_moments() {
    let folder = Folder::new();
    store(&folder);
    folder.say("derive one/run.fold messages timeline").exits(0);
    let shard = |number| format!("derive -q two/run.fold messages timeline --shard {number}/2");
    let start = Instant::now();
    folder.say(&shard(1)).exits(0);
    let whole = start.elapsed();
    let mut rng = fastrand::Rng::new();
    let mut ended = 0;
    for moment in 0..20 {
        // The second half of the moments is in joining the shards.
        let arguments = if moment < 10 {
            shard(0)
        } else {
            folder.say(&shard(0)).exits(0);
            folder.say(&shard(1)).exits(0);
            "join -q two/run.fold".to_owned()
        };
        let mut child = folder.foldtrace(arguments.split(' ')).spawn().unwrap();
        thread::sleep(Duration::from_secs_f64(rng.f64() * whole.as_secs_f64()));
        child.kill().unwrap();
        ended += u32::from(child.wait().unwrap().success());
        folder.say("verify -q two/run.fold").exits(0);
        if moment >= 10 && folder.path("two/run.fold.shards").exists() {
            folder.say("join -q two/run.fold").exits(0);
            assert_same(&folder.path("two/run.fold"), &folder.path("one/run.fold"));
        }
    }
    assert!(ended < 20, "no task was killed");
    folder.say(&shard(0)).exits(0);
    folder.say(&shard(1)).exits(0);
    folder.say("join -q two/run.fold").exits(0);
    assert_same(&folder.path("two/run.fold"), &folder.path("one/run.fold"));
}

#[test]
fn shards_of_tables_that_do_not_belong_together_are_refused() {
    let folder = Folder::with_store("wave-4");
    let refused = |arguments: &str, code, words: &str| {
        let ran = folder.say(arguments).exits(code);
        assert!(ran.stderr.contains(words), "{arguments}: {}", ran.stderr);
    };
    refused(
        "derive wave-4.fold --shard 2/2",
        2,
        "write K/N with K from 0 to N-1",
    );
    refused(
        "derive wave-4.fold --shard auto",
        2,
        "no launcher has numbered this task",
    );
    refused("derive wave-4.fold --force", 2, "--shard");
    refused(
        "derive s3://bucket/wave-4.fold --shard 0/2",
        2,
        "object store",
    );
    folder.write("send.pattern", "pattern send\n  MPI_Send\n");
    refused(
        "derive wave-4.fold dag --pattern send.pattern --shard 0/2",
        2,
        "found by one task",
    );
    folder.say("derive wave-4.fold --shard 0/2").exits(0);
    refused(
        "join wave-4.fold",
        4,
        "'foldtrace derive wave-4.fold TABLES --shard 1/2' writes the first of them",
    );
    folder.say("derive wave-4.fold calls --shard 1/2").exits(0);
    refused("join wave-4.fold", 2, "has other options than shard 0/2");
    refused("derive wave-4.fold --shard 1/2", 5, "exists");
    folder
        .say("derive wave-4.fold --shard 1/2 --force")
        .exits(0);

    // What a shard keeps of its locations is checked before it is decoded.
    let kept =
        ["0-of-2", "1-of-2"].map(|shard| folder.path(format!("wave-4.fold.shards/{shard}/.trees")));
    let kept = kept
        .into_iter()
        .max_by_key(|path| fs::metadata(path).unwrap().len())
        .unwrap();
    let bytes = fs::read(&kept).unwrap();
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 0x7f;
    fs::write(&kept, damaged).unwrap();
    refused("join wave-4.fold", 4, "the shard is damaged at location");
    fs::write(&kept, &bytes[..3]).unwrap();
    refused("join wave-4.fold", 4, "cannot read");
    fs::write(&kept, bytes).unwrap();

    // The store is not that of the shards any more.
    folder.say("derive wave-4.fold calls").exits(0);
    refused(
        "join wave-4.fold",
        2,
        "the shards are of another store, or it has been changed since",
    );
    for number in [0, 1] {
        folder
            .say(&format!("derive wave-4.fold --shard {number}/2 --force"))
            .exits(0);
    }
    folder.say("join wave-4.fold/").exits(0);
    folder.say("verify wave-4.fold").exits(0);
    refused("join wave-4.fold", 4, "wave-4.fold has no shards");

    // A task that was killed when the store was complete has left its shards.
    for number in [0, 1] {
        folder
            .say(&format!("derive wave-4.fold calls --shard {number}/2"))
            .exits(0);
    }
    folder.say("derive wave-4.fold calls").exits(0);
    note_joined(&folder, "wave-4.fold");
    let again = folder.say("derive wave-4.fold calls --shard 1/2").exits(0);
    assert!(
        again.stderr.contains("shard 1/2 was written before"),
        "{}",
        again.stderr
    );
    let again = folder.say("join wave-4.fold").exits(0);
    assert!(
        again.stderr.contains("the shards were joined before"),
        "{}",
        again.stderr
    );
    assert!(!folder.path("wave-4.fold.shards").exists());

    // Both kinds of shards have the same folder.
    folder.say("derive wave-4.fold --shard 0/2").exits(0);
    let otf2 = example("wave-4");
    let convert = format!("convert {} wave-4.fold --shard 1/2 --force", otf2.display());
    folder.say(&convert).exits(0);
    refused("join wave-4.fold", 2, "is a shard of a");
}
