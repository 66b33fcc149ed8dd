//! Defines the option `--events`.

use clap::ValueEnum;
use foldtrace_fold::Selection;

/// The events that a model describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Events {
    /// Every event.
    All,
    /// Sends, completed receives, and one event per collective operation.
    Comm,
}

impl Events {
    /// Returns the selection of events.
    #[must_use]
    pub const fn selection(self) -> Selection {
        match self {
            Self::All => Selection::All,
            Self::Comm => Selection::Communication,
        }
    }
}
