//! Checks that any trace is unchanged after writing and reading it, and that the output is JSON that other programs
//! accept.

use std::collections::HashMap;

use foldtrace_chrome::Chrome;
use foldtrace_testing::{Part, Record, check_reads_back, part, record, write};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

fn check(records: &[Record], parts: &[Part], name: &str) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let written = write(&Chrome, &path, records, parts, false);
    prop_assert!(written.diagnostics.is_empty());
    let text = if name.ends_with(".json") {
        std::fs::read_to_string(&path).unwrap()
    } else {
        String::new()
    };
    check_reads_back(&Chrome, &path, &written, &text)?;
    if !text.is_empty() {
        check_json(&text);
    }
    Ok(())
}

/// Checks the requirements of viewers: 32-bit threads with names, nested slices, and counters that are numbers.
fn check_json(written: &str) {
    let json: Value = serde_json::from_str(written).unwrap();
    let mut open = HashMap::new();
    let mut named = Vec::new();
    for event in json["traceEvents"].as_array().unwrap() {
        let place = (
            event["pid"].as_u64().unwrap(),
            event["tid"].as_u64().unwrap(),
        );
        assert!(place.0 <= i32::MAX as u64 && place.1 <= i32::MAX as u64);
        let phase = event["ph"].as_str().unwrap();
        if phase == "M" {
            if event["name"] == "thread_name" {
                assert!(!named.contains(&place), "{event}");
                named.push(place);
            }
            continue;
        }
        assert!(named.contains(&place), "{event}");
        assert!(event["ts"].is_number());
        let depth: &mut u64 = open.entry(place).or_default();
        match phase {
            "B" => *depth += 1,
            "E" => *depth = depth.checked_sub(1).unwrap(),
            "C" => {
                for value in event["args"].as_object().unwrap().values() {
                    let is_large = value.as_str().is_some_and(|v| v.parse::<f64>().is_ok());
                    assert!(value.is_number() || is_large, "{event}");
                }
            }
            "s" | "f" => assert!(event["id"].as_str().unwrap().starts_with("0x")),
            "i" => assert_eq!(event["s"], "t"),
            _ => panic!("{event}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_file_reads_back(
        records in prop::collection::vec(record(), 0..40),
        parts in prop::collection::vec(part(), 0..6),
        name in select(vec!["a.json", "a.json", "a.json.gz", "a.json.zst"]),
    ) {
        check(&records, &parts, name)?;
    }
}
