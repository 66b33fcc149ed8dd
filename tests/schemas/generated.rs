//! The published JSON Schemas against those of the types that are written as JSON.
//!
//! With `FOLDTRACE_BLESS=1` in the environment, the schemas are written anew.

use std::collections::BTreeSet;
use std::fs;

use foldtrace::compare::CompareJson;
use foldtrace::critical::CriticalJson;
use foldtrace::dag::{DagJson, Table};
use foldtrace::efficiency::EfficiencyJson;
use foldtrace::logical::show::LogicalJson;
use foldtrace::patterns::{FilterJson, PatternsJson};
use foldtrace::profile::ProfileJson;
use foldtrace::program::command::PredictionJson;
use foldtrace::program::global::{MainLoopJson, ProgramJson};
use foldtrace::program::local::LoopsJson;
use foldtrace::program::matrix::MatrixJson;
use foldtrace::steps::report::StepsJson;
use foldtrace::store::{Manifest, VERSION};
use foldtrace::summary::Summary;
use foldtrace::topology::show::TopologyJson;
use foldtrace::waits::WaitsJson;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::common::pages::{page, root};

/// Removes what only matters in Rust: the types of numbers, and the line breaks of doc comments.
fn simplify(schema: &mut Schema) {
    schema.remove("format");
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
}

/// Returns the schema of documents of type `T`.
fn generate<T: JsonSchema>(name: &str, title: &str, description: &str) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let simplified = settings.with_transform(RecursiveTransform(simplify));
    let mut schema = simplified.into_generator().into_root_schema_for::<T>();
    let id = format!("urn:foldtrace:schema:{name}");
    for (key, value) in [
        ("$id", &*id),
        ("title", title),
        ("description", description),
    ] {
        schema.insert(key.to_owned(), Value::from(value));
    }
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

/// Compares a schema with its type. Returns the name of its file.
fn check<T: JsonSchema>(name: &str, title: &str, description: &str) -> String {
    let generated = generate::<T>(name, title, description);
    let file = format!("{name}.schema.json");
    if std::env::var_os("FOLDTRACE_BLESS").is_some() {
        fs::write(root().join("schemas").join(&file), &generated).unwrap();
    }
    assert!(
        page(&file) == generated,
        "schemas/{file} differs from the schema of its type; FOLDTRACE_BLESS=1 writes it"
    );
    file
}

#[test]
fn schemas_are_those_of_the_types() {
    let generated = [
        check::<Summary>(
            "info",
            "Summary of a trace or store",
            "Output of 'foldtrace info --json'.",
        ),
        check::<Vec<LoopsJson>>(
            "loops",
            "Loop models",
            "Output of 'foldtrace loops --format json' and input of 'foldtrace replay': a model for each location.",
        ),
        check::<[ProgramJson; 1]>(
            "program",
            "Loop model of a program",
            "Output of 'foldtrace loops --global --format json' and input of 'foldtrace replay --global': one model, in \
             a list.",
        ),
        check::<Vec<PredictionJson>>(
            "predict",
            "Predictions",
            "Output of 'foldtrace predict --json': the accuracy of predictions in each location.",
        ),
        check::<MatrixJson>(
            "matrix",
            "Communication matrix",
            "Output of 'foldtrace matrix --json'.",
        ),
        check::<Vec<MainLoopJson>>(
            "main-loops",
            "Main loops of a program",
            "Output of 'foldtrace loops --main --format json': the loops of the program's model with the largest shares \
         of the time, the largest first.",
        ),
        check::<PatternsJson>(
            "patterns",
            "Patterns of events",
            "Output of 'foldtrace patterns --json', defined in analyses/patterns/README.md. Times are in ticks.",
        ),
        check::<FilterJson>(
            "filter",
            "What a filter keeps",
            "Output of 'foldtrace filter --json', defined in analyses/patterns/README.md. Times are in ticks.",
        ),
        check::<ProfileJson>(
            "profile",
            "Profile of a program",
            "Output of 'foldtrace profile --json', defined in analyses/profile/README.md. Times are in nanoseconds.",
        ),
        check::<WaitsJson>(
            "waits",
            "Wait states and their causes",
            "Output of 'foldtrace waits --json', defined in analyses/waits/README.md. Times are in nanoseconds.",
        ),
        check::<CriticalJson>(
            "critical",
            "Critical path",
            "Output of 'foldtrace critical --json', defined in analyses/critical/README.md. Times are in nanoseconds.",
        ),
        check::<EfficiencyJson>(
            "efficiency",
            "Efficiencies of a program",
            "Output of 'foldtrace efficiency --json', defined in analyses/efficiency/README.md; a list of such objects for several \
         stores. Times are in nanoseconds.",
        ),
        check::<CompareJson>(
            "compare",
            "Comparison of two runs",
            "Output of 'foldtrace compare --json', defined in analyses/compare/README.md; a list of such objects if several \
         runs are compared with the first. Times are in nanoseconds.",
        ),
        check::<StepsJson>(
            "steps",
            "Logical steps",
            "Output of 'foldtrace steps --json', defined in analyses/steps/README.md.",
        ),
        check::<TopologyJson>(
            "topology",
            "Communication topology",
            "Output of 'foldtrace topology --json'.",
        ),
        check::<LogicalJson>(
            "logical",
            "Logical program",
            "Output of 'foldtrace logical --json': one program that describes all processes, with directions of their \
         topology as peers.",
        ),
        check::<Table>(
            "dag-table",
            "Table 1 of MTF",
            "Output of 'foldtrace dag STORE --compaction --json': the size of the ordered DAG compared with the call trees.",
        ),
        check::<DagJson<'_>>(
            "dag",
            "Ordered DAG",
            "Output of 'foldtrace dag STORE --format json': the ordered DAG of call trees.",
        ),
        check::<Manifest>(
            "manifest",
            "Manifest of a store",
            &format!(
                "The file manifest.json of a store of version {VERSION}; store.md describes the other files."
            ),
        ),
    ];
    let of_folder = fs::read_dir(root().join("schemas")).unwrap();
    let of_folder = of_folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let of_folder = of_folder.filter(|file| file.ends_with(".schema.json"));
    assert_eq!(BTreeSet::from(generated), of_folder.collect());
}
