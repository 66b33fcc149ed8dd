//! Names with control characters: no terminal obeys them, and pictures stay well-formed.

use crate::common::{Folder, STORE_COMMANDS};

/// A store with such a region, called again and again, and a message.
fn odd() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("#: string id=1 \"bell\\u{7}esc\\u{1b}[31mnul\\u{0}end\"\n");
    text += "#: region id=1 name=1\n";
    for time in 0..20 {
        text += &format!(
            "0 local enter region=1 time={}\n0 send 1 17 time={0} bytes=8\n",
            10 * time
        );
        text += &format!(
            "0 local leave region=1 time={}\n1 recv 0 17 time={0} bytes=8\n",
            10 * time + 5
        );
    }
    folder.feed("convert - odd.fold", text).exits(0);
    folder
}

fn controls(text: &str) -> String {
    let is_odd = |c: &char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    text.chars().filter(is_odd).collect()
}

#[test]
fn nothing_that_is_printed_has_control_characters() {
    let folder = odd();
    let more = [
        "dag --format folded",
        "dag --format dot",
        "dag --json",
        "patterns --json",
        "loops --global",
        "loops --global --format svg",
        "steps --json",
    ];
    for command in STORE_COMMANDS.into_iter().chain(more) {
        let (command, options) = command.split_once(' ').unwrap_or((command, ""));
        let ran = folder.say(&format!("{command} odd.fold {options}"));
        assert_eq!(controls(&ran.stdout), "", "{command} {options}");
        assert_eq!(controls(&ran.stderr), "", "{command} {options}");
    }
    let shown = folder.say("dag odd.fold").exits(0).stdout;
    assert!(shown.contains("esc\\u{1b}[31m"), "{shown}");
}
