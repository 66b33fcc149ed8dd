//! The format of an input is recognised by its content.

use std::fs;

use foldtrace::store::StoreReader;

use crate::common::Folder;

/// Returns JSON whose events follow `filling` bytes of other properties, as some programs write them.
fn object(filling: usize, key: &str, events: &str) -> String {
    let filling = "x".repeat(filling);
    format!(r#"{{"metadata": {{"model": "{filling}"}}, "{key}": [{events}]}}"#)
}

#[test]
fn long_properties_before_the_events_of_json() {
    let call = r#"{"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "name": "step"}"#;
    let operation = r#"{"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "name": "step", "args": {"External id": 7}}"#;
    let folder = Folder::new();
    for (filling, event, format) in [(20_000, call, "chrome"), (900_000, operation, "kineto")] {
        let text = object(filling, "traceEvents", event);
        folder.write("run.json", &text);
        folder.say("convert run.json run.fold --force").exits(0);
        let store = StoreReader::open(&folder.path("run.fold")).unwrap();
        assert_eq!(store.manifest().source.format, format);
        folder.feed("convert - piped.fold --force", &text).exits(0);
        let piped = StoreReader::open(&folder.path("piped.fold")).unwrap();
        assert_eq!(piped.manifest().counts.events, 2);
    }
    fs::create_dir(folder.path("ranks")).unwrap();
    folder.write("ranks/rank0.json", object(20_000, "traceEvents", operation));
    folder.say("convert ranks ranks.fold").exits(0);

    folder.write("other.json", object(20_000, "events", call));
    let refused = folder.say("convert other.json other.fold").exits(4);
    assert!(
        refused
            .stderr
            .contains("other.json is JSON, but has no trace events")
    );
}

#[test]
fn json_of_rocprofv3_is_named() {
    let folder = Folder::new();
    folder.write(
        "run.json",
        r#"{"rocprofiler-sdk-tool": [{"metadata": {}}]}"#,
    );
    let refused = folder.say("convert run.json run.fold").exits(4);
    assert!(
        refused.stderr.contains("rocprofv3 --output-format rocpd"),
        "{refused:?}"
    );
}
