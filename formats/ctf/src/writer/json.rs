//! Metadata of version 2: a sequence of JSON texts (RFC 7464).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::classes::Named;
use super::description::{Description, EventClass, Field, FieldClass, LOCATION, id_name};
use crate::ours::JSON_BEGINNING;
use crate::ours::packet::{CLASS_BITS, FULL, TIME_BITS};

/// The name of the clock.
const CLOCK: &str = "ticks";

/// Returns the metadata of a trace.
pub(super) fn metadata(trace: &Description) -> String {
    let entries = trace.environment.iter().map(|(name, text)| (name, text));
    let environment: BTreeMap<_, _> = entries.collect();
    let (seconds, cycles) = trace.origin;
    let mut fragments = vec![
        json!({
            "type": "trace-class",
            "environment": environment,
            "packet-header-field-class": structure([
                ("magic", with_role(integer(32, false), "packet-magic-number")),
            ]),
        }),
        json!({
            "type": "clock-class",
            "id": CLOCK,
            "name": CLOCK,
            "frequency": trace.ticks_per_second,
            "origin": "unix-epoch",
            "offset-from-origin": {"seconds": seconds, "cycles": cycles},
        }),
    ];
    if !trace.events.is_empty() {
        fragments.extend(trace.labels.iter().map(|(&(named, bits), labels)| {
            json!({
                "type": "field-class-alias",
                "name": id_name(named, bits),
                "field-class": labelled(labels, bits),
            })
        }));
        fragments.push(stream());
    }
    let events = (0_u32..).zip(&trace.events);
    fragments.extend(events.map(|(id, class)| event(id, class)));
    let texts = fragments
        .iter()
        .map(|fragment| format!("\u{1e}{fragment}\n"));
    std::iter::once(JSON_BEGINNING.to_owned())
        .chain(texts)
        .collect()
}

/// Returns the contexts of packets and the headers of events.
fn stream() -> Value {
    let time = |bits, role| with_role(integer(bits, false), role);
    let mut low_time = time(TIME_BITS, "default-clock-timestamp");
    let mut class = with_role(integer(CLASS_BITS, false), "event-record-class-id");
    for bit_field in [&mut low_time, &mut class] {
        bit_field["alignment"] = json!(1);
    }
    let full = structure([
        ("id", with_role(integer(32, false), "event-record-class-id")),
        ("timestamp", time(64, "default-clock-timestamp")),
    ]);
    let option = |name, first, last, class: Value| json!({"name": name, "selector-field-ranges": [[first, last]], "field-class": class});
    let mut header = structure([
        ("id", class),
        (
            "v",
            json!({
                "type": "variant",
                "selector-field-location": {"origin": "event-record-header", "path": ["id"]},
                "options": [
                    option("brief", 0, FULL - 1, structure([("timestamp", low_time)])),
                    option("full", FULL, FULL, full),
                ],
            }),
        ),
    ]);
    header["minimum-alignment"] = json!(8);
    json!({
        "type": "data-stream-class",
        "default-clock-class-id": CLOCK,
        "packet-context-field-class": structure([
            ("timestamp_begin", time(64, "default-clock-timestamp")),
            ("timestamp_end", time(64, "packet-end-default-clock-timestamp")),
            ("content_size", with_role(integer(64, false), "packet-content-length")),
            ("packet_size", with_role(integer(64, false), "packet-total-length")),
            ("location", json!(id_name(LOCATION, 64))),
            ("process", json!(id_name(Named::Process, 64))),
        ]),
        "event-record-header-field-class": header,
    })
}

fn event(id: u32, class: &EventClass) -> Value {
    json!({
        "type": "event-record-class",
        "id": id,
        "name": class.name,
        "payload-field-class": structure(class.fields.iter().map(member)),
    })
}

fn member(field: &Field) -> (&str, Value) {
    let class = match field.class {
        FieldClass::Integer { bits, is_signed } => integer(bits, is_signed),
        FieldClass::Real(bits) => fixed("floating-point-number", bits),
        FieldClass::Id(named, bits) => json!(id_name(named, bits)),
    };
    (&field.name, class)
}

fn structure<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let members = members.into_iter();
    let members = members.map(|(name, class)| json!({"name": name, "field-class": class}));
    json!({"type": "structure", "member-classes": members.collect::<Vec<_>>()})
}

fn integer(bits: u32, is_signed: bool) -> Value {
    fixed(
        if is_signed {
            "signed-integer"
        } else {
            "unsigned-integer"
        },
        bits,
    )
}

fn fixed(class: &str, bits: u32) -> Value {
    json!({
        "type": format!("fixed-length-{class}"),
        "length": bits,
        "alignment": 8,
        "byte-order": "little-endian",
    })
}

fn with_role(mut class: Value, role: &str) -> Value {
    class["roles"] = json!([role]);
    class
}

/// Returns the class of ids of some bits, with their labels.
fn labelled(labels: &[(u64, String)], bits: u32) -> Value {
    // Several ids may have the same label.
    let mut ranges: BTreeMap<&str, Vec<[u64; 2]>> = BTreeMap::new();
    for (id, label) in labels {
        ranges.entry(label).or_default().push([*id, *id]);
    }
    let mut class = integer(bits, false);
    class["mappings"] = json!(ranges);
    class
}
