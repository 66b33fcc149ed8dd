//! The page, whose script is compiled from the modules in the folder `page`.

use std::io::{self, Write};

use foldtrace_view::page::{Page, script_safe};

const STYLE: &str = concat!(
    include_str!("../bundle/main.css"),
    include_str!("../page/page.css")
);
const CONTROLS: &str = include_str!("../page/controls.html");
const CONTENTS: &str = include_str!("../page/contents.html");
const SCRIPT: &str = include_str!("../bundle/main.js");

const BESIDE_STYLE: &str = include_str!("../page/beside.css");
const BESIDE_CONTENTS: &str = include_str!("../page/beside.html");
const BESIDE_SCRIPT: &str = include_str!("../bundle/beside.js");

/// Writes the page with its data, which is JSON: either all that it shows, or `null` if a server sends it on demand.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub(crate) fn write<W: Write>(
    out: &mut W,
    title: &str,
    summary: &str,
    is_served: bool,
    data: impl FnOnce(&mut W) -> io::Result<()>,
) -> io::Result<()> {
    let page = Page {
        title,
        summary,
        controls: CONTROLS,
        style: STYLE,
        script: Some(SCRIPT),
        is_served,
    };
    page.start(out)?;
    page.contents(out)?;
    out.write_all(CONTENTS.as_bytes())?;
    page.end(out, data)
}

/// Writes the page that shows the pages of several stores one beside the other, with their titles.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub(crate) fn write_beside(out: &mut impl Write, titles: &[&str]) -> io::Result<()> {
    let title = titles.join(" · ");
    let page = Page {
        title: &title,
        summary: "",
        controls: "",
        style: BESIDE_STYLE,
        script: Some(BESIDE_SCRIPT),
        is_served: true,
    };
    page.start(out)?;
    page.contents(out)?;
    out.write_all(BESIDE_CONTENTS.as_bytes())?;
    let data = serde_json::to_string(titles)?;
    page.end(out, |out| out.write_all(script_safe(&data).as_bytes()))
}
