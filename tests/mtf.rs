//! Traces as documents of MTF: what is written is valid to a validator that is not ours, what is read is
//! what was written, and damage is an error that ends.

use std::fs;
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use foldtrace::calltree::Pattern;
use foldtrace::convert::{ConvertOptions, Progress, to_writer};
use foldtrace::mtf::{Category, Mtf, MtfWriter, OPERATIONS, OTHER, Phase};
use foldtrace::store::{FoldFormat, StoreReader};
use foldtrace_testing::{Read, read};
use foldtrace_trace::{ErrorKind, EventKind, Format, Operand, Output, Place, Quantity, ValueType};
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::common::{EXAMPLES, Folder};

fn schema() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/mtf.xsd")
}

/// What xmllint says of a document that is not valid.
fn complaints(document: &Path) -> Option<String> {
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .args([&schema(), document])
        .output()
        .expect("xmllint of the package libxml2-utils");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then_some(said)
}

#[track_caller]
fn assert_valid(document: &Path) {
    assert_eq!(complaints(document), None, "{}", document.display());
}

fn to_document(store: &Path, document: &Path, patterns: Vec<Pattern>) {
    let output = Output::Path {
        path: document.to_owned(),
        replace: false,
    };
    let writer = MtfWriter::create(output).unwrap().with_patterns(patterns);
    let reader = StoreReader::open(store).unwrap();
    let (options, progress) = (ConvertOptions::default(), Progress::default());
    let diagnostics = to_writer(&reader, Box::new(writer), &options, &progress).unwrap();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
}

/// Store, document, store: all that is in both stores, and their DAGs.
fn assert_comes_back(folder: &Folder, name: &str, document: &str) {
    let store = format!("{name}.fold");
    folder.run(["convert", &store, document]).exits(0);
    folder.run(["convert", document, "back.fold"]).exits(0);
    let told = [&store, "back.fold"].map(|store| {
        let text = folder.run(["convert", store, "-", "--to", "text"]).exits(0);
        let dag = folder.run(["dag", store, "--json"]).exits(0);
        (text.stdout, dag.stdout)
    });
    assert!(!told[0].0.is_empty());
    assert!(told[0] == told[1], "{name} by {document}");
}

#[test]
fn examples_are_valid_and_come_back() {
    for name in EXAMPLES.into_iter().chain(["vcycle-4"]) {
        let folder = Folder::with_store(name);
        assert_comes_back(&folder, name, "run.mtf");
        assert_valid(&folder.path("run.mtf"));
    }
}

#[test]
fn a_document_may_be_compressed_or_come_through_a_pipe() {
    let folder = Folder::with_store("tree-4");
    for name in ["run.mtf.gz", "run.mtf.zst"] {
        assert_comes_back(&folder, "tree-4", name);
        fs::remove_dir_all(folder.path("back.fold")).unwrap();
    }
    let piped = folder.run(["convert", "tree-4.fold", "-", "--to", "mtf"]);
    let piped = piped.exits(0).stdout;
    assert!(piped.ends_with("</Scenario>\n"));
    let text = folder.feed("convert - - --to text", &piped).exits(0);
    let expected = folder.run(["convert", "tree-4.fold", "-", "--to", "text"]);
    assert_eq!(text.stdout, expected.stdout);
}

/// All that was read, for comparing.
fn told(read: Read) -> impl PartialEq + std::fmt::Debug {
    assert!(read.errors.is_empty(), "{:?}", read.errors);
    (read.definitions, read.events)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_trace_is_valid_and_comes_back(trace in crate::common::random::trace()) {
        let (folder, store) = trace.write();
        let document = folder.path().join("run.mtf");
        to_document(&store, &document, Vec::new());
        assert_valid(&document);
        let [before, after] = [
            read(&FoldFormat, &store, false),
            read(&Mtf, &document, false),
        ];
        prop_assert_eq!(told(before.unwrap()), told(after.unwrap()));
    }

    #[test]
    fn damage_is_an_error_that_ends(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        let mut bytes = DOCUMENT.as_bytes().to_owned();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let _ = read_bytes(&bytes);
    }

    /// Numbers, which a parser of XML has nothing against.
    #[test]
    fn wrong_numbers_are_errors_that_end(at in any::<prop::sample::Index>(), number in prop_oneof![
        Just("0".to_owned()), Just("1".to_owned()), Just("-1".to_owned()), Just("7 7".to_owned()),
        Just(u32::MAX.to_string()), Just(u64::MAX.to_string()), any::<u64>().prop_map(|n| n.to_string()),
    ]) {
        let digits: Vec<_> = DOCUMENT
            .match_indices(|c: char| c.is_ascii_digit())
            .map(|(at, _)| at)
            .collect();
        let at = digits[at.index(digits.len())];
        let mut text = DOCUMENT.to_owned();
        text.replace_range(at..=at, &number);
        let _ = read_bytes(text.as_bytes());
    }
}

/// Reads a document from memory, which ends, and keeps the contract of readers.
fn read_bytes(bytes: &[u8]) -> Result<Read, foldtrace_trace::TraceError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    read(&Mtf, file.path(), false)
}

/// A document with a bit of everything.
const DOCUMENT: &str = include_str!("data/mtf/good/by_hand/input.mtf");

#[test]
fn each_beginning_of_a_document_is_told_from_all_of_it() {
    let whole = read_bytes(DOCUMENT.as_bytes()).unwrap();
    assert_eq!(whole.errors.len(), 0);
    let end = DOCUMENT.rfind("</").unwrap();
    for length in (1..end).filter(|&length| DOCUMENT.is_char_boundary(length)) {
        let error = match read_bytes(&DOCUMENT.as_bytes()[..length]) {
            Err(error) => error,
            Ok(read) => read.errors.into_iter().next().unwrap(),
        };
        assert_eq!(error.kind, ErrorKind::Truncated, "{length}: {error}");
    }
}

#[test]
fn the_document_by_hand_is_valid_and_what_is_wrong_with_it_is_not() {
    let folder = Folder::new();
    let check = |text: &str| {
        folder.write("run.mtf", text);
        complaints(&folder.path("run.mtf"))
    };
    assert_eq!(check(DOCUMENT), None);
    for (right, wrong) in [
        ("to=\"send\"", "to=\"nobody\""),
        ("to=\"send\"", "to=\"nothing\""),
        ("id=\"send\"", "id=\"main\""),
        ("type=\"MPI_Send\"", "type=\"MPI_Sent\""),
        ("type=\"sequence\"", "type=\"endless\""),
        ("repetitions=\"3\"", "repetitions=\"0\""),
        ("version=\"1.7\"", "version=\"2.0\""),
        ("<m:Sender ", "<m:Sander "),
        ("label=\"s\"", "label=\"unknown\""),
        ("root=\"all\"", "root=\"none\""),
    ] {
        assert!(DOCUMENT.contains(right), "{right}");
        let text = DOCUMENT.replacen(right, wrong, 1);
        assert!(check(&text).is_some(), "{wrong}");
    }
}

#[test]
fn numbers_beyond_all_bounds_take_no_time() {
    let mut units = String::from("<RoutineCall id='u0' label='s'/>");
    for level in 1..40 {
        units.push_str(&format!(
            "<RoutineCall id='u{level}' label='s'><Edge to='u{}' type='sequence' repetitions='4294967295'/>\
             </RoutineCall>",
            level - 1
        ));
    }
    let text = format!(
        "<Scenario xmlns='urn:foldtrace:mtf:1' version='1.0'>\
         <Trace ticksPerSecond='1' globalOffset='0' traceLength='0'>\
         <Labels><Label id='s' kind='enter' region='0'/></Labels>\
         <Units>{units}<Root id='r'><Edge to='u39'/></Root></Units>\
         <Processor><Process><Location id='0' root='r'/></Process></Processor>\
         <Events location='0'><Block><Timestamps>1 1 1</Timestamps></Block></Events></Trace></Scenario>"
    );
    let read = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(read.events.values().map(Vec::len).sum::<usize>(), 3);
    let errors: Vec<_> = read.errors.iter().map(ToString::to_string).collect();
    let expected = "expected a time for each of 18446744073709551615 events, found 3 times";
    assert_eq!(errors, [expected]);
}

#[test]
fn patterns_are_in_the_document_and_readers_pass_over_them() {
    let folder = Folder::with_store("ring-4");
    let store = folder.path("ring-4.fold");
    let text = "pattern once <around> \u{1}\n  MPI_Send\n  MPI_Recv\n";
    let patterns = Pattern::parse(text, &Place::default()).unwrap();
    let document = folder.path("run.mtf");
    to_document(&store, &document, patterns);
    assert_valid(&document);
    let text = fs::read_to_string(&document).unwrap();
    assert!(text.contains("<TracePattern name=\"once &lt;around&gt; \u{fffd}\">"));
    // 20 rounds of 4 processes, of which some receive first.
    let occurrences = text
        .lines()
        .filter(|line| line.contains("<PatternOccurrence "));
    let counts = occurrences.map(|line| {
        let (_, count) = line.split_once("count=\"").unwrap();
        count.split('"').next().unwrap().parse::<u64>().unwrap()
    });
    folder.write("round.pattern", "pattern round\n  MPI_Send\n  MPI_Recv\n");
    let ran = folder
        .say("dag -q ring-4.fold --pattern round.pattern --json")
        .exits(0);
    assert_eq!(ran.json()[0]["count"], counts.sum::<u64>());
    let ran = folder
        .say("dag -q ring-4.fold --pattern round.pattern --format mtf")
        .exits(0);
    let named = text.replace("once &lt;around&gt; \u{fffd}", "round");
    assert!(ran.stdout == named, "the command writes the same");
    let [before, after] = [
        read(&FoldFormat, &store, false),
        read(&Mtf, &document, false),
    ];
    assert!(told(before.unwrap()) == told(after.unwrap()));
}

#[test]
fn the_page_shows_what_is_written() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/mtf.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```xml\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    let folder = Folder::new();
    folder.write("run.mtf", shown);
    assert_valid(&folder.path("run.mtf"));
    folder.say("convert run.mtf run.fold").exits(0);
    let written = folder.say("convert run.fold - --to mtf").exits(0);
    assert_eq!(written.stdout, shown);
}

/// The values of an enumeration of the schema.
fn enumeration(name: &str) -> Vec<String> {
    let text = fs::read_to_string(schema()).unwrap();
    let mut reader = Reader::from_str(&text);
    let (mut is_inside, mut values) = (false, Vec::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                let of = |key| {
                    let attribute = tag.try_get_attribute(key).unwrap();
                    attribute.map(|attribute| attribute.value.into_owned())
                };
                match tag.local_name().as_ref() {
                    "simpleType" => is_inside = of("name").as_deref() == Some(name),
                    "enumeration" if is_inside => values.extend(of("value")),
                    _ => {}
                }
            }
            Event::Eof => return values,
            _ => {}
        }
    }
}

#[test]
fn the_schema_has_the_words_of_the_code() {
    let names = OPERATIONS
        .iter()
        .flat_map(|(_, names)| names.iter().copied());
    let expected: Vec<_> = names.chain([OTHER]).collect();
    assert_eq!(enumeration("Operation"), expected);
    assert_eq!(enumeration("Category"), Category::ALL.map(Category::name));
    assert_eq!(enumeration("Phase"), Phase::ALL.map(Phase::name));
    let kinds: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(enumeration("Kind"), kinds);
    let quantities: Vec<_> = Quantity::ALL.iter().map(|q| q.name()).collect();
    assert_eq!(enumeration("Quantity"), quantities);
    let text = fs::read_to_string(schema()).unwrap();
    for operand in Operand::ALL {
        let line = format!("<xs:attribute name=\"{operand}\" type=\"xs:unsignedLong\"/>");
        assert_eq!(text.matches(&line).count(), 1, "{line}");
    }
    let types: Vec<_> = ValueType::ALL.iter().map(|t| t.name()).collect();
    assert!(text.contains(&format!("=({}):", types.join("|"))));
}

#[test]
fn a_pipe_is_read_in_whatever_pieces_it_comes() {
    let whole = read_bytes(DOCUMENT.as_bytes()).unwrap();
    for piece in [1, 2, 7, 64] {
        let pieces = DOCUMENT
            .as_bytes()
            .chunks(piece)
            .map(|piece| Cursor::new(piece.to_owned()));
        let reader = pieces.fold(
            Box::new(std::io::empty()) as Box<dyn std::io::Read + Send>,
            |before, piece| Box::new(before.chain(piece)),
        );
        let input = foldtrace_trace::Input::Stream {
            name: "-".into(),
            head: Vec::new(),
            reader,
        };
        let opened = Mtf.open(input, &Default::default()).unwrap();
        let mut events = Default::default();
        let mut batch = Default::default();
        let mut stream = opened.open_stream(0).unwrap();
        while stream
            .next_batch(&mut batch, &mut Default::default())
            .unwrap()
            != foldtrace_trace::Step::End
        {
            foldtrace_testing::collect(&mut events, &batch, stream.symbols());
        }
        assert_eq!(events, whole.events, "{piece}");
        assert!(opened.open_stream(0).is_err(), "a pipe is read once");
    }
}
