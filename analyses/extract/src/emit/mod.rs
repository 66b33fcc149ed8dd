//! Plans as programs that stand alone: the loops around the constructs, and in them the positions, as the
//! annotation compiler of the paper writes them.

mod c;
mod python;
mod sql;

use std::fmt::Write as _;

use foldtrace_fold::Selection;
use foldtrace_store::{Form, StoreReader};
use foldtrace_trace::{ErrorKind, EventKind, TraceError};

use super::plan::{Affine, Plan};

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python over pyarrow and numpy.
    Python,
    /// SQL for DuckDB.
    Sql,
    /// What looks like C, as in figure 8 of the paper; what reads the data is left to the reader.
    C,
}

/// A plan as the text of a program. `store` is where it finds the store unless it is told.
///
/// # Errors
/// If the program cannot read the store, as an archive, whose quantities are coded.
pub fn emit(store: &StoreReader, plan: &Plan, language: Language) -> Result<String, TraceError> {
    let reads_quantities = plan.fields().next().is_some();
    if language != Language::C && store.manifest().form == Form::Archive && reads_quantities {
        let message = "a program cannot read the quantities of an archive: they are coded";
        let hint = "convert it to a plain store first, or leave --emit out: 'foldtrace extract' reads both";
        return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
    }
    let path = store.path().display().to_string();
    Ok(match language {
        Language::Python => python::program(plan, &path),
        Language::Sql => sql::program(plan, store.manifest(), &path),
        Language::C => c::program(plan),
    })
}

/// The names of the kinds that are selected; `None` if all are.
fn kinds(selection: Selection) -> Option<Vec<&'static str>> {
    let all = EventKind::ALL
        .iter()
        .filter(|kind| selection.contains(**kind));
    (selection != Selection::All).then(|| all.map(|kind| kind.name()).collect())
}

/// Which events positions of the model count, in words.
const fn counted(selection: Selection) -> &'static str {
    match selection {
        Selection::All => "all events of a process",
        Selection::Communication => {
            "the sends, completed receives and collective operations of a process"
        }
    }
}

impl Affine {
    /// Where it begins, as an expression: `403+372*i0+2*i1`.
    fn expression(&self) -> String {
        let steps = self.steps.iter().enumerate().filter(|(_, step)| **step > 0);
        let terms = steps.map(|(depth, step)| match step {
            1 => format!("+i{depth}"),
            _ => format!("+{step}*i{depth}"),
        });
        format!("{}{}", self.start, terms.collect::<String>())
    }
}

/// A text as a literal of C and of Python, which both know octal escapes.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(literal, "\\{:03o}", u32::from(c));
            }
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}
