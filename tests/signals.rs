//! Signals in the middle of a conversion: nothing half-written stands at the target, and what stood
//! there before still does.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::common::{Folder, Ran, STORE_COMMANDS};

/// Longer than any of this may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// Moments after the start of writing, in milliseconds.
const MOMENTS: [u64; 4] = [0, 7, 40, 150];

fn send(signal: Signal, child: &Child) {
    kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
}

/// Waits until `is_done`.
fn until(what: &str, mut is_done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < PATIENCE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

fn wait(child: &mut Child) -> ExitStatus {
    let mut status = None;
    until("the command ended", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.contains("partial")
}

/// A conversion of a text that does not end, stopped at `moment` after it began to write.
fn interrupted(folder: &Folder, arguments: &str, signal: Signal, moment: u64) -> (ExitStatus, Ran) {
    let mut child = folder
        .foldtrace(arguments.split_whitespace())
        .env("TMPDIR", folder.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let feeder = thread::spawn(move || {
        let mut lines = String::new();
        for round in 0_u64.. {
            lines.clear();
            for line in 0..200 {
                writeln!(lines, "{} send 1 {} bytes={round}", line % 3, line % 7).unwrap();
            }
            if input.write_all(lines.as_bytes()).is_err() {
                return round;
            }
        }
        0
    });
    until("it began to write", || {
        folder.names().iter().any(|name| is_unfinished(name))
    });
    thread::sleep(Duration::from_millis(moment));
    assert_eq!(
        child.try_wait().unwrap(),
        None,
        "it is not to end by itself"
    );
    send(signal, &child);
    let status = wait(&mut child);
    feeder.join().unwrap();
    (status, child.wait_with_output().unwrap().into())
}

#[test]
fn an_interrupt_leaves_nothing() {
    for (signal, moment) in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]
        .into_iter()
        .flat_map(|signal| MOMENTS.map(|moment| (signal, moment)))
    {
        let folder = Folder::new();
        let (_, ran) = interrupted(&folder, "convert - out.fold", signal, moment);
        let ran = ran.exits(130);
        assert_eq!(ran.stderr, "error: stopped; nothing was written\n");
        assert_eq!(ran.stdout, "");
        assert_eq!(folder.names(), [""; 0], "{signal} after {moment} ms");
    }
}

/// Neither the table nor the store that is on the way to it.
#[test]
fn an_interrupt_leaves_no_table() {
    for table in ["out.parquet", "out.arrow", "out.csv", "out --to pipit"] {
        let folder = Folder::new();
        let arguments = format!("convert - {table}");
        let (_, ran) = interrupted(&folder, &arguments, Signal::SIGINT, MOMENTS[0]);
        let ran = ran.exits(130);
        assert_eq!(ran.stderr, "error: stopped; nothing was written\n");
        assert_eq!(folder.names(), [""; 0], "{table}");
    }
}

#[test]
fn an_interrupt_leaves_no_text() {
    // The first moment is a short one; it is met more than once.
    for moment in [0; 8].into_iter().chain(MOMENTS) {
        let folder = Folder::new();
        let (_, ran) = interrupted(&folder, "convert - out.trace", Signal::SIGINT, moment);
        assert_eq!(folder.names(), [""; 0], "after {moment} ms: {ran:?}");
        ran.exits(130);
    }
}

#[test]
fn an_interrupt_leaves_no_temporary_store() {
    for moment in MOMENTS {
        let folder = Folder::new();
        let (_, ran) = interrupted(&folder, "loops -", Signal::SIGINT, moment);
        let ran = ran.exits(130);
        assert_eq!(ran.stderr, "error: stopped; nothing was written\n");
        assert_eq!(folder.names(), [""; 0], "after {moment} ms");
    }
}

#[test]
fn an_interrupt_leaves_the_old_store() {
    let folder = Folder::with_store("ring-4");
    for moment in MOMENTS {
        let arguments = "convert - ring-4.fold --force";
        let (_, ran) = interrupted(&folder, arguments, Signal::SIGINT, moment);
        ran.exits(130);
        assert_eq!(folder.names(), ["ring-4.fold"]);
        let verified = folder.say("verify ring-4.fold").exits(0);
        assert!(verified.stdout.contains(" 536 events"), "{verified:?}");
    }
}

/// A conversion whose input stalls behind `begins`, which is more than is looked at to recognise the
/// format.
fn stalled(folder: &Folder, begins: &str) -> (Child, ChildStdin) {
    let mut child = folder
        .foldtrace(["convert", "-", "out.fold"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(begins.as_bytes()).unwrap();
    (child, input)
}

/// Whoever holds the other end of the pipe may have stalled; Ctrl-C is the way out.
#[test]
fn an_interrupt_ends_a_conversion_that_waits_for_input() {
    let folder = Folder::new();
    let (mut child, input) = stalled(&folder, &"0 send 1 17\n".repeat(20_000));
    until("it began to write", || {
        folder.names().iter().any(|name| is_unfinished(name))
    });
    thread::sleep(Duration::from_millis(200));
    send(Signal::SIGINT, &child);
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(3) {
        thread::sleep(Duration::from_millis(5));
    }
    let ended = child.try_wait().unwrap();
    drop(input);
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert!(ended.is_some(), "it still waits after 3 s");
    ran.exits(130);
    assert_eq!(folder.names(), [""; 0]);
}

/// Events in any order are sorted before the first of them is there.
#[test]
fn a_signal_ends_the_sorting_of_what_is_opened() {
    let folder = Folder::new();
    let event = r#"{"ph":"i","name":"tick","ts":1,"pid":1,"tid":1}"#;
    let events = format!("[\n{event}{}", format!(",\n{event}").repeat(20_000));
    let (mut child, input) = stalled(&folder, &events);
    assert_eq!(child.try_wait().unwrap(), None, "it waits for more");
    send(Signal::SIGTERM, &child);
    assert_eq!(wait(&mut child).code(), Some(130));
    drop(input);
    assert_eq!(folder.names(), [""; 0]);
}

/// Whether a command has got to where signals do more than to end it.
fn heeds_signals(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]
        .iter()
        .all(|&signal| caught >> (signal as i32 - 1) & 1 == 1)
}

/// Sends a signal to a command that cannot go on, and gives what it left.
fn stuck(folder: &Folder, arguments: &str, signal: Signal, is_stuck: impl Fn() -> bool) -> Ran {
    let mut child = folder
        .foldtrace(arguments.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("it was at work", || {
        assert_eq!(child.try_wait().unwrap(), None, "{arguments} has ended");
        heeds_signals(&child) && is_stuck()
    });
    send(signal, &child);
    wait(&mut child);
    child.wait_with_output().unwrap().into()
}

const STOPPED: &str = "error: stopped; nothing was written\n";

/// Text without a valid line never fills a batch, after which the flag of signals would be looked at.
#[test]
fn a_signal_ends_what_never_gets_to_the_next_batch() {
    for output in [
        "- --to text",
        "out.trace",
        "out.fold",
        "out.csv",
        "out.otf2",
        "out.ti",
        "out/ --to text",
    ] {
        let folder = Folder::new();
        let arguments = format!("convert --from text --salvage /dev/urandom {output}");
        let has_begun = || output.starts_with('-') || !folder.names().is_empty();
        let ran = stuck(&folder, &arguments, Signal::SIGTERM, has_begun).exits(130);
        assert_eq!(ran.stderr, STOPPED, "{output}");
        assert_eq!(folder.names(), [""; 0], "{output}");
    }
}

/// Nobody reads what is printed, so that a command whose output is larger than a pipe stops there.
#[test]
fn a_signal_ends_what_waits_for_a_reader() {
    let folder = Folder::new();
    let calls = 1500;
    let mut text = String::new();
    (0..calls).for_each(|call| writeln!(text, "0 local enter deep_in_{call} time={call}").unwrap());
    (0..calls)
        .rev()
        .for_each(|call| writeln!(text, "0 local leave deep_in_{call} time=9999").unwrap());
    folder.feed("convert - deep.fold", text).exits(0);
    for (command, signal) in [
        ("dag --format folded deep.fold", Signal::SIGTERM),
        ("dag --format json deep.fold", Signal::SIGTERM),
        ("print deep.fold", Signal::SIGINT),
        ("replay deep.fold", Signal::SIGHUP),
        ("convert deep.fold - --to text", Signal::SIGTERM),
    ] {
        let ran = stuck(&folder, command, signal, || true).exits(130);
        assert_eq!(ran.stderr, STOPPED, "{command}");
    }
    assert_eq!(folder.names(), ["deep.fold"]);
}

/// A file that never comes stands for any work that does not end.
#[test]
fn a_signal_ends_every_command() {
    let folder = Folder::with_store("ring-4");
    let manifest = folder.path("ring-4.fold/manifest.json");
    fs::remove_file(&manifest).unwrap();
    for pipe in [&manifest, &folder.path("pipe")] {
        nix::unistd::mkfifo(pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    }
    for command in STORE_COMMANDS {
        let (command, options) = command.split_once(' ').unwrap_or((command, ""));
        let arguments = match command {
            "info" => "info --from text pipe".to_owned(),
            "print" => "print --from text pipe".to_owned(),
            _ => format!("{command} ring-4.fold {options}"),
        };
        let ran = stuck(&folder, &arguments, Signal::SIGTERM, || true);
        assert_eq!(ran.exits(130).stderr, STOPPED, "{command}");
    }
    assert_eq!(folder.names(), ["pipe", "ring-4.fold"]);
}

/// What a killed writer leaves of a file or a folder is removed by the next one, as that of stores is.
#[test]
fn what_a_kill_leaves_is_removed_by_the_next_writer() {
    for (output, ends) in [
        ("out.pftrace", 0),
        ("out.trace", 0),
        ("out/ --to text", 0),
        ("out.csv", 0),
        ("out.json", 0),
        ("out.ti", 3),
        ("out.otf2", 0),
    ] {
        let folder = Folder::new();
        let arguments = format!("convert - {output}");
        let (status, _) = interrupted(&folder, &arguments, Signal::SIGKILL, MOMENTS[0]);
        assert_eq!(status.signal(), Some(9));
        let left = folder.names();
        assert!(left.iter().all(|name| is_unfinished(name)), "{left:?}");
        folder.feed(&arguments, "0 send 1 17\n").exits(ends);
        let names = folder.names();
        assert!(!names.iter().any(|name| name.starts_with('.')), "{names:?}");
    }
}

#[test]
fn a_kill_leaves_no_store() {
    for moment in MOMENTS {
        let folder = Folder::new();
        let (status, _) = interrupted(&folder, "convert - out.fold", Signal::SIGKILL, moment);
        assert_eq!(status.signal(), Some(9));
        let names = folder.names();
        assert!(names.iter().all(|name| is_unfinished(name)), "{names:?}");
        for name in &names {
            assert!(!folder.path(name).join("manifest.json").exists());
        }
        // What was left is in nobody's way.
        folder.feed("convert - out.fold", "0 send 1 17\n").exits(0);
        folder.say("verify out.fold").exits(0);
    }
}

#[test]
fn a_kill_leaves_the_old_store() {
    let folder = Folder::with_store("ring-4");
    for moment in MOMENTS {
        let arguments = "convert - ring-4.fold --force";
        let (status, _) = interrupted(&folder, arguments, Signal::SIGKILL, moment);
        assert_eq!(status.signal(), Some(9));
        let verified = folder.say("verify ring-4.fold").exits(0);
        assert!(verified.stdout.contains(" 536 events"), "{verified:?}");
        // The next conversion is to be seen by its own unfinished folder.
        for name in folder.names().iter().filter(|name| is_unfinished(name)) {
            fs::remove_dir_all(folder.path(name)).unwrap();
        }
    }
}
