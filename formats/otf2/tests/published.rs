//! Checks that `schemas/otf2.md` lists the records that are read and written, and that libotf2 has no others.
//!
//! With `FOLDTRACE_BLESS=1` in the environment, the tables of the page are regenerated.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_otf2::layout::{self, Destination, Field, File, Record, records};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The heading of each table in the page.
const HEADINGS: [(File, &str); 7] = [
    (File::Events, "### Events"),
    (File::GlobalDefinitions, "### Global definitions"),
    (File::LocalDefinitions, "### Definitions of a location"),
    (File::Definitions, "### Definitions in both files"),
    (File::Markers, "### Markers"),
    (File::Snapshots, "### Snapshots"),
    (File::Thumbnails, "### Thumbnails"),
];

fn cell(field: &Field) -> String {
    let sign = match field.destination {
        Destination::Quantity | Destination::Time => "+",
        _ => "",
    };
    let ids = field.ids.as_ref().map(|ids| format!(" @{ids}"));
    let clock = (field.destination == Destination::Time).then(|| " @clock".to_owned());
    let without = field.without.as_ref().map(|value| format!(" ?{value}"));
    let marks: String = [ids, clock, without].into_iter().flatten().collect();
    format!("`{sign}{}: {}{marks}`", field.name, field.wire)
}

fn row(record: &Record) -> String {
    let Record {
        code, name, kind, ..
    } = record;
    let cells: Vec<_> = record.fields.iter().map(cell).collect();
    let fields = match (&cells[..], record.bare) {
        ([], _) => "–".to_owned(),
        (_, true) => format!("{}, bare", cells.join(", ")),
        (_, false) => cells.join(", "),
    };
    format!("| {code} | `{name}` | `{kind}` | {fields} |\n")
}

/// Returns the page with `table` below `heading`, replacing the existing table.
fn with_table(page: &str, heading: &str, table: &str) -> String {
    let (before, below) = page
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("the page has no '{heading}'"));
    let begin = below.find("\n|").map(|at| at + 1);
    let begin = begin.unwrap_or_else(|| panic!("'{heading}' has no table"));
    let (between, rest) = below.split_at(begin);
    assert!(!between.contains("\n#"), "'{heading}' has no table");
    let lines = rest.split_inclusive('\n');
    let length: usize = lines
        .take_while(|line| line.starts_with('|'))
        .map(str::len)
        .sum();
    format!("{before}\n{heading}\n{between}{table}{}", &rest[length..])
}

#[test]
fn the_page_has_the_records_that_are_read_and_written() {
    let path = repository().join("schemas/otf2.md");
    let published = fs::read_to_string(&path).unwrap();
    let mut page = published.clone();
    for (file, heading) in HEADINGS {
        let mut table = String::from("| type | record | kind | fields |\n|---:|---|---|---|\n");
        let of_file = records().into_iter().filter(|record| record.file == file);
        table.extend(of_file.map(|record| row(&record)));
        page = with_table(&page, heading, &table);
    }
    let mut table = String::from("| earlier | role | paradigm | flags |\n|---:|---:|---:|---:|\n");
    for (earlier, [role, paradigm, flags]) in layout::region_types().into_iter().enumerate() {
        writeln!(table, "| {earlier} | {role} | {paradigm} | {flags} |").unwrap();
    }
    page = with_table(&page, "#### Regions of old", &table);
    let mut table = String::from("| earlier | type | paradigm |\n|---:|---:|---:|\n");
    for (earlier, [group, paradigm]) in layout::group_types().into_iter().enumerate() {
        writeln!(table, "| {earlier} | {group} | {paradigm} |").unwrap();
    }
    page = with_table(&page, "#### Groups of old", &table);
    if std::env::var_os("FOLDTRACE_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
        return;
    }
    let lines = published.lines().zip(page.lines());
    for (published, expected) in lines {
        assert_eq!(published, expected);
    }
    assert_eq!(published, page);
}

/// The declarations of libotf2.
struct Headers(String);

impl Headers {
    fn read() -> Self {
        let path = repository().join("formats/otf2-sys/src/bindings.rs");
        Self(fs::read_to_string(path).unwrap())
    }

    /// Returns the parameter types of all functions whose name begins with `prefix`, by the rest of the name.
    fn functions(&self, prefix: &str) -> BTreeMap<String, Vec<String>> {
        let types: HashMap<&str, &str> = self
            .0
            .lines()
            .filter_map(|line| line.strip_prefix("pub type ")?.strip_suffix(';'))
            .filter_map(|line| line.split_once(" = "))
            .collect();
        let begin = format!("pub fn OTF2_{prefix}");
        let functions = self.0.split(&begin).skip(1);
        functions
            .map(|text| {
                let (name, rest) = text.split_once('(').unwrap();
                let (parameters, _) = rest.split_once(')').unwrap();
                let parameters = parameters.split(',').filter_map(|p| p.split_once(": "));
                let parameters = parameters.map(|(_, c_type)| plain(&types, c_type.trim()));
                (name.to_owned(), parameters.collect())
            })
            .collect()
    }
}

/// Returns a C type in the notation of [`width`].
fn plain<'a>(types: &HashMap<&str, &'a str>, mut c_type: &'a str) -> String {
    while let Some(&meaning) = types.get(c_type) {
        c_type = meaning;
    }
    match c_type {
        "*const ::core::ffi::c_char" => "text",
        "OTF2_AttributeValue_union" => "value",
        "f64" => "u64",
        pointer if pointer.starts_with('*') => "list",
        other => other,
    }
    .to_owned()
}

/// Returns the C parameters of a field: a list is its length and a pointer for each column.
fn width(field: &Field) -> Vec<&str> {
    match &*field.wire {
        "full64" => vec!["u64"],
        "ids" => vec!["list"],
        wire => match wire.split_once(" × ") {
            Some((count, members)) => {
                let columns = members.split(',').map(|_| "list");
                std::iter::once(count).chain(columns).collect()
            }
            None => vec![wire],
        },
    }
}

/// Checks that every record that functions of libotf2 write has a row with as many fields of the same widths, after
/// `skip` parameters that all functions have. Returns the rows that no function writes.
fn compare(files: &[File], prefix: &str, skip: usize, no_records: &[&str]) -> BTreeSet<String> {
    let records: BTreeMap<_, _> = records()
        .into_iter()
        .filter(|record| files.contains(&record.file))
        .map(|record| (record.name.clone(), record))
        .collect();
    let functions = Headers::read().functions(prefix);
    assert!(!functions.is_empty(), "{prefix}");
    let mut left: BTreeSet<_> = records.keys().cloned().collect();
    for (name, parameters) in &functions {
        if no_records.contains(&&**name) {
            continue;
        }
        let record = records
            .get(name)
            .unwrap_or_else(|| panic!("OTF2_{prefix}{name} writes a record that has no row"));
        left.remove(name);
        let fields = record.fields.iter();
        let fields = fields.filter(|field| field.destination != Destination::Nowhere);
        let mut fields: Vec<_> = fields.flat_map(width).collect();
        let mut parameters: Vec<_> = parameters[skip..].iter().map(String::as_str).collect();
        if !matches!(record.file, File::Events | File::Snapshots) {
            // The order of the parameters differs from the order of the fields.
            fields.sort_unstable();
            parameters.sort_unstable();
        }
        assert_eq!(fields, parameters, "OTF2_{prefix}{name}");
    }
    left
}

#[test]
fn libotf2_has_no_event_without_a_row() {
    let no_records = [
        "GetLocationID",
        "SetLocationID",
        "GetUserData",
        "SetUserData",
        "GetNumberOfEvents",
        "StoreRewindPoint",
        "Rewind",
        "ClearRewindPoint",
    ];
    let left = compare(&[File::Events], "EvtWriter_", 3, &no_records);
    // The bindings are for version 3.0; these records were added in 3.2.
    let later = ["MpiImrecv", "MpiImrecvRequest", "MpiMrecv", "MpiProbe"];
    assert!(left.iter().eq(later.iter()), "{left:?}");
}

#[test]
fn libotf2_has_no_definition_without_a_row() {
    let global = [File::GlobalDefinitions, File::Definitions];
    let left = compare(&global, "GlobalDefWriter_Write", 1, &[]);
    assert!(left.is_empty(), "{left:?}");
    let local = [File::LocalDefinitions, File::Definitions];
    let left = compare(&local, "DefWriter_Write", 1, &[]);
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn libotf2_has_no_other_record_without_a_row() {
    let left = compare(&[File::Snapshots], "SnapWriter_", 3, &["GetLocationID"]);
    assert!(left.is_empty(), "{left:?}");
    let left = compare(&[File::Markers], "MarkerWriter_Write", 1, &[]);
    // In libotf2, the functions are called WriteMarker and, for its category, WriteDefMarker.
    assert!(left.is_empty(), "{left:?}");
    let left = compare(&[File::Thumbnails], "ThumbWriter_Write", 1, &[]);
    assert!(left.iter().eq(["Header"]), "{left:?}");
    let header = &Headers::read().functions("Archive_GetThumbWriter")[""];
    let records = records();
    let row = records
        .iter()
        .find(|record| record.name == "Header")
        .unwrap();
    let fields: Vec<_> = row.fields.iter().flat_map(width).collect();
    assert_eq!(fields, header[1..]);
}

#[test]
fn the_page_has_all_mapping_types() {
    let page = fs::read_to_string(repository().join("schemas/otf2.md")).unwrap();
    let (_, listed) = page.split_once("The mapping types are").unwrap();
    let (listed, _) = listed.split_once('.').unwrap();
    let listed: Vec<_> = listed.split('`').skip(1).step_by(2).collect();
    let headers = Headers::read().0;
    let prefix = "pub const OTF2_MappingType_enum_OTF2_MAPPING_";
    let constants: BTreeMap<usize, String> = headers
        .split(prefix)
        .skip(1)
        .map(|rest| {
            let (name, rest) = rest.split_once(':').unwrap();
            let (_, rest) = rest.split_once("= ").unwrap();
            let code = rest.split(';').next().unwrap().parse().unwrap();
            (code, name.replace('_', "").to_lowercase())
        })
        .filter(|(_, name)| name != "max")
        .collect();
    let names: BTreeMap<usize, String> = listed
        .iter()
        .map(|name| name.to_lowercase())
        .enumerate()
        .collect();
    assert_eq!(names, constants);
    for ids in records()
        .iter()
        .flat_map(|record| &record.fields)
        .filter_map(|f| f.ids.as_ref())
    {
        assert!(listed.contains(&ids.as_str()), "{ids}");
    }
}
