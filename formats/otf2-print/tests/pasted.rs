//! Reads pieces of output as found in mails and tickets.

use std::fs;

use foldtrace_otf2_print::Otf2Print;
use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, ErrorKind, EventBatch, EventKind, Format, Input,
    LocationId, Names, Operand, PathKind, Probe, Quantity, ReadOptions, Severity, Step, Symbol,
    TraceError, ValueType,
};
use proptest::prelude::*;

/// The content of a text, and its first error.
#[derive(Default)]
struct ReadResult {
    definitions: Definitions,
    /// Location, time, symbol, bytes.
    events: Vec<(u64, u64, Symbol, Option<u64>)>,
    attributes: Vec<(u64, ValueType, u64)>,
    metrics: Vec<(u32, ValueType, u64)>,
    diagnostics: Diagnostics,
    error: Option<TraceError>,
}

fn read(text: impl AsRef<[u8]>, salvage: bool) -> ReadResult {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ticket.txt");
    fs::write(&path, text).unwrap();
    let mut all = ReadResult::default();
    let reader = match Otf2Print.open(Input::Path(path), &ReadOptions::whole(salvage)) {
        Ok(reader) => reader,
        Err(error) => {
            all.error = Some(error);
            return all;
        }
    };
    all.definitions = reader.definitions().clone();
    all.diagnostics = reader.diagnostics().clone();
    let mut stream = reader.open_stream(0).unwrap();
    let mut batch = EventBatch::default();
    loop {
        let step = stream.next_batch(&mut batch, &mut all.diagnostics);
        all.definitions.append(&batch.definitions);
        let symbols = stream.symbols();
        for event in batch.iter(symbols) {
            let symbol = symbols.symbol(event.symbol);
            let bytes = event.get(Quantity::Bytes);
            all.events
                .push((batch.location.0, event.time.0, symbol, bytes));
            let columns = &batch.attributes;
            for row in columns.rows(event.index) {
                let typed = (columns.value_type[row], columns.value[row]);
                all.attributes
                    .push((columns.attribute[row], typed.0, typed.1));
            }
            let columns = &batch.metrics;
            for row in columns.rows(event.index) {
                let typed = (columns.value_type[row], columns.value[row]);
                all.metrics.push((columns.member[row], typed.0, typed.1));
            }
        }
        match step {
            Ok(Step::Batch) => {}
            Ok(Step::End) => return all,
            Err(error) => all.error = Some(error),
        }
    }
}

const MESSAGE: &str = r#"
ENTER       0   10  Region: "MPI_Send" <193>
MPI_SEND    0   11  Receiver: 1 ("Master thread" <4>), Communicator: "MPI_COMM_WORLD" <1>, Tag: 10, Length: 16384
MPI_RECV    4   13  Sender: 0 ("Master thread" <0>), Communicator: "MPI_COMM_WORLD" <1>, Tag: 10, Length: 16384
LEAVE       0   14  Region: "MPI_Send" <193>
"#;

#[test]
fn events_define_the_names_in_them() {
    let all = read(MESSAGE, false);
    assert!(all.error.is_none() && all.diagnostics.is_empty());
    let names = Names::new(&all.definitions);
    assert_eq!(names.name(DefinitionKind::Region, 193), Some("MPI_Send"));
    assert_eq!(names.name(DefinitionKind::Comm, 1), Some("MPI_COMM_WORLD"));
    assert_eq!(
        names.name(DefinitionKind::Location, 4),
        Some("Master thread")
    );
    assert_eq!(names.rank(LocationId(4)), Some((1, 0)));
    assert_eq!(names.members(1), Some(&[0, 1][..]));
    let (location, time, send, bytes) = all.events[1];
    assert_eq!((location, time, bytes), (0, 11, Some(16384)));
    assert_eq!(send.kind, EventKind::MpiSend);
    assert_eq!(send.get(Operand::Peer), Some(1));
    assert_eq!(all.events.len(), 4);
}

#[test]
fn margins_prompts_and_ends_of_lines_do_not_matter() {
    let plain = read(MESSAGE, false);
    let mail: String = MESSAGE
        .lines()
        .map(|line| format!("> | {line}\r\n"))
        .collect();
    let mail = format!("$ otf2-print traces.otf2\r\n{mail}[me@login01 ~]$ \r\n");
    let quoted = read(&mail, false);
    assert_eq!(quoted.events, plain.events);
    assert_eq!(quoted.definitions, plain.definitions);
    assert!(quoted.error.is_none());
    assert_eq!(quoted.diagnostics.count("otf2-print.stray_line"), 2);
    assert_eq!(quoted.diagnostics.worst(), Some(Severity::Note));
}

#[test]
fn attributes_belong_to_the_event_above_them() {
    let all = read(
        "METRIC  0  3  Metric: 7, 2 Values: (\"a\" <0>; UINT64; 5), (\"b; 2\" <9>; DOUBLE; -0.5)\n\
         \x20    ADDITIONAL ATTRIBUTES: (\"pid\" <2>; INT32; -7), (\"at\" <3>; REGION; \"f(x, y)\" <8>)\n\
         ENTER  0  4  Region: \"f(x, y)\" <8>\n",
        false,
    );
    assert!(all.error.is_none(), "{:?}", all.error);
    assert_eq!(
        all.metrics,
        [
            (0, ValueType::Uint64, 5),
            (1, ValueType::Double, (-0.5_f64).to_bits())
        ]
    );
    let seven = (-7_i64).cast_unsigned();
    assert_eq!(
        all.attributes,
        [(2, ValueType::Int32, seven), (3, ValueType::Region, 8)]
    );
    let names = Names::new(&all.definitions);
    assert_eq!(names.name(DefinitionKind::Attribute, 2), Some("pid"));
    assert_eq!(names.name(DefinitionKind::Region, 8), Some("f(x, y)"));
    let class = all.definitions.records(DefinitionKind::MetricClass).next();
    assert_eq!(class.unwrap().list(), [0, 9]);
}

#[test]
fn times_before_the_first_tick_are_relative_to_it() {
    let clock = "CLOCK_PROPERTIES   Ticks per Seconds: 1000, Global Offset: 500, Length: 20, Date: UNDEFINED\n";
    let relative = read(format!("{clock}ENTER  0  3  Region: \"f\" <8>\n"), false);
    assert_eq!(relative.events[0].1, 503);
    assert_eq!(relative.diagnostics.count("otf2-print.relative_time"), 1);
    let plain = read(format!("{clock}ENTER  0  503  Region: \"f\" <8>\n"), false);
    assert_eq!(plain.events[0].1, 503);
    assert!(plain.diagnostics.is_empty());
    assert_eq!(plain.definitions.clock().ticks_per_second, 1000);
}

#[test]
fn names_may_continue_on_the_next_lines() {
    let text = "PARAMETER_STRING  0  1  Parameter: \"p\" <1>, Value: \"a\n\nb \"c\"\" <2>\nENTER  0  2  Region: \"f\" <3>\n";
    let all = read(text, false);
    assert!(all.error.is_none(), "{:?}", all.error);
    assert_eq!(all.events.len(), 2);
    assert_eq!(Names::new(&all.definitions).string(2), "a\n\nb \"c\"");
    let open = read(
        "ENTER  0  1  Region: \"f\nENTER  0  2  Region: \"g\" <3>\n",
        true,
    );
    assert_eq!(open.diagnostics.count("otf2-print.bad_line"), 1);
    assert_eq!(open.events.len(), 1);
}

#[test]
fn a_line_that_looks_like_a_record_is_an_error() {
    let all = read(
        "ENTER  0  2  Region: \"g\" <3>\nMPI_TELEPORT   0   4  To: 1\n",
        false,
    );
    let error = all.error.unwrap();
    assert_eq!(error.kind, ErrorKind::Malformed);
    assert_eq!(
        error.to_string(),
        "expected a kind of record, found 'MPI_TELEPORT'"
    );
    assert_eq!(error.place.line, Some(2));
    assert_eq!(all.events.len(), 1);
}

#[test]
fn output_is_recognised_and_other_texts_are_not() {
    let sniff = |head: &str| {
        Otf2Print.sniff(&Probe {
            path: "x".as_ref(),
            kind: PathKind::Stream,
            head: head.as_bytes(),
        })
    };
    assert!(sniff("\n=== OTF2-PRINT ===\n"));
    assert!(sniff("hello\n\n> STRING       7  \"main\"\n"));
    assert!(sniff(MESSAGE));
    assert!(!sniff("0 local enter main time=0\n"));
    assert!(!sniff("ENTER the code: 12\n"));
    assert!(!sniff("ENTER  0  12\n"));
    assert!(!sniff(""));
}

const MANY: &str =
    include_str!("../../../tests/data/otf2-print/good/attributes_and_metrics/input.txt");
const LINES: &str = include_str!("../../../tests/data/otf2-print/good/names_over_lines/input.txt");
const DEFINITIONS: &str =
    include_str!("../../../tests/data/otf2-print/good/mappings_and_offsets/input.txt");

proptest! {
    #[test]
    fn damage_never_panics_and_salvage_keeps_at_least_as_many_events(
        text in prop::sample::select(vec![MESSAGE, MANY, LINES, DEFINITIONS]),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(b"\"<>(){}[],;: \n09x\xff".to_vec())),
            1..9,
        ),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = text.as_bytes().to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len() * 4).max(1));
        let salvaged = read(&bytes, true);
        prop_assert!(salvaged.error.is_none());
        let whole = read(&bytes, false);
        if whole.error.is_none() {
            prop_assert_eq!(whole.events, salvaged.events);
        } else {
            prop_assert!(whole.events.len() <= salvaged.events.len());
        }
    }
}
