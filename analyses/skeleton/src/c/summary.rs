//! Summarizes how much of the trace a skeleton keeps.

use foldtrace_view::units::grouped;

use crate::{Sending, Skeleton};

/// The columns of [`sent_rows`].
pub const SENT_COLUMNS: [&str; 4] = ["direction", "recorded", "asked for", "in the skeleton"];

/// Returns a summary of a skeleton in one line.
#[must_use]
pub fn headline(skeleton: &Skeleton) -> String {
    let sending = match skeleton.sending {
        Sending::Blocking => "by MPI_Send",
        Sending::Waiting => "by MPI_Isend, completed with each loop body",
        Sending::Free => "by MPI_Isend, completed at the end",
    };
    let (recorded, kept) = skeleton.sent.iter().fold((0, 0), |(recorded, kept), sent| {
        (recorded + sent.recorded, kept + sent.kept)
    });
    format!(
        "{}: {} s; {} of {} messages, sent {sending}; computation scaled by {:.3} in addition to loops",
        skeleton.topology.name,
        seconds(skeleton.seconds),
        grouped(kept),
        grouped(recorded),
        skeleton.stretch,
    )
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.3}")
}

/// Returns a row for each direction in which messages are sent: the number of messages of the trace, the requested
/// fraction of them, and the number of messages of the skeleton.
#[must_use]
pub fn sent_rows(skeleton: &Skeleton) -> Vec<Vec<String>> {
    let directions = skeleton.topology.directions.iter().zip(&skeleton.sent);
    let used = directions.filter(|(_, sent)| sent.recorded > 0);
    let rows = used.map(|(direction, sent)| {
        vec![
            direction.name(),
            grouped(sent.recorded),
            grouped((skeleton.scale * sent.recorded as f64).round() as u64),
            grouped(sent.kept),
        ]
    });
    rows.collect()
}
