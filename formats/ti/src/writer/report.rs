//! Reports differences between the output and the trace.

use foldtrace_trace::{Diagnostic, Diagnostics, Severity};

use super::lines::Shared;

/// Reports data that was left out or reconstructed. `unknown` is the number of receives of each rank whose message
/// the trace does not specify, `sizeless` the number of sends whose size the trace does not specify.
pub(crate) fn report(
    shared: &Shared<'_>,
    unknown: &[u64],
    sizeless: u64,
    not_waited_for: u64,
) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let mut add = |severity, key, count: u64, message: String| {
        if count > 0 {
            diagnostics.report_many(Diagnostic::new(severity, key, message), count);
        }
    };
    let (sends, receives) = shared.lanes.unmatched();
    let rebuilt: u64 = shared.lanes.all.iter().map(|lane| lane.rebuilt).sum();
    let lost = unknown.iter().sum::<u64>() - rebuilt;
    add(
        Severity::Loss,
        "ti.unmatched",
        sends + receives + lost,
        format!(
            "left out because they have no other end: {sends} sends, {} receives",
            receives + lost
        ),
    );
    add(
        Severity::Warning,
        "ti.rebuilt",
        rebuilt,
        format!(
            "{rebuilt} receives without a recorded end were assigned messages that had been sent to \
             their ranks"
        ),
    );
    add(
        Severity::Warning,
        "ti.unknown_size",
        sizeless,
        "messages of unknown size were written as empty messages".to_owned(),
    );
    add(
        Severity::Note,
        "ti.renamed_tag",
        shared.lanes.renamed,
        "tags that a replay cannot read or distinguish were replaced by unused tags".to_owned(),
    );
    add(
        Severity::Note,
        "ti.not_waited_for",
        not_waited_for,
        "requests are not waited for, because a replay cannot distinguish them from other open \
         requests with the same ranks and tag"
            .to_owned(),
    );
    let uneven = shared
        .collectives
        .iter()
        .filter(|collective| collective.is_uneven());
    add(
        Severity::Warning,
        "ti.evened",
        uneven.count() as u64,
        "collective operations with parts of different sizes were written with equal parts, \
         because the trace contains only the sums"
            .to_owned(),
    );
    diagnostics
}
