//! Reads an archive with libotf2.

use std::path::Path;

use otf2_sys::safe::{
    Archive, Attributes, DefinitionCode, DefinitionVisitor, EventCode, EventVisitor, LibraryError,
    LocalVisitor, MarkerVisitor, SnapshotCode, SnapshotVisitor, UNDEFINED,
};

use super::{ArchiveContent, Definition, Event, Snapshot};

/// Returns the content of an archive according to libotf2, with ids and times corrected.
///
/// # Errors
/// Returns an error if libotf2 does not accept all of the archive.
pub fn read_content(anchor: &Path) -> Result<ArchiveContent, LibraryError> {
    let mut content = ArchiveContent::default();
    let mut definitions = Definitions::default();
    Archive::open(anchor)?.global_definitions(u64::MAX, &mut definitions)?;
    content.definitions = definitions.0;
    let is_location = |record: &&Definition| record.0 == "Location";
    let mut locations: Vec<u64> = content
        .definitions
        .iter()
        .filter(is_location)
        .map(|record| record.1[0])
        .collect();
    locations.sort_unstable();
    locations.dedup();
    for location in locations {
        let mut own = Own::default();
        let mut result = Ok(0);
        Archive::open(anchor)?.local_definitions(
            &[(location, u64::MAX)],
            |_| Own::default(),
            |_, read, read_result| (own, result) = (read, read_result),
        )?;
        result?;
        content.own.insert(location, own.definitions);
        content.mappings.insert(location, own.mappings);
        content.clocks.insert(location, own.clocks);
        let mut events = Events::default();
        let mut reader = Archive::open(anchor)?.into_events(location, u64::MAX)?;
        while reader.read(10_000, &mut events)? == 10_000 {}
        content.events.insert(location, events.0);
        let snapshots = anchor.with_extension("").join(format!("{location}.snap"));
        if snapshots.exists() {
            let mut snapshots = Snapshots::default();
            Archive::open(anchor)?.snapshots(location, &mut snapshots)?;
            if !snapshots.0.is_empty() {
                content.snapshots.insert(location, snapshots.0);
            }
        }
    }
    if anchor.with_extension("marker").exists() {
        let mut markers = Markers::default();
        Archive::open(anchor)?.markers(&mut markers)?;
        content.markers = markers.0;
    }
    Ok(content)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn list(attributes: Attributes<'_>) -> Vec<(u64, u8, u64)> {
    let mut all = Vec::new();
    attributes.for_each(|attribute, value_type, bits| all.push((attribute, value_type, bits)));
    all.sort_unstable();
    all
}

fn definition(code: DefinitionCode, fields: &[u64], list: &[u64], bytes: &[u8]) -> Definition {
    let kind = format!("{code:?}");
    (kind, fields.to_vec(), list.to_vec(), text(bytes))
}

#[derive(Default)]
struct Definitions(Vec<Definition>);

impl DefinitionVisitor for Definitions {
    fn definition(&mut self, code: DefinitionCode, fields: &[u64], list: &[u64], text: &[u8]) {
        self.0.push(definition(code, fields, list, text));
    }
}

#[derive(Default)]
struct Own {
    definitions: Vec<Definition>,
    mappings: Vec<(u64, Vec<u64>)>,
    clocks: Vec<(u64, u64, u64)>,
}

impl LocalVisitor for Own {
    fn mapping_table(&mut self, kind: u8, pairs: &[u64]) {
        self.mappings.push((kind.into(), pairs.to_vec()));
    }

    fn clock_offset(&mut self, time: u64, offset: i64, standard_deviation: f64) {
        let offset = offset.cast_unsigned();
        self.clocks
            .push((time, offset, standard_deviation.to_bits()));
    }

    fn definition(&mut self, code: DefinitionCode, fields: &[u64], list: &[u64], text: &[u8]) {
        self.definitions.push(definition(code, fields, list, text));
    }
}

#[derive(Default)]
struct Events(Vec<Event>);

impl EventVisitor for Events {
    fn event<const OPERANDS: usize, const QUANTITIES: usize>(
        &mut self,
        code: EventCode,
        time: u64,
        operands: [u64; OPERANDS],
        quantities: [u64; QUANTITIES],
        attributes: Attributes<'_>,
    ) {
        self.0.push(Event {
            kind: code.name().to_owned(),
            time,
            operands: operands.to_vec(),
            quantities: quantities.to_vec(),
            attributes: list(attributes),
            ..Event::default()
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
        self.0.push(Event {
            kind: "metric".to_owned(),
            time,
            operands: vec![metric],
            metrics: types.iter().copied().zip(values.iter().copied()).collect(),
            attributes: list(attributes),
            ..Event::default()
        });
    }

    fn program_begin(
        &mut self,
        time: u64,
        name: u64,
        arguments: &[u32],
        attributes: Attributes<'_>,
    ) {
        let wide = |&argument: &u32| match argument {
            u32::MAX => UNDEFINED,
            argument => argument.into(),
        };
        self.0.push(Event {
            kind: "program_begin".to_owned(),
            time,
            operands: vec![name],
            arguments: arguments.iter().map(wide).collect(),
            attributes: list(attributes),
            ..Event::default()
        });
    }
}

#[derive(Default)]
struct Snapshots(Vec<Snapshot>);

impl SnapshotVisitor for Snapshots {
    fn record(
        &mut self,
        code: SnapshotCode,
        time: u64,
        fields: &[u64],
        attributes: Attributes<'_>,
    ) {
        let name = format!("{code:?}");
        self.0.push((name, time, fields.to_vec(), list(attributes)));
    }

    fn metric(
        &mut self,
        time: u64,
        event_time: u64,
        metric: u64,
        types: &[u8],
        values: &[u64],
        attributes: Attributes<'_>,
    ) {
        let values = types.iter().zip(values);
        let values = values.flat_map(|(&value_type, &bits)| [value_type.into(), bits]);
        let numbers = [event_time, metric].into_iter().chain(values).collect();
        self.0
            .push(("Metric".to_owned(), time, numbers, list(attributes)));
    }
}

#[derive(Default)]
struct Markers(Vec<(Vec<u64>, Vec<String>)>);

impl MarkerVisitor for Markers {
    fn definition(&mut self, marker: u64, group: &[u8], category: &[u8], severity: u8) {
        let severity = if severity == u8::MAX {
            UNDEFINED
        } else {
            severity.into()
        };
        let texts = vec![text(group), text(category)];
        self.0.push((vec![marker, severity], texts));
    }

    fn marker(
        &mut self,
        time: u64,
        duration: u64,
        marker: u64,
        scope: u8,
        scope_ref: u64,
        bytes: &[u8],
    ) {
        let scope = if scope == u8::MAX {
            UNDEFINED
        } else {
            scope.into()
        };
        let fields = vec![marker, time, duration, scope, scope_ref];
        self.0.push((fields, vec![text(bytes)]));
    }

    fn unknown(&mut self) {
        self.0.push((Vec::new(), vec!["unknown".to_owned()]));
    }
}
