//! Explains the symbols of the picture for first-time readers.

use std::collections::BTreeMap;

use foldtrace_view::legend::Legend;

use super::layout::{Fate, Layout};
use super::style;

/// Width of a symbol.
const SIGN: f64 = 28.0;
/// Maximum number of tags that are listed.
const TAGS: usize = 14;

/// The tag of a message; `None` for messages without a tag, and for processes whose messages have too many tags to be
/// distinguished.
pub(super) type Tag = Option<u64>;

/// Returns the legend of the symbols that occur in a picture.
pub(super) fn legend(layout: &Layout, tags: &BTreeMap<Tag, usize>) -> Legend {
    let mut legend = Legend::default();
    legend.sign(
        SIGN,
        "<path class=\"l\" d=\"M0 6H28\"/>",
        "one process; time increases to the right, not to scale",
    );
    if !layout.boxes.is_empty() {
        legend.sign(
            SIGN,
            "<rect class=\"b d0\" width=\"28\" height=\"13\" y=\"-1\"/><text class=\"n\" x=\"3\" y=\"8\">5x</text>",
            "loop: the box is repeated 5 times",
        );
    }
    for (&tag, &number) in tags.iter().take(TAGS) {
        let colour = style::colour(number);
        let text = tag.map_or("message without a single tag".to_owned(), |tag| {
            format!("message, tag {tag}")
        });
        let sign = format!("<path class=\"a t{colour}\" d=\"M2 1L26 11\"/>");
        legend.sign(SIGN, sign, text);
    }
    if tags.len() > TAGS {
        legend.text(format!("and {} more tags", tags.len() - TAGS));
    }
    if style::repeats(tags.len()) {
        legend.text("colours repeat");
    }
    if layout.arrows.iter().any(|arrow| arrow.messages > 1) {
        legend.sign(
            SIGN,
            "<text class=\"q\" x=\"8\" y=\"9\">12</text>",
            "number of messages, if more than one",
        );
    }
    if !layout.poles.is_empty() {
        legend.sign(
            SIGN,
            "<g class=\"c\"><path d=\"M14 -2V14\"/><circle cx=\"14\" cy=\"6\" r=\"2.5\"/></g>",
            "collective operation; one dot per process in it",
        );
    }
    let has = |fate| {
        let mut tips = layout.marks.iter().flat_map(|mark| &mark.tips);
        tips.any(|tip| tip.fate == fate)
    };
    for (fate, sign, text) in [
        (
            Fate::Later,
            "<path class=\"a w t0\" d=\"M2 2L14 10\"/>",
            "message to or from another iteration",
        ),
        (
            Fate::Outside,
            "<path class=\"a t0\" d=\"M2 2L11 10\"/>",
            "message to or from outside of the loop",
        ),
        (
            Fate::Dangling,
            "<path class=\"u t0\" d=\"M2 2L11 10\"/><circle class=\"o t0\" cx=\"11\" cy=\"10\" r=\"2\"/>",
            "message whose other end is not in the trace",
        ),
    ] {
        if has(fate) {
            legend.sign(SIGN, sign, text);
        }
    }
    if layout.marks.iter().any(|mark| mark.tips.is_empty()) {
        legend.sign(
            SIGN,
            "<path class=\"e\" d=\"M14 4v4\"/>",
            "event without communication",
        );
    }
    legend
}
