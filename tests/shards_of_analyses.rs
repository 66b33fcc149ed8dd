//! Finding wait states and steps by several tasks: whatever their number, the last one shows what a single task shows.
//!
//! These runs have one stage, because a stage has a million events. The tests of the analyses divide small ones.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::mpi::mpirun;
use crate::common::{FOLDTRACE, Folder, example};

const ANALYSES: [&str; 2] = ["waits", "steps"];

#[test]
fn the_task_that_ends_last_shows_what_one_task_shows() {
    for analysis in ANALYSES {
        let folder = Folder::with_store("wave-4");
        let table = |name: &str| fs::read(folder.path(name)).unwrap();
        let command = format!("{analysis} wave-4.fold --table one.parquet");
        let one = folder.say(&command).exits(0);
        assert!(one.stdout.lines().count() > 5, "{}", one.stdout);
        for of in [1, 3] {
            let command = format!("{analysis} wave-4.fold --table many.parquet --shard");
            for number in (1..of).rev() {
                let ran = folder.say(&format!("{command} {number}/{of}")).exits(0);
                assert_eq!(ran.stdout, "");
                let written = format!("shard {number}/{of} is written");
                assert!(ran.stderr.contains(&written), "{}", ran.stderr);
            }
            let ran = folder.say(&format!("{command} 0/{of}")).exits(0);
            assert_eq!(ran.stdout, one.stdout);
            assert!(
                table("many.parquet") == table("one.parquet"),
                "{analysis}: the tables differ"
            );
            fs::remove_file(folder.path("many.parquet")).unwrap();
            assert!(!folder.path("wave-4.fold.shards").exists());
        }
    }
}

#[test]
fn tasks_of_mpirun_show_what_one_task_shows() {
    let folder = Folder::with_store("wave-4");
    for (analysis, tasks) in ANALYSES
        .into_iter()
        .flat_map(|it| [1, 2, 4, 7].map(|of| (it, of)))
    {
        let one = folder
            .say(&format!("{analysis} wave-4.fold --json"))
            .exits(0);
        let command =
            format!("{FOLDTRACE} {analysis} -q wave-4.fold --json --shard auto -o many.json");
        let ran = mpirun(&folder, tasks, &command);
        assert!(ran.status.success(), "{ran:?}");
        let many = fs::read_to_string(folder.path("many.json")).unwrap();
        assert_eq!(many, one.stdout, "{analysis} by {tasks} tasks");
        fs::remove_file(folder.path("many.json")).unwrap();
        assert!(!folder.path("wave-4.fold.shards").exists());
    }
}

#[test]
fn a_task_that_searches_is_killed_at_twenty_moments() {
    let folder = Folder::with_store("wave-4");
    let one = folder.say("waits wave-4.fold").exits(0);
    let shard = |number| format!("waits -q wave-4.fold --shard {number}/2 -o many.txt");
    let start = Instant::now();
    folder.say(&shard(1)).exits(0);
    let whole = start.elapsed();
    let mut rng = fastrand::Rng::new();
    let shown = |folder: &Folder| fs::read_to_string(folder.path("many.txt")).ok();
    for _ in 0..20 {
        let arguments = shard(0);
        let mut child = folder.foldtrace(arguments.split(' ')).spawn().unwrap();
        thread::sleep(Duration::from_secs_f64(rng.f64() * whole.as_secs_f64()));
        child.kill().unwrap();
        child.wait().unwrap();
        folder.say("verify -q wave-4.fold").exits(0);
        if let Some(shown) = shown(&folder) {
            // It was killed too late, or between showing and removing the shards.
            assert_eq!(shown, one.stdout);
            fs::remove_file(folder.path("many.txt")).unwrap();
        }
        folder.say(&shard(1)).exits(0);
        if let Some(shown) = shown(&folder) {
            assert_eq!(shown, one.stdout);
            fs::remove_file(folder.path("many.txt")).unwrap();
            folder.say(&shard(1)).exits(0);
        }
    }
    folder.say(&shard(0)).exits(0);
    assert_eq!(shown(&folder), Some(one.stdout));
    assert!(!folder.path("wave-4.fold.shards").exists());
}

#[test]
fn shards_of_analyses_that_do_not_belong_together_are_refused() {
    let folder = Folder::with_store("wave-4");
    let refused = |arguments: &str, code, words: &str| {
        let ran = folder.say(arguments).exits(code);
        assert!(ran.stderr.contains(words), "{arguments}: {}", ran.stderr);
    };
    refused(
        "steps wave-4.fold --shard 0/2 -o steps.svg",
        2,
        "pictures are drawn by one task",
    );
    refused(
        "steps wave-4.fold --shard 0/2 --leaps",
        2,
        "cannot be used with",
    );
    refused(
        "steps wave-4.fold --shard 0/2 --memory 64M",
        2,
        "cannot be used with",
    );
    refused(
        "waits wave-4.fold --shard auto",
        2,
        "no launcher has numbered this task",
    );
    let trace = example("wave-4");
    let of_trace = format!("waits {} --shard 0/2", trace.display());
    refused(&of_trace, 2, "several tasks analyse a store");
    folder.say("waits wave-4.fold --shard 0/2").exits(0);
    refused(
        "join wave-4.fold",
        2,
        "'foldtrace waits wave-4.fold --shard K/N' shows them",
    );
    refused(
        "derive wave-4.fold --shard 0/2",
        2,
        "search for wait states",
    );
    refused(
        "waits wave-4.fold --shard 1/2 --clock none",
        2,
        "has other options than shard 0/2",
    );
    folder.say("waits wave-4.fold --shard 1/2 --force").exits(0);
}
