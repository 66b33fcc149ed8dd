//! Writes archives with the library, and reads them with a visitor that keeps everything.

use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};

use otf2_sys::bindings::*;
use otf2_sys::safe::{Archive, Attributes, EventCode, EventVisitor};

/// Panics unless `code` is success.
pub fn ok(code: OTF2_ErrorCode) {
    assert_eq!(code, OTF2_ErrorCode_OTF2_SUCCESS);
}

unsafe extern "C" fn flush(
    _: *mut c_void,
    _: OTF2_FileType,
    _: OTF2_LocationRef,
    _: *mut c_void,
    _: bool,
) -> OTF2_FlushType {
    OTF2_FlushType_enum_OTF2_FLUSH as OTF2_FlushType
}

/// Writes an archive of one location, with the events and the local definitions that the closures write.
pub fn write(
    folder: &Path,
    location: u64,
    events: impl FnOnce(*mut OTF2_EvtWriter),
    local: impl FnOnce(*mut OTF2_DefWriter),
) -> PathBuf {
    let path = CString::new(folder.to_str().unwrap()).unwrap();
    unsafe {
        let archive = OTF2_Archive_Open(
            path.as_ptr(),
            c"test".as_ptr(),
            OTF2_FileMode_enum_OTF2_FILEMODE_WRITE as OTF2_FileMode,
            256 * 1024,
            256 * 1024,
            OTF2_FileSubstrate_enum_OTF2_SUBSTRATE_POSIX as OTF2_FileSubstrate,
            OTF2_Compression_enum_OTF2_COMPRESSION_NONE as OTF2_Compression,
        );
        let callbacks = OTF2_FlushCallbacks {
            otf2_pre_flush: Some(flush),
            otf2_post_flush: None,
        };
        ok(OTF2_Archive_SetFlushCallbacks(
            archive,
            &callbacks,
            std::ptr::null_mut(),
        ));
        ok(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
        ok(OTF2_Archive_SetCreator(archive, c"a test".as_ptr()));
        ok(OTF2_Archive_SetProperty(
            archive,
            c"TEST::NAME".as_ptr(),
            c"value".as_ptr(),
            false,
        ));
        ok(OTF2_Archive_OpenEvtFiles(archive));
        let writer = OTF2_Archive_GetEvtWriter(archive, location);
        events(writer);
        let mut count = 0;
        ok(OTF2_EvtWriter_GetNumberOfEvents(writer, &mut count));
        ok(OTF2_Archive_CloseEvtWriter(archive, writer));
        ok(OTF2_Archive_CloseEvtFiles(archive));
        ok(OTF2_Archive_OpenDefFiles(archive));
        let writer = OTF2_Archive_GetDefWriter(archive, location);
        local(writer);
        ok(OTF2_Archive_CloseDefWriter(archive, writer));
        ok(OTF2_Archive_CloseDefFiles(archive));
        let writer = OTF2_Archive_GetGlobalDefWriter(archive);
        ok(OTF2_GlobalDefWriter_WriteString(
            writer,
            0,
            c"name".as_ptr(),
        ));
        ok(OTF2_GlobalDefWriter_WriteSystemTreeNode(
            writer,
            0,
            0,
            0,
            u32::MAX,
        ));
        ok(OTF2_GlobalDefWriter_WriteLocationGroup(
            writer,
            0,
            0,
            1,
            0,
            u32::MAX,
        ));
        ok(OTF2_GlobalDefWriter_WriteLocation(
            writer, location, 0, 1, count, 0,
        ));
        let members = [location];
        ok(OTF2_GlobalDefWriter_WriteGroup(
            writer,
            3,
            0,
            1,
            4,
            0,
            1,
            members.as_ptr(),
        ));
        let value = OTF2_AttributeValue { int8: -3 };
        ok(OTF2_GlobalDefWriter_WriteLocationProperty(
            writer, location, 0, 5, value,
        ));
        ok(OTF2_Archive_Close(archive));
    }
    folder.join("test.otf2")
}

/// An event as read back; metrics and the beginning of the program have no code.
#[derive(Debug, Default, PartialEq)]
pub struct ReadEvent {
    pub code: Option<EventCode>,
    pub time: u64,
    pub operands: Vec<u64>,
    pub quantities: Vec<u64>,
    pub attributes: Vec<(u64, u8, u64)>,
}

/// A visitor that keeps all events.
#[derive(Default)]
pub struct Events(pub Vec<ReadEvent>);

fn list(attributes: Attributes<'_>) -> Vec<(u64, u8, u64)> {
    let mut all = Vec::new();
    attributes.for_each(|attribute, value_type, bits| all.push((attribute, value_type, bits)));
    all
}

impl EventVisitor for Events {
    fn event<const O: usize, const Q: usize>(
        &mut self,
        code: EventCode,
        time: u64,
        operands: [u64; O],
        quantities: [u64; Q],
        attributes: Attributes<'_>,
    ) {
        let (operands, quantities) = (operands.to_vec(), quantities.to_vec());
        let attributes = list(attributes);
        self.0.push(ReadEvent {
            code: Some(code),
            time,
            operands,
            quantities,
            attributes,
        });
    }

    fn metric(
        &mut self,
        time: u64,
        metric: u64,
        types: &[u8],
        values: &[u64],
        attributes: Attributes<'_>,
    ) {
        let operands = [metric]
            .into_iter()
            .chain(types.iter().map(|&t| t.into()))
            .collect();
        let attributes = list(attributes);
        self.0.push(ReadEvent {
            code: None,
            time,
            operands,
            quantities: values.to_vec(),
            attributes,
        });
    }

    fn program_begin(
        &mut self,
        time: u64,
        name: u64,
        arguments: &[u32],
        attributes: Attributes<'_>,
    ) {
        let quantities = arguments.iter().map(|&argument| argument.into()).collect();
        let attributes = list(attributes);
        self.0.push(ReadEvent {
            code: None,
            time,
            operands: vec![name],
            quantities,
            attributes,
        });
    }
}

/// Reads all events of a location.
pub fn read(anchor: &Path, location: u64) -> Vec<ReadEvent> {
    let mut reader = Archive::open(anchor)
        .unwrap()
        .into_events(location, u64::MAX)
        .unwrap();
    let mut events = Events::default();
    while reader.read(1000, &mut events).unwrap() == 1000 {}
    assert_eq!(
        reader.read(1000, &mut events),
        Ok(0),
        "nothing is read after the end"
    );
    events.0
}
