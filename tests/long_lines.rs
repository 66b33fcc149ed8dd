//! Long lines: what is written is read back.

use crate::common::Folder;

#[test]
fn names_of_megabytes_come_back() {
    let folder = Folder::new();
    let name = "x".repeat(3 << 20);
    let text = format!("0 local enter {name} time=1\n0 local leave {name} time=2\n");
    folder.feed("convert - run.fold", &text).exits(0);
    for to in ["text", "paje"] {
        folder
            .say(&format!("convert run.fold run.{to} --to {to}"))
            .exits(0);
        folder.say(&format!("convert run.{to} {to}.fold")).exits(0);
        let back = folder
            .say(&format!("convert {to}.fold - --to text"))
            .exits(0);
        assert_eq!(
            back.stdout.matches(name.as_str()).count(),
            text.matches(name.as_str()).count() + 1,
            "{to}"
        );
    }
}
