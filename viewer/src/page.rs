//! The page, whose script is compiled from the modules in the folder `page`.

use std::io::{self, Write};

use foldtrace_view::page::Page;

const STYLE: &str = include_str!("../page/page.css");
const CONTROLS: &str = include_str!("../page/controls.html");
const CONTENTS: &str = include_str!("../page/contents.html");
const SCRIPT: &str = include_str!("../bundle/page.js");

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
