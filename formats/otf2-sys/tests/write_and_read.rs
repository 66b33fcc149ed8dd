//! Writes archives with the library and reads them back with the safe layer.

use std::path::Path;

use otf2_sys::bindings::*;
use otf2_sys::safe::{Archive, DefinitionCode, DefinitionVisitor, LocalVisitor, UNDEFINED};

use crate::common::{Events, ok, read, write};

#[test]
fn metrics_arguments_attributes_and_undefined_operands_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let events = |writer| unsafe {
        let values = [
            OTF2_MetricValue { unsigned_int: 5 },
            OTF2_MetricValue {
                floating_point: 0.5,
            },
            OTF2_MetricValue { signed_int: -1 },
        ];
        let none = std::ptr::null_mut();
        ok(OTF2_EvtWriter_Metric(
            writer,
            none,
            1,
            9,
            3,
            [4, 10, 8].as_ptr(),
            values.as_ptr(),
        ));
        ok(OTF2_EvtWriter_ProgramBegin(
            writer,
            none,
            2,
            8,
            2,
            [4, 6].as_ptr(),
        ));
        let attributes = OTF2_AttributeList_New();
        ok(OTF2_AttributeList_AddInt16(attributes, 3, -2));
        ok(OTF2_AttributeList_AddStringRef(attributes, 4, 0));
        ok(OTF2_EvtWriter_Enter(writer, attributes, 3, u32::MAX));
        ok(OTF2_AttributeList_Delete(attributes));
        ok(OTF2_EvtWriter_MpiSend(writer, none, 4, u32::MAX, 1, 2, 3));
    };
    let seen = read(&write(folder.path(), 0, events, |_| {}), 0);
    let bits = [5, 0.5f64.to_bits(), u64::MAX];
    assert_eq!(
        (&seen[0].operands[..], &seen[0].quantities[..]),
        (&[9, 4, 10, 8][..], &bits[..])
    );
    assert_eq!(
        (&seen[1].operands[..], &seen[1].quantities[..]),
        (&[8][..], &[4, 6][..])
    );
    assert_eq!(seen[2].operands, [UNDEFINED]);
    let mut attributes = seen[2].attributes.clone();
    attributes.sort_unstable();
    assert_eq!(attributes, [(3, 6, (-2i64).cast_unsigned()), (4, 11, 0)]);
    assert_eq!(seen[3].operands, [UNDEFINED, 1, 2]);
    assert!(seen[3].attributes.is_empty());
}

#[test]
fn local_definitions_are_applied_and_visited() {
    #[derive(Default)]
    struct Local(Vec<(u8, Vec<u64>)>, Vec<(u64, i64, f64)>);
    impl LocalVisitor for Local {
        fn mapping_table(&mut self, kind: u8, pairs: &[u64]) {
            self.0.push((kind, pairs.to_vec()));
        }
        fn clock_offset(&mut self, time: u64, offset: i64, standard_deviation: f64) {
            self.1.push((time, offset, standard_deviation));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let region = OTF2_MappingType_enum_OTF2_MAPPING_REGION as OTF2_MappingType;
    let anchor = write(
        folder.path(),
        5,
        |writer| ok(unsafe { OTF2_EvtWriter_Enter(writer, std::ptr::null_mut(), 1000, 2) }),
        |writer| unsafe {
            let map = OTF2_IdMap_CreateFromUint64Array(3, [10, 11, 12].as_ptr(), false);
            ok(OTF2_DefWriter_WriteMappingTable(writer, region, map));
            OTF2_IdMap_Free(map);
            ok(OTF2_DefWriter_WriteClockOffset(writer, 0, -100, 0.25));
            ok(OTF2_DefWriter_WriteClockOffset(writer, 2000, -100, 0.25));
        },
    );
    let seen = read(&anchor, 5);
    assert_eq!((seen[0].time, &seen[0].operands[..]), (900, &[12][..]));
    let mut read_back = Vec::new();
    let mut archive = Archive::open(&anchor).unwrap();
    archive
        .local_definitions(
            &[(5, u64::MAX)],
            |_| Local::default(),
            |id, local, result| {
                read_back.push((id, local, result));
            },
        )
        .unwrap();
    let (id, local, result) = &read_back[0];
    assert_eq!((*id, result), (5, &Ok(3)));
    assert_eq!(local.0, [(region, vec![0, 10, 1, 11, 2, 12])]);
    assert_eq!(local.1, [(0, -100, 0.25), (2000, -100, 0.25)]);
    // Without local definitions, ids and times are those of the file.
    let mut reader = Archive::open(&anchor).unwrap().into_events(5, 0).unwrap();
    let mut events = Events::default();
    reader.read(10, &mut events).unwrap();
    assert_eq!(
        (events.0[0].time, &events.0[0].operands[..]),
        (1000, &[2][..])
    );
}

#[test]
fn the_anchor_and_the_definitions_come_back() {
    type Record = (DefinitionCode, Vec<u64>, Vec<u64>, Vec<u8>);
    #[derive(Default)]
    struct Definitions(Vec<Record>);
    impl DefinitionVisitor for Definitions {
        fn definition(&mut self, code: DefinitionCode, fields: &[u64], list: &[u64], text: &[u8]) {
            self.0
                .push((code, fields.to_vec(), list.to_vec(), text.to_vec()));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let anchor = write(folder.path(), 1 << 40, |_| {}, |_| {});
    let mut archive = Archive::open(&anchor).unwrap();
    let read = archive.anchor().unwrap();
    assert_eq!(
        (read.creator.as_str(), read.locations, read.plain_files),
        ("a test", 1, true)
    );
    assert_eq!(
        read.properties,
        [("TEST::NAME".to_owned(), "value".to_owned())]
    );
    assert_eq!(
        (read.event_chunk, read.definition_chunk),
        (256 * 1024, 256 * 1024)
    );
    let mut definitions = Definitions::default();
    assert_eq!(
        archive.global_definitions(u64::MAX, &mut definitions),
        Ok(6)
    );
    let location = 1 << 40;
    let expected = [
        (DefinitionCode::String, vec![0], vec![], b"name".to_vec()),
        (
            DefinitionCode::SystemTreeNode,
            vec![0, 0, 0, UNDEFINED],
            vec![],
            vec![],
        ),
        (
            DefinitionCode::LocationGroup,
            vec![0, 0, 1, 0, UNDEFINED],
            vec![],
            vec![],
        ),
        (
            DefinitionCode::Location,
            vec![location, 0, 1, 0, 0],
            vec![],
            vec![],
        ),
        (
            DefinitionCode::Group,
            vec![3, 0, 1, 4, 0],
            vec![location],
            vec![],
        ),
        (
            DefinitionCode::LocationProperty,
            vec![location, 0, 5, (-3i64).cast_unsigned()],
            vec![],
            vec![],
        ),
    ];
    assert_eq!(definitions.0, expected);
}

#[test]
fn many_chunks_are_read_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = write(
        folder.path(),
        0,
        |writer| {
            for time in 0..200_000 {
                ok(unsafe { OTF2_EvtWriter_Enter(writer, std::ptr::null_mut(), time, 300) });
            }
        },
        |_| {},
    );
    let seen = read(&anchor, 0);
    assert_eq!(seen.len(), 200_000);
    assert!(
        seen.iter()
            .zip(0..)
            .all(|(event, time)| event.time == time && event.operands == [300])
    );
}

#[test]
fn messages_of_the_library_are_part_of_the_error() {
    let error = Archive::open(Path::new("/does/not/exist.otf2")).unwrap_err();
    assert!(error.message.contains("exist.otf2"), "{error}");
    assert!(
        !error.name.is_empty() && error.to_string().starts_with("libotf2: "),
        "{error}"
    );
    let folder = tempfile::tempdir().unwrap();
    let anchor = write(folder.path(), 0, |_| {}, |_| {});
    let error = Archive::open(&anchor)
        .unwrap()
        .into_events(99, 0)
        .unwrap_err();
    assert!(!error.to_string().is_empty());
}
