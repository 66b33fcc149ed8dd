//! What a person sees in a terminal: tables that fit, and colours where they are welcome.

use std::fs::File;
use std::io::Read;
use std::process::Stdio;
use std::thread;

use nix::pty::{Winsize, openpty};
use regex::Regex;

use crate::common::{Folder, Ran};

/// What a command shows in a terminal of so many columns, standard error included.
fn show(folder: &Folder, arguments: &str, width: u16, variables: &[(&str, &str)]) -> String {
    let size = Winsize {
        ws_row: 24,
        ws_col: width,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let terminal = openpty(Some(&size), None).unwrap();
    let mut command = folder.foldtrace(arguments.split_whitespace());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm-256color");
    command.envs(variables.iter().copied());
    command.stdout(Stdio::from(terminal.slave.try_clone().unwrap()));
    command.stderr(Stdio::from(terminal.slave));
    let mut child = command.spawn().unwrap();
    // Its ends of the terminal would keep the other one open.
    drop(command);
    let mut master = File::from(terminal.master);
    let reader = thread::spawn(move || {
        let mut shown = Vec::new();
        let mut chunk = [0; 4096];
        // When the last writer is gone, reading is an error.
        while let Ok(count @ 1..) = master.read(&mut chunk) {
            shown.extend_from_slice(&chunk[..count]);
        }
        shown
    });
    child.wait().unwrap();
    String::from_utf8(reader.join().unwrap()).unwrap()
}

fn without_colours(shown: &str) -> String {
    let escapes = Regex::new("\x1b\\[[0-9;?]*[a-zA-Z]").unwrap();
    escapes.replace_all(shown, "").replace('\r', "")
}

const COMMANDS: [&str; 10] = [
    "patterns tree-4.fold",
    "filter tree-4.fold",
    "formats",
    "matrix tree-4.fold --bytes",
    "info tree-4.fold",
    "steps tree-4.fold",
    "topology tree-4.fold",
    "loops tree-4.fold --main",
    "dag tree-4.fold --compaction",
    "predict tree-4.fold",
];

#[test]
fn tables_fit_the_terminal() {
    let folder = Folder::with_store("tree-4");
    for command in COMMANDS {
        for width in [80, 120] {
            let shown = without_colours(&show(&folder, command, width, &[]));
            assert!(shown.lines().count() > 2, "{command}: {shown}");
            for line in shown.lines() {
                let columns = line.trim_end().chars().count();
                assert!(columns <= usize::from(width), "{command}, {width}: {shown}");
            }
        }
    }
}

#[test]
fn columns_that_do_not_fit_are_named() {
    let folder = Folder::with_store("tree-4");
    let shown = without_colours(&show(&folder, "patterns tree-4.fold", 80, &[]));
    assert!(shown.contains(" no room for: "), "{shown}");
    let piped: Ran = folder.say("patterns tree-4.fold").exits(0);
    assert!(!piped.stdout.contains("no room for"), "{piped:?}");
    assert!(piped.stdout.contains("main pattern"), "{piped:?}");
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let folder = Folder::with_store("tree-4");
    let command = "patterns tree-4.fold";
    let colour = Regex::new("\x1b\\[[0-9;]*m").unwrap();
    assert!(colour.is_match(&show(&folder, command, 100, &[])));
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CLICOLOR", "0")] {
        let shown = show(&folder, command, 100, &[variable]);
        assert!(!colour.is_match(&shown), "{variable:?}: {shown:?}");
    }
    let piped = folder.say(command).exits(0);
    assert!(!piped.stdout.contains('\x1b'), "{piped:?}");
    let failed = show(&folder, "loops nothing.fold", 100, &[]);
    assert!(
        failed.contains("\x1b[1m\x1b[31merror:\x1b[0m "),
        "{failed:?}"
    );
    let failed = folder.say("loops nothing.fold").exits(4);
    assert!(failed.stderr.starts_with("error: "), "{failed:?}");
}

#[test]
fn diagnostics_take_two_lines() {
    let folder = Folder::with("ring-4");
    let shown = without_colours(&show(&folder, "convert ring-4 ring.fold", 80, &[]));
    // What comes before is the bar of progress, which is drawn over.
    let begin = shown.find("note  ").unwrap_or_default();
    let shown = &shown[begin..];
    assert!(shown.contains("rank 0, thread 0 (location 0)"), "{shown}");
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{shown}");
    }
    let continued = shown.lines().collect::<Vec<_>>();
    let is_third = |lines: &[&str]| lines.iter().all(|line| line.starts_with("         "));
    assert!(!continued.windows(2).any(is_third), "{shown}");
}
