//! `foldtrace formats`: lists the formats that can be read and written.

use std::io::Write;

use crate::formats::REGISTRY;
use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use foldtrace_command::format::{self, Format};

use super::output::OutputOptions;
use super::report::{Done, Outcome};
use super::style::FAINT;

/// Minimum terminal width at which the columns `holds` and `drops` are shown.
const ROOMY: usize = 110;
/// Minimum width of a readable table.
const LEAST: usize = 60;

/// List the formats: what each format can hold, and what a conversion to it drops.
#[derive(Debug, Args)]
pub struct Formats {
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl format::Formats for Formats {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];
}

impl Formats {
    pub fn run(self) -> Outcome {
        let mut out = self.output.create()?;
        if self.output.is_json() {
            let list: Vec<_> = REGISTRY
                .descriptors()
                .map(|d| {
                    serde_json::json!({
                        "name": d.name, "extensions": d.extensions, "about": d.about,
                        "reads": d.reads, "writes": d.writes, "holds": d.holds, "drops": d.drops,
                    })
                })
                .collect();
            out.json(&list)?;
            return Ok(Done::Clean);
        }
        let terminal = out.terminal();
        let width = terminal.width;
        let is_roomy = width.is_none_or(|width| width >= ROOMY);
        writeln!(out, "{}", table(width, is_roomy))?;
        if !is_roomy {
            let left_out = terminal.styled(FAINT, " no room for: holds, drops");
            writeln!(out, "{left_out}")?;
        }
        out.finish()?;
        Ok(Done::Clean)
    }
}

/// Creates the table of all formats. In a terminal, long texts are wrapped within their columns; in a pipe, there is
/// one line per format. The columns `holds` and `drops` are left out unless `is_roomy`.
fn table(width: Option<usize>, is_roomy: bool) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width.max(LEAST)).unwrap_or(u16::MAX));
    }
    let columns = if is_roomy { 7 } else { 5 };
    let header = [
        "format", "reads", "writes", "ending", "about", "holds", "drops",
    ];
    table.set_header(&header[..columns]);
    let yes = |is| if is { "yes" } else { "-" };
    for d in REGISTRY.descriptors() {
        let endings: Vec<_> = d.extensions.iter().map(|e| format!(".{e}")).collect();
        let endings = endings.join(" ");
        let (reads, writes) = (yes(d.reads), yes(d.writes));
        let row = [d.name, reads, writes, &endings, d.about, d.holds, d.drops];
        table.add_row(&row[..columns]);
    }
    table
}
