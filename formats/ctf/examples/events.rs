//! Prints the events of a trace in the order of time, each as an object of JSON on a line of its own, for comparisons with
//! other readers: `cargo run -p foldtrace-ctf --example events -- FOLDER`.

#![expect(clippy::print_stderr, reason = "this is a program")]

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use foldtrace_ctf::Ctf;
use foldtrace_testing::{Event, read};
use foldtrace_trace::{DefinitionKind, Definitions, LocationId, Names, ValueType};
use serde_json::{Map, Value, json};

/// The properties of locations and of their processes, by their names.
fn properties(definitions: &Definitions) -> HashMap<(DefinitionKind, u64), Map<String, Value>> {
    let names = Names::new(definitions);
    let mut all: HashMap<_, Map<_, _>> = HashMap::new();
    for kind in [
        DefinitionKind::LocationProperty,
        DefinitionKind::LocationGroupProperty,
    ] {
        for record in definitions.records(kind) {
            let name = names.string(record.get(1)).to_owned();
            let entry = all.entry((kind, record.get(0))).or_default();
            let value_type = ValueType::from_code(record.get(2) as u8).unwrap_or_default();
            entry.insert(name, value(value_type, record.get(3), &names));
        }
    }
    all
}

fn value(value_type: ValueType, bits: u64, names: &Names) -> Value {
    match value_type {
        ValueType::String => json!(names.string(bits)),
        ValueType::Double => {
            let double = f64::from_bits(bits);
            serde_json::Number::from_f64(double).map_or(json!(double.to_string()), Value::Number)
        }
        _ if value_type.is_signed() => json!(bits as i64),
        _ => json!(bits),
    }
}

fn print(path: &Path, out: &mut impl Write) -> Result<bool, Box<dyn Error>> {
    let trace = read(&Ctf, path, false)?;
    let names = Names::new(&trace.definitions);
    let properties = properties(&trace.definitions);
    let groups: HashMap<u64, u64> = (trace.definitions.records(DefinitionKind::Location))
        .map(|record| (record.get(0), record.get(4)))
        .collect();
    let mut events: Vec<(u64, LocationId, &Event)> = Vec::new();
    for (location, of_location) in &trace.events {
        events.extend(
            of_location
                .iter()
                .map(|event| (event.time, *location, event)),
        );
    }
    events.sort_by_key(|(time, ..)| *time);
    for (time, location, event) in events {
        let mut fields = Map::new();
        for &(id, value_type, bits) in &event.attributes {
            let name = names
                .name(DefinitionKind::Attribute, id)
                .unwrap_or_default();
            fields.insert(name.to_owned(), value(value_type, bits, &names));
        }
        let group = groups.get(&location.0).copied().unwrap_or_default();
        let mut object = properties
            .get(&(DefinitionKind::LocationProperty, location.0))
            .cloned()
            .unwrap_or_default();
        object.extend(
            properties
                .get(&(DefinitionKind::LocationGroupProperty, group))
                .cloned()
                .unwrap_or_default(),
        );
        let line = json!({
            "time": time,
            "kind": event.symbol.kind.name(),
            "name": names.called(&event.symbol).or_else(|| names.title(&event.symbol)),
            "location": location.0,
            "process": names.name(DefinitionKind::LocationGroup, group),
            "object": object,
            "fields": fields,
        });
        writeln!(out, "{line}")?;
    }
    let clock = trace.definitions.clock();
    let end = json!({"ticks_per_second": clock.ticks_per_second, "diagnostics": trace.diagnostics});
    writeln!(out, "{end}")?;
    for error in &trace.errors {
        eprintln!("{}: {error}", error.place);
    }
    Ok(trace.errors.is_empty())
}

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: events FOLDER");
        return ExitCode::from(2);
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let printed = print(path.as_ref(), &mut out).and_then(|is_whole| {
        out.flush()?;
        Ok(is_whole)
    });
    match printed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
