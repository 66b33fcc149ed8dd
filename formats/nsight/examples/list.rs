//! Lists the events of a database, one a line, with tabs between location, time, kind, name, quantities, metrics and attributes.
//! `cargo run -p foldtrace-nsight --example list -- FILE`

use std::error::Error;
use std::io::Write as _;
use std::path::Path;

use foldtrace_nsight::Nsight;
use foldtrace_testing::read;
use foldtrace_trace::{DefinitionKind, Names, Quantity, UNDEFINED, ValueType};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("a file is missing")?;
    let salvage = std::env::args().nth(2).is_some();
    let trace = read(&Nsight, Path::new(&path), salvage)?;
    let names = Names::new(&trace.definitions);
    let mut out = std::io::stdout().lock();
    for (location, events) in &trace.events {
        let location = names.name(DefinitionKind::Location, location.0);
        for event in events {
            write!(
                out,
                "{}\t{}\t{}",
                location.unwrap_or("?"),
                event.time,
                event.symbol.kind
            )?;
            write!(out, "\t{}\t", names.title(&event.symbol).unwrap_or("-"))?;
            for (quantity, &value) in Quantity::ALL.iter().zip(&event.quantities) {
                if value != UNDEFINED {
                    write!(out, "{quantity}={} ", value as i64)?;
                }
            }
            write!(out, "\t")?;
            for (_, _, bits) in &event.metrics {
                write!(out, "{} ", *bits as i64)?;
            }
            write!(out, "\t")?;
            for &(id, value_type, bits) in &event.attributes {
                let name = names.name(DefinitionKind::Attribute, id).unwrap_or("?");
                match value_type {
                    ValueType::String => write!(out, "{name}={:?} ", names.string(bits))?,
                    ValueType::Double => write!(out, "{name}={} ", f64::from_bits(bits))?,
                    _ => write!(out, "{name}={} ", bits as i64)?,
                }
            }
            writeln!(out)?;
        }
    }
    let mut errors = std::io::stderr().lock();
    for (key, group) in trace.diagnostics.groups() {
        writeln!(
            errors,
            "{key}: {} {:?}",
            group.count,
            group.cases.first().map(|it| &it.message)
        )?;
    }
    for error in &trace.errors {
        writeln!(errors, "{error}")?;
    }
    Ok(())
}
