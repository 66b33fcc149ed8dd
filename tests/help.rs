//! What the command says of itself: help, formats, completions, manual.

use std::fs;

use crate::common::{FOLDTRACE, Folder};

const SUBCOMMANDS: [&str; 29] = [
    "convert",
    "derive",
    "join",
    "info",
    "print",
    "verify",
    "loops",
    "replay",
    "predict",
    "dag",
    "patterns",
    "filter",
    "profile",
    "waits",
    "critical",
    "efficiency",
    "compare",
    "matrix",
    "extract",
    "skeleton",
    "steps",
    "topology",
    "logical",
    "report",
    "view",
    "formats",
    "completions",
    "man",
    "help",
];

#[test]
fn help_of_the_command() {
    let ran = Folder::new().say("--help").exits(0);
    assert_eq!(ran.stderr, "");
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn help_of_each_subcommand() {
    let folder = Folder::new();
    for subcommand in SUBCOMMANDS {
        let ran = folder.say(&format!("{subcommand} --help")).exits(0);
        assert_eq!(ran.stderr, "");
        insta::assert_snapshot!(format!("help_of_{subcommand}"), ran.stdout);
    }
}

#[test]
fn every_subcommand_of_the_help_is_pinned() {
    let help = Folder::new().say("--help").stdout;
    let listed = help
        .lines()
        .skip_while(|line| *line != "Traces and stores:")
        .take_while(|line| *line != "Options:")
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    let mut listed: Vec<&str> = listed.collect();
    listed.sort_unstable();
    let mut pinned = SUBCOMMANDS;
    pinned.sort_unstable();
    assert_eq!(listed, pinned);
}

#[test]
fn without_arguments_the_help_is_a_usage_error() {
    let ran = Folder::new().say("").exits(2);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("Usage: foldtrace"), "{ran:?}");
}

#[test]
fn help_has_help_of_its_own() {
    let folder = Folder::new();
    let own = folder.say("help --help").exits(0);
    assert!(own.stdout.contains("Usage: foldtrace help"), "{own:?}");
    assert_eq!(folder.say("help help").exits(0).stdout, own.stdout);
    for subcommand in SUBCOMMANDS {
        let asked = folder.say(&format!("help {subcommand}")).exits(0);
        let expected = folder.say(&format!("{subcommand} --help")).exits(0);
        assert_eq!(asked.stdout, expected.stdout);
    }
    let whole = folder.say("help").exits(0).stdout;
    assert_eq!(whole, folder.say("--help").exits(0).stdout);
    let unknown = folder.say("help lops").exits(2).stderr;
    assert!(
        unknown.contains("'lops'") && unknown.contains("'loops'"),
        "{unknown}"
    );
}

#[test]
fn version() {
    let ran = Folder::new().say("--version").exits(0);
    let expected = format!("foldtrace {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(ran.stdout, expected);
}

#[test]
fn formats() {
    let ran = Folder::new().say("formats").exits(0);
    let lines: Vec<_> = ran.stdout.lines().map(str::trim_end).collect();
    assert_eq!(lines.len(), 20, "a header, and a line a format");
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn formats_for_programs() {
    let formats = Folder::new().say("formats --json").exits(0).json();
    let formats = formats.as_array().unwrap();
    let named: Vec<_> = formats
        .iter()
        .map(|f| (f["name"].as_str().unwrap(), f["reads"].as_bool().unwrap()))
        .collect();
    let read = [
        "fold",
        "otf2",
        "mtf",
        "kineto",
        "chrome",
        "paraver",
        "text",
        "paje",
        "ti",
        "otf2-print",
        "perfetto",
        "nsight",
        "rocpd",
        "ctf",
        "ctf2",
    ];
    let read = read.map(|name| (name, true));
    let only_written = ["parquet", "arrow", "csv", "pipit"].map(|name| (name, false));
    assert_eq!(named, [&read[..], &only_written[..]].concat());
}

#[test]
fn completions_name_every_subcommand() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.say(&format!("completions {shell}")).exits(0).stdout;
        for subcommand in SUBCOMMANDS {
            assert!(script.contains(subcommand), "{shell}: {subcommand}");
        }
    }
}

#[test]
fn bash_accepts_its_completions() {
    let folder = Folder::new();
    folder.write("script", folder.say("completions bash").stdout);
    let output = folder
        .command("bash")
        .args(["-n", "script"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

/// Bash itself is asked what it would offer.
#[test]
fn bash_completes_a_subcommand() {
    let folder = Folder::new();
    folder.write("script", folder.say("completions bash").stdout);
    let ask = "source ./script; COMP_WORDS=(foldtrace ver); COMP_CWORD=1; \
               _foldtrace foldtrace ver foldtrace; echo \"${COMPREPLY[@]}\"";
    let output = folder
        .command("bash")
        .args(["--norc", "-c", ask])
        .env("PATH", path_with_foldtrace())
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "verify\n",
        "{:?}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn path_with_foldtrace() -> String {
    let folder = std::path::Path::new(FOLDTRACE).parent().unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

#[test]
fn the_manual_page_names_every_subcommand() {
    let page = Folder::new().say("man").exits(0).stdout;
    assert!(page.contains(".TH foldtrace 1"), "{page}");
    for subcommand in SUBCOMMANDS {
        let name = format!("foldtrace\\-{subcommand}(1)");
        assert!(page.contains(&name), "{name} is not in\n{page}");
    }
}

#[test]
fn the_manual_of_each_subcommand_goes_to_a_folder() {
    let folder = Folder::new();
    let ran = folder.say("man share/man1").exits(0);
    assert_eq!(ran.stdout, "");
    for subcommand in SUBCOMMANDS {
        let path = folder.path(format!("share/man1/foldtrace-{subcommand}.1"));
        let page = fs::read_to_string(&path).unwrap();
        assert!(page.contains(".SH OPTIONS"), "{subcommand}");
    }
    assert!(folder.path("share/man1/foldtrace.1").is_file());
}
