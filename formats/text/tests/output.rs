//! Checks where outputs are written, and what remains of an unfinished output.

use std::fs;
use std::path::Path;

use foldtrace_testing::read;
use foldtrace_text::TextFormat;
use foldtrace_trace::{
    DefinitionKind, Definitions, ErrorKind, EventBatch, EventKind, Format, Input, LocationId,
    Output, PathKind, Position, Probe, Quantity, ReadOptions, Remedy, Symbol, SymbolTable,
    Timestamp, TraceError, TraceWriter, UNDEFINED,
};

fn create(path: &Path, replace: bool) -> Result<Box<dyn TraceWriter>, TraceError> {
    TextFormat.create(Output::Path {
        path: path.to_owned(),
        replace,
    })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Two processes, the second of them with the smaller location id, and one send each.
fn write_two(mut writer: Box<dyn TraceWriter>) {
    let mut definitions = Definitions::default();
    for (group, location) in [(0, 90), (1, 4)] {
        definitions.push(
            DefinitionKind::LocationGroup,
            &[group, UNDEFINED, 1],
            &[],
            "",
        );
        definitions.push(
            DefinitionKind::Location,
            &[location, UNDEFINED, 1, 1, group],
            &[],
            "",
        );
    }
    writer.definitions(&definitions).unwrap();
    let mut symbols = SymbolTable::default();
    for (location, peer) in [(90, 1), (4, 0)] {
        let symbol = symbols.intern(Symbol::new(EventKind::MpiSend, &[peer, UNDEFINED, 5]));
        let mut batch = EventBatch::default();
        batch.reset(LocationId(location), Position(0));
        batch.push(symbol, Timestamp(7), &[(Quantity::Bytes, 8)]);
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn an_unfinished_trace_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.trace", "b/"] {
        let writer = create(&folder.path().join(name), false).unwrap();
        assert_eq!(
            names(folder.path()).len(),
            1,
            "the output grows under another name"
        );
        assert!(!folder.path().join(name).exists());
        drop(writer);
        assert!(names(folder.path()).is_empty());
    }
}

#[test]
fn existing_files_are_kept_unless_they_may_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    fs::write(&path, "mine").unwrap();
    let error = create(&path, false).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Output);
    assert_eq!(error.remedy, Some(Remedy::Replace));
    drop(create(&path, true).unwrap());
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "mine",
        "an unfinished output does not replace the file"
    );
    write_two(create(&path, true).unwrap());
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .ends_with("\n1 send 0 5 comm=* time=7 bytes=8\n")
    );
    assert_eq!(names(folder.path()), ["a.trace"]);
    // An output created in the meantime is kept, too.
    let late = folder.path().join("late.trace");
    let writer = create(&late, false).unwrap();
    fs::write(&late, "mine").unwrap();
    assert_eq!(writer.finish().unwrap_err().kind, ErrorKind::Output);
    assert_eq!(names(folder.path()), ["a.trace", "late.trace"]);
}

#[test]
fn each_file_of_a_folder_can_be_read_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out/");
    write_two(create(&path, false).unwrap());
    assert_eq!(names(&path), ["0.trace", "1.trace"]);
    let whole = read(&TextFormat, &path, false).unwrap();
    assert_eq!(
        whole.definitions.len(),
        4,
        "definitions of both files count once"
    );
    let part = read(&TextFormat, &path.join("1.trace"), false).unwrap();
    assert_eq!(part.definitions, whole.definitions);
    assert_eq!(part.events.len(), 1);
    assert_eq!(part.events[&LocationId(4)], whole.events[&LocationId(4)]);
    assert!(TextFormat.sniff(&Probe {
        path: &path,
        kind: PathKind::Folder,
        head: &[]
    }));

    assert_eq!(create(&path, false).err().unwrap().kind, ErrorKind::Output);
    write_two(create(&path, true).unwrap());
    assert_eq!(names(folder.path()), ["out"]);
    fs::write(path.join("thesis.tex"), "").unwrap();
    let error = create(&path, true).err().unwrap();
    assert!(
        error
            .message
            .contains("not a folder that contains only *.trace files"),
        "{error}"
    );
    assert!(
        create(&folder.path().join("out"), true).is_err(),
        "a file cannot replace a folder"
    );
}

#[test]
fn missing_inputs_and_folders_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| {
        let input = Input::Path(folder.path().join(name));
        TextFormat
            .open(input, &ReadOptions::default())
            .err()
            .unwrap()
    };
    assert_eq!(open("none.trace").kind, ErrorKind::Unreadable);
    assert_eq!(open("").kind, ErrorKind::Foreign);
    let error = create(&folder.path().join("none/a.trace"), false)
        .err()
        .unwrap();
    assert_eq!(
        error.hint.as_deref(),
        Some("the parent folder does not exist")
    );
}

#[test]
fn a_trace_can_be_read_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    fs::write(&path, "#: string id=0 \"x\"\n0 local x\n").unwrap();
    let reader = TextFormat
        .open(Input::Path(path), &ReadOptions::default())
        .unwrap();
    assert_eq!(reader.definitions().len(), 1);
    for _ in 0..2 {
        let mut stream = reader.open_stream(0).unwrap();
        let mut batch = EventBatch::default();
        stream
            .next_batch(&mut batch, &mut Default::default())
            .unwrap();
        assert_eq!(batch.len(), 1);
        assert_eq!(
            batch.definitions.len(),
            2,
            "a process and a location, but not the string again"
        );
        assert_eq!(stream.bytes_read(), reader.streams()[0].bytes);
    }
    assert_eq!(reader.open_stream(1).err().unwrap().kind, ErrorKind::Usage);
}

#[test]
fn a_line_without_end_is_dropped_and_reading_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    let endless = "x".repeat(65 << 20);
    fs::write(&path, format!("0 local a\n{endless}\n0 local b\n")).unwrap();
    let read = read(&TextFormat, &path, false).unwrap();
    assert_eq!(read.errors.len(), 1);
    assert_eq!(read.errors[0].place.line, Some(2));
    assert_eq!(read.errors[0].place.byte, Some(10));
    assert_eq!(read.events[&LocationId(0)].len(), 2);
}

#[test]
fn mixed_lines_become_large_batches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    let lines: String = (0..100_000)
        .map(|i| format!("{} local enter f\n", i % 4))
        .collect();
    fs::write(&path, lines).unwrap();
    let read = read(&TextFormat, &path, false).unwrap();
    assert_eq!(read.events.values().map(Vec::len).sum::<usize>(), 100_000);
    assert_eq!(read.batches, 4 * 25_000usize.div_ceil(8192));
}
