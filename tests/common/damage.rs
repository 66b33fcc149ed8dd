//! What tests of damage ask of a conversion: that it refuses, or that it keeps what is whole.

use std::fs::OpenOptions;

use crate::common::{Folder, Ran};

/// The name that every conversion is to give.
pub const STORE: &str = "out.fold";

impl Folder {
    /// Converts `input`, which cannot be done: nothing new may be there afterwards.
    #[track_caller]
    pub fn refuses(&self, input: &str) -> String {
        let before = self.names();
        let ran = self.say(&format!("convert {input} {STORE}")).exits(4);
        assert_eq!(ran.stdout, "");
        assert_eq!(self.names(), before, "something was left behind");
        ran.report()
    }

    /// The same, where `--salvage` cannot help either.
    #[track_caller]
    pub fn refuses_altogether(&self, input: &str) -> String {
        let report = self.refuses(input);
        assert_eq!(self.refuses(&format!("{input} --salvage")), report);
        report
    }

    /// Salvages `input`, which loses something: the store is whole in itself and has `events`.
    #[track_caller]
    pub fn salvages(&self, input: &str, events: u64) -> String {
        let ran = self.say(&format!("convert {input} {STORE} --salvage"));
        self.keeps(ran.exits(3), events)
    }

    /// What a conversion has said that gave a store with `events`.
    #[track_caller]
    pub fn keeps(&self, ran: Ran, events: u64) -> String {
        assert_eq!(ran.stdout, "");
        let hidden: Vec<_> = self.names();
        assert!(
            !hidden.iter().any(|name| name.starts_with('.')),
            "{hidden:?}"
        );
        self.say(&format!("verify {STORE}")).exits(0);
        let info = self.say(&format!("info --json {STORE}")).exits(0).json();
        assert_eq!(info["events"], events, "{}", ran.stderr);
        ran.report()
    }

    /// Truncates a file to `bytes`.
    pub fn truncate(&self, file: &str, bytes: u64) {
        let file = OpenOptions::new().write(true).open(self.path(file));
        file.unwrap().set_len(bytes).unwrap();
    }
}
