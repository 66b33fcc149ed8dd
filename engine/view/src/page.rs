//! Writes the frame of an HTML page.

use std::io::{self, Write};

use crate::palette::STYLE;
use crate::xml::escape;

const PAGE_STYLE: &str = include_str!("page.css");
const PAGE_SCRIPT: &str = include_str!("page.js");

/// The frame of a self-contained page: a header with controls, a legend, and the contents.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The title, such as the name of a store.
    pub title: &'a str,
    /// A one-line summary, above the legend.
    pub summary: &'a str,
    /// The controls in the header, as HTML.
    pub controls: &'a str,
    /// The CSS rules of this page, which follow those of all pages.
    pub style: &'a str,
    /// The script of this page, which follows the functions for all pages; `None` for a page without scripts.
    pub script: Option<&'a str>,
    /// Whether a server sends the page, so that the page may ask it for data and other pages.
    pub is_served: bool,
}

impl Page<'_> {
    /// Writes the start of the page, up to the summary in the legend. The signs of the legend follow, then
    /// [`Self::contents`].
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn start(&self, out: &mut impl Write) -> io::Result<()> {
        let title = escape(self.title);
        let scripts = if self.script.is_some() {
            "; script-src 'unsafe-inline'; img-src data:"
        } else {
            ""
        };
        let server = if self.is_served {
            "; connect-src 'self'; frame-src 'self'"
        } else {
            ""
        };
        writeln!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'{scripts}{server}\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width\"/>\n\
             <title>{title}</title>\n<style>\n{STYLE}{PAGE_STYLE}{}</style>\n</head>\n<body>\n\
             <header>\n<h1>{title}</h1>\n{}</header>\n<div id=\"legend\">\n<p id=\"summary\">{}</p>",
            self.style,
            self.controls,
            escape(self.summary)
        )
    }

    /// Writes the end of the legend and the start of the contents.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn contents(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "</div>\n<main>")
    }

    /// Writes the end of the page: the note and the script, if the page has one. `data` writes JSON, which the script
    /// finds in the element `data`; texts in it must be [`script_safe`].
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn end<W: Write>(
        &self,
        out: &mut W,
        data: impl FnOnce(&mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        writeln!(out, "</main>")?;
        if let Some(script) = self.script {
            writeln!(
                out,
                "<div id=\"note\" role=\"status\" hidden></div>\n<script id=\"data\" type=\"application/json\">"
            )?;
            data(out)?;
            writeln!(out, "</script>\n<script>\n{PAGE_SCRIPT}{script}</script>")?;
        }
        writeln!(out, "</body>\n</html>")
    }
}

/// Escapes JSON so that it cannot end the element that contains it, see [`Page::end`].
#[must_use]
pub fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c")
}
