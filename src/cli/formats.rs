//! `foldtrace formats`: what can be read and written.

use std::io::Write;

use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use foldtrace::formats::REGISTRY;

use super::output;
use super::report::{Done, Outcome};

/// Columns of text that a table takes, wherever it goes.
const WIDTH: u16 = 120;

/// List the formats: what each can hold and what a conversion to it must drop.
#[derive(Debug, Args)]
pub struct Formats {
    /// For programs.
    #[arg(long)]
    json: bool,
}

impl Formats {
    pub fn run(self) -> Outcome {
        if self.json {
            let list: Vec<_> = REGISTRY
                .descriptors()
                .map(|d| {
                    serde_json::json!({
                        "name": d.name, "extensions": d.extensions, "about": d.about,
                        "reads": d.reads, "writes": d.writes, "holds": d.holds, "drops": d.drops,
                    })
                })
                .collect();
            output::json(&list)?;
            return Ok(Done::Clean);
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(WIDTH);
        table.set_header([
            "format", "reads", "writes", "ending", "about", "holds", "drops",
        ]);
        let yes = |is| if is { "yes" } else { "-" };
        for d in REGISTRY.descriptors() {
            let endings: Vec<_> = d.extensions.iter().map(|e| format!(".{e}")).collect();
            let (reads, writes) = (yes(d.reads), yes(d.writes));
            table.add_row([
                d.name,
                reads,
                writes,
                &endings.join(" "),
                d.about,
                d.holds,
                d.drops,
            ]);
        }
        let mut out = output::stdout();
        writeln!(out, "{table}")?;
        out.flush()?;
        Ok(Done::Clean)
    }
}
