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
    let mut tell = |severity, key, count: u64, message: String| {
        if count > 0 {
            diagnostics.report_many(Diagnostic::new(severity, key, message), count);
        }
    };
    let (sends, receives) = shared.lanes.unmatched();
    let rebuilt: u64 = shared.lanes.all.iter().map(|lane| lane.rebuilt).sum();
    let lost = unknown.iter().sum::<u64>() - rebuilt;
    tell(
        Severity::Loss,
        "ti.unmatched",
        sends + receives + lost,
        format!(
            "left out, having no other end: {sends} sends, {} receives",
            receives + lost
        ),
    );
    tell(
        Severity::Warning,
        "ti.rebuilt",
        rebuilt,
        format!(
            "{rebuilt} receives that the trace does not end were given messages that were sent to \
             their ranks by then"
        ),
    );
    tell(
        Severity::Warning,
        "ti.unknown_size",
        sizeless,
        "messages of unknown size were written as empty ones".to_owned(),
    );
    tell(
        Severity::Note,
        "ti.renamed_tag",
        shared.lanes.renamed,
        "tags of other communicators were replaced by unused ones".to_owned(),
    );
    tell(
        Severity::Note,
        "ti.not_waited_for",
        not_waited_for,
        "requests open beside one of the same ranks and tag are not waited for, as a replay \
         cannot tell them apart"
            .to_owned(),
    );
    let uneven = shared.collectives.iter().filter(|one| one.is_uneven());
    tell(
        Severity::Warning,
        "ti.evened",
        uneven.count() as u64,
        "collective operations of uneven parts were written with even ones; the trace has the sums"
            .to_owned(),
    );
    diagnostics
}
