//! Fields of all classes, in both versions.

use crate::trace::{TRACE, Trace, problems, show};

/// Returns the metadata of CTF 2 with an event whose payload has these members, after a class of streams with `header`.
fn json(members: &str) -> String {
    let fragments = [
        r#"{"type":"preamble","version":2}"#.to_owned(),
        r#"{"type":"field-class-alias","name":"u8","field-class":{"type":"fixed-length-unsigned-integer","length":8,"byte-order":"little-endian","alignment":8}}"#.to_owned(),
        r#"{"type":"data-stream-class"}"#.to_owned(),
        format!(
            r#"{{"type":"event-record-class","name":"e","payload-field-class":{{"type":"structure","member-classes":[{members}]}}}}"#
        ),
    ];
    fragments
        .iter()
        .map(|fragment| format!("\x1e{fragment}\n"))
        .collect()
}

fn events(metadata: &str, stream: &[u8]) -> Vec<String> {
    let mut lines = show(&Trace::new(metadata, stream).read());
    lines.remove(0);
    lines
}

#[test]
fn numbers_of_tsdl() {
    let metadata = format!(
        "{TRACE} event {{ name = e; fields := struct {{
            integer {{ size = 3; align = 1; }} low;
            integer {{ size = 5; align = 1; signed = true; }} _high;
            integer {{ size = 16; byte_order = be; }} big;
            floating_point {{ exp_dig = 8; mant_dig = 24; align = 8; }} single;
            floating_point {{ exp_dig = 11; mant_dig = 53; align = 8; byte_order = be; }} double;
            enum : u8 {{ ZERO, \"one to three\" = 1 ... 3, FOUR = 4 }} a, b, c;
            u32 after;
        }}; }};"
    );
    let mut stream = vec![0b1111_0101, 1, 2];
    stream.extend(0.5_f32.to_le_bytes());
    stream.extend((-2.25_f64).to_be_bytes());
    stream.extend([4, 2, 9, 7, 0, 0, 0]);
    let expected = "0 local e low=5 high=-2 big=258 single=0.5 double=-2.25 a=FOUR b.value=2 b=one to three c=9 after=7";
    assert_eq!(events(&metadata, &stream), [expected]);
}

#[test]
fn compounds_of_tsdl() {
    let metadata = format!(
        "{TRACE} typealias integer {{ size = 8; encoding = UTF8; }} := char;
        event {{ name = e; fields := struct {{
            string text;
            char fixed[4];
            u8 n;
            char counted[n];
            u8 list[n];
            u16 square[2][1];
            struct {{ u8 length; string names[length]; }} pairs[2];
            enum : u8 {{ NUMBER, TEXT }} tag;
            variant <tag> {{ u8 NUMBER; struct {{ string s; }} TEXT; }} v;
            struct {{ u8 x; struct {{ u8 y; }} inner; }} outer;
        }}; }};"
    );
    let stream = b"hi\0ab\0\0\x02xy\x05\x06\x01\0\x02\0\x01a\0\x02b\0c\0\x01tag\0\x08\x09";
    let expected = "0 local e text=hi fixed=ab n=2 counted=xy list=[5,6] square=[[1],[2]] \
        pairs=[{\"length\":1,\"names\":[\"a\"]},{\"length\":2,\"names\":[\"b\",\"c\"]}] \
        tag=TEXT v.s=tag outer.x=8 outer.inner.y=9";
    assert_eq!(events(&metadata, stream), [expected]);
}

#[test]
fn integers_of_ctf_2() {
    let members = r#"
        {"name":"var","field-class":{"type":"variable-length-unsigned-integer"}},
        {"name":"svar","field-class":{"type":"variable-length-signed-integer"}},
        {"name":"flag","field-class":{"type":"fixed-length-boolean","length":8,"byte-order":"little-endian"}},
        {"name":"map","field-class":{"type":"fixed-length-bit-map","length":8,"byte-order":"little-endian","flags":{"A":[[0,0]],"B":[[1,2]],"C":[[7,7]]}}},
        {"name":"reversed","field-class":{"type":"fixed-length-bit-array","length":8,"byte-order":"big-endian","bit-order":"first-to-last"}},
        {"name":"named","field-class":{"type":"fixed-length-signed-integer","length":16,"byte-order":"big-endian","mappings":{"minus":[[-3,-2]],"one":[[1,1]]}}},
        {"name":"half","field-class":{"type":"fixed-length-floating-point-number","length":16,"byte-order":"little-endian"}}"#;
    let stream = [
        0xe5,
        0x8e,
        0x26,
        0x7f,
        0x40,
        0b101,
        0b1000_0000,
        0xff,
        0xfd,
        0x00,
        0x3e,
    ];
    let expected = "0 local e var=624485 svar=-1 flag=1 map.value=5 map=A|B reversed=1 named.value=-3 named=minus half=1.5";
    assert_eq!(events(&json(members), &stream), [expected]);
}

#[test]
fn compounds_of_ctf_2() {
    let members = r#"
        {"name":"n","field-class":"u8"},
        {"name":"utf16","field-class":{"type":"null-terminated-string","encoding":"utf-16le"}},
        {"name":"utf32","field-class":{"type":"static-length-string","length":8,"encoding":"utf-32be"}},
        {"name":"counted","field-class":{"type":"dynamic-length-string","length-field-location":{"path":["n"]}}},
        {"name":"bytes","field-class":{"type":"dynamic-length-blob","length-field-location":{"origin":"event-record-payload","path":["n"]}}},
        {"name":"some","field-class":{"type":"optional","selector-field-location":{"path":["n"]},"selector-field-ranges":[[2,2]],"field-class":"u8"}},
        {"name":"none","field-class":{"type":"optional","selector-field-location":{"path":["n"]},"selector-field-ranges":[[3,9]],"field-class":"u8"}},
        {"name":"size","field-class":{"type":"variant","selector-field-location":{"path":["n"]},"options":[
            {"selector-field-ranges":[[0,1]],"field-class":"u8"},
            {"selector-field-ranges":[[2,5]],"field-class":{"type":"fixed-length-unsigned-integer","length":16,"byte-order":"little-endian"}}]}},
        {"name":"rows","field-class":{"type":"dynamic-length-array","length-field-location":{"path":["size"]},"element-field-class":{"type":"structure","member-classes":[
            {"name":"k","field-class":"u8"},
            {"name":"maybe","field-class":{"type":"optional","selector-field-location":{"path":["k"]},"selector-field-ranges":[[1,1]],"field-class":"u8"}},
            {"name":"outer","field-class":{"type":"dynamic-length-blob","length-field-location":{"path":[null,"n"]}}}]}}}"#;
    let mut stream = vec![2, b'a', 0, 0xe4, 0, 0, 0];
    stream.extend([0, 1, 0xf6, 0, 0, 0, 0, 0]);
    stream.extend(b"xy\xab\x0c\x07\x02\0\x01\x09\x01\x02\x00\x03\x04");
    let expected = "0 local e n=2 utf16=aä utf32=😀 counted=xy bytes=ab0c some=7 size=2 \
        rows=[{\"k\":1,\"maybe\":9,\"outer\":\"0102\"},{\"k\":0,\"maybe\":null,\"outer\":\"0304\"}]";
    assert_eq!(events(&json(members), &stream), [expected]);
}

/// As Trace Compass's samples of version 2 have them.
#[test]
fn compounds_of_drafts_of_ctf_2() {
    let metadata = json(
        r#"{"name":"tag","field-class":{"type":"fixed-length-unsigned-enumeration","length":8,"byte-order":"little-endian","mappings":{"number":[[0,0]],"text":[[1,9]]}}},
        {"name":"count","field-class":{"type":"variable-length-signed-enumeration","mappings":{"two":[[2,2]]}}},
        {"name":"list","field-class":{"type":"dynamic-length-array","element-field-class":"u8","length-field-location":["event-record-payload","count"]}},
        {"name":"either","field-class":{"type":"variant","selector-field-location":["event-record-payload","tag"],"options":[
            {"field-class":"u8","selector-field-ranges":[[0,0]]},
            {"field-class":{"type":"null-terminated-string"},"selector-field-ranges":[[1,9]]}]}}"#,
    );
    let stream = b"\x05\x02\x07\x08hi\0";
    let expected = "0 local e tag.value=5 tag=text count=two list=[7,8] either=hi";
    assert_eq!(events(&metadata, stream), [expected]);
    let wrong = metadata.replace(
        "[\"event-record-payload\",\"tag\"]",
        "[\"payload\",\"tag\"]",
    );
    assert_eq!(
        Trace::new(&wrong, stream).error(),
        "there is no origin \"payload\""
    );
}

#[test]
fn damaged_texts_are_reported() {
    let metadata = format!("{TRACE} event {{ name = e; fields := struct {{ string s; }}; }};");
    let trace = Trace::new(&metadata, b"a\xff\0").read();
    assert_eq!(show(&trace)[1], "0 local e s=a\u{fffd}");
    assert_eq!(problems(&trace), ["ctf.damaged_text 1", "ctf.no_clock 1"]);
}

#[test]
fn what_metadata_must_not_have() {
    for (text, message) in [
        (
            "event { name = e; fields := struct { missing x; }; };",
            "there is no type 'missing'",
        ),
        (
            "event { name = e; fields := struct { u8 a[b]; }; };",
            "event 'e': the length of the field 'a' is 'b', which is no integer that precedes it",
        ),
        (
            "event { name = e; fields := struct { u8 a; u8 a; }; };",
            "there are two fields 'a'",
        ),
        (
            "event { name = e; id = 1; }; event { name = f; id = 1; };",
            "stream 0 has two events with the number 1",
        ),
        (
            "event { name = e; fields := struct { u8 a; variant <a> { u8 b; } v; }; };",
            "event 'e': the selector of the variant 'v' is no enumeration",
        ),
        (
            &format!("typealias {} u8 {{ A }} := deep;", "enum :".repeat(100_000)),
            "types are nested too deeply",
        ),
        (
            &format!(
                "clock {{ name = c; offset = {} x; }};",
                "- ".repeat(100_001)
            ),
            "expected a number, found 'x'",
        ),
        (
            "typealias integer { size = 65; } := u65;",
            "expected an integer of 1 to 64 bits, found 65",
        ),
        (
            "clock { name = c; freq = 0; };",
            "a clock has no name, or a frequency of 0",
        ),
        (
            "event { name = e; fields := struct { integer { size = 8; map = clock.c.value; } a; }; }; /*",
            "a comment has no end",
        ),
    ] {
        assert_eq!(Trace::new(&format!("{TRACE}{text}"), b"").error(), message);
    }
    assert_eq!(
        Trace::new("\x1e{\"type\":\"preamble\",\"version\":3}", b"").error(),
        "expected version 2 of CTF, found 3"
    );
}

#[test]
fn types_that_double_again_and_again_are_refused() {
    let mut text = TRACE.to_owned();
    text.push_str("typealias struct { u8 a; u8 b; } := t0;\n");
    for level in 1..40 {
        text.push_str(&format!(
            "typealias struct {{ t{0} a; t{0} b; }} := t{level};\n",
            level - 1
        ));
    }
    text.push_str("event { name = e; fields := struct { t39 x; }; };");
    let message = "event 'e': the types of the metadata expand to too many fields";
    assert_eq!(Trace::new(&text, b"").error(), message);
}
