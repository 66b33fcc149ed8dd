//! Checks the order of the events in files of other programs, and reading after damage.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use foldtrace_chrome::Chrome;
use foldtrace_testing::{Event, Events, collect, read};
use foldtrace_trace::{
    DefinitionKind, Diagnostics, ErrorKind, EventBatch, EventKind, Format, Input, Names, Operand,
    ReadOptions, Step, TraceError,
};
use proptest::prelude::*;
use proptest::sample::select;

/// Writes a trace to a file and reads it.
fn read_text(text: &str, salvage: bool) -> Result<foldtrace_testing::Read, TraceError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.json");
    fs::write(&path, text).unwrap();
    read(&Chrome, &path, salvage)
}

/// Returns events as words: `+main@10`, `-main@20`, `mark@5`.
fn words(read: &foldtrace_testing::Read) -> Vec<Vec<String>> {
    let names = Names::new(&read.definitions);
    let word = |event: &Event| {
        let name = match event.symbol.get(Operand::Region) {
            Some(id) => names.name(DefinitionKind::Region, id),
            None => event.symbol.get(Operand::String).map(|id| names.string(id)),
        };
        let sign = match event.symbol.kind {
            EventKind::Enter => "+",
            EventKind::Leave => "-",
            _ => "",
        };
        format!("{sign}{}@{}", name.unwrap_or("?"), event.time)
    };
    let events = read.events.values();
    events
        .map(|events| events.iter().map(word).collect())
        .collect()
}

#[test]
fn at_the_same_time_ends_come_first_and_parents_before_children() {
    let read = read_text(
        r#"[{"ph":"X","name":"inner","ts":1,"dur":1,"tid":1},
            {"ph":"X","name":"none","ts":2,"dur":0,"tid":1},
            {"ph":"X","name":"next","ts":2,"dur":1,"tid":1},
            {"ph":"i","name":"mark","ts":2,"tid":1},
            {"ph":"E","ts":3,"tid":1},
            {"ph":"X","name":"outer","ts":1,"dur":2,"tid":1},
            {"ph":"B","name":"all","ts":1,"tid":1}]"#,
        false,
    );
    let expected = "+all@1000 +outer@1000 +inner@1000 -inner@2000 mark@2000 +next@2000 +none@2000 \
                    -none@2000 -next@3000 -outer@3000 -all@3000";
    assert_eq!(words(&read.unwrap())[0].join(" "), expected);
}

#[test]
fn files_that_are_cut_off_are_truncated_and_keep_their_complete_events() {
    let event = |n| format!("{{\"ph\":\"i\",\"name\":\"{n}\",\"ts\":{n},\"pid\":1,\"tid\":1}}");
    let events: Vec<String> = (0..5).map(event).collect();
    for head in ["[", "{\"traceEvents\":["] {
        let whole = format!("{head}{}", events.join(",\n"));
        for cut in 1..whole.len() {
            let text = &whole[..cut];
            let complete = text.matches("\"tid\":1}").count();
            let is_between = ["[", "}", "},", "},\n"]
                .iter()
                .any(|end| text.ends_with(end));
            match read_text(text, false) {
                Ok(read) => {
                    assert!(head == "[" && is_between, "{text}");
                    assert_eq!(read.events.values().map(Vec::len).sum::<usize>(), complete);
                }
                Err(error) => {
                    assert!(head != "[" || !is_between, "{text}");
                    assert_eq!(error.kind, ErrorKind::Truncated, "{text}");
                }
            }
            let read = read_text(text, true).unwrap();
            let kept = read.events.values().map(Vec::len).sum::<usize>();
            assert_eq!(kept, complete, "{text}");
        }
    }
}

#[test]
fn long_events_are_accepted_and_endless_ones_are_rejected() {
    let long = "x".repeat(3 << 20);
    let event = |text| format!("[{{\"ph\":\"i\",\"name\":\"{text}\",\"ts\":1}},");
    assert!(read_text(&event(&long), false).is_ok());
    let error = read_text(&event(&long.repeat(6)), false).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
    // Brackets that are never closed neither overflow the stack nor take long.
    let deep = format!("[{}", "{\"a\":[".repeat(1 << 18));
    assert!(read_text(&deep, false).is_err());
    assert!(read_text(&deep, true).unwrap().events.is_empty());
    let args = format!(
        "[{{\"ph\":\"i\",\"ts\":1,\"args\":{{\"a\":{}{}}}}}]",
        "[".repeat(1 << 18),
        "]".repeat(1 << 18)
    );
    assert_eq!(read_text(&args, false).unwrap().events.len(), 1);
}

/// A reader that returns only a few bytes at a time.
struct Trickle(io::Cursor<Vec<u8>>, usize);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}

fn read_trickling(text: &str, bytes: usize) -> Events {
    let input = Input::Stream {
        name: Path::new("-").to_owned(),
        head: Vec::new(),
        reader: Box::new(Trickle(io::Cursor::new(text.into()), bytes)),
    };
    let reader = Chrome.open(input, &ReadOptions::default()).unwrap();
    let mut events = Events::default();
    let mut batch = EventBatch::default();
    for index in 0..reader.streams().len() {
        let mut stream = reader.open_stream(index).unwrap();
        stream.batch_at_most(3);
        while stream
            .next_batch(&mut batch, &mut Diagnostics::default())
            .unwrap()
            != Step::End
        {
            assert!(batch.len() <= 3);
            collect(&mut events, &batch, stream.symbols());
        }
    }
    events
}

#[derive(Clone, Debug)]
struct Complete {
    thread: u8,
    begin: u32,
    span: u32,
}

fn complete() -> impl Strategy<Value = Complete> {
    (0u8..3, 0u32..20, 0u32..6).prop_map(|(thread, begin, span)| Complete {
        thread,
        begin,
        span,
    })
}

fn json(events: &[Complete], separator: &str) -> String {
    let line = |event: &Complete| {
        let Complete {
            thread,
            begin,
            span,
        } = event;
        // Events with the same time and duration have the same name.
        format!(
            "{{\"ts\":0.0{begin:02},\"dur\":0.00{span},\"ph\":\"X\",\"tid\":{thread},\
             \"name\":\"{begin} {span}\",\"args\":{{\"a\":\"}}\\\"\"}}}}"
        )
    };
    let lines: Vec<String> = events.iter().map(line).collect();
    format!("[{}]", lines.join(separator))
}

proptest! {
    #[test]
    fn events_may_be_in_any_order(
        (events, shuffled) in prop::collection::vec(complete(), 0..40)
            .prop_flat_map(|events| (Just(events.clone()), Just(events).prop_shuffle())),
        bytes in select(vec![1usize, 7, 100]),
        separator in select(vec![",", ",\n", "\n , "]),
    ) {
        let read = read_text(&json(&events, ","), false).unwrap();
        let other = read_text(&json(&shuffled, separator), false).unwrap();
        prop_assert_eq!(words(&read), words(&other));
        prop_assert_eq!(&read_trickling(&json(&shuffled, separator), bytes), &other.events);
        // Every event has its time, and times never decrease.
        let count: usize = read.events.values().map(Vec::len).sum();
        prop_assert_eq!(count, 2 * events.len());
        for events in read.events.values() {
            prop_assert!(events.is_sorted_by_key(|event| event.time));
        }
    }

    #[test]
    fn garbage_does_not_panic(
        text in "[\\[\\]{}\",:a-f0-9 \\\\\n]{0,60}",
        events in prop::collection::vec(complete(), 0..4),
        at in any::<prop::sample::Index>(),
    ) {
        let mut whole = json(&events, ",\n");
        whole.insert_str(at.index(whole.len()), &text);
        let _ = read_text(&whole, false);
        prop_assert!(read_text(&whole, true).is_ok());
    }
}
