//! The meaning of traces of all kinds.

use foldtrace_paraver::Paraver;
use foldtrace_testing::{Event, Read, read};
use foldtrace_trace::{
    DefinitionKind, EventKind, Metrics, Names, Operand, Quantity, Severity, UNDEFINED,
};

/// A trace in a folder of its own.
pub(crate) struct Trace {
    folder: tempfile::TempDir,
}

impl Trace {
    pub(crate) fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.prv"), text).unwrap();
        Self { folder }
    }

    pub(crate) fn with_labels(text: &str, labels: &str) -> Self {
        let trace = Self::new(text);
        std::fs::write(trace.folder.path().join("a.pcf"), labels).unwrap();
        trace
    }

    pub(crate) fn read(&self) -> Read {
        let trace = read(&Paraver, &self.folder.path().join("a.prv"), false).unwrap();
        assert!(trace.errors.is_empty(), "{:?}", trace.errors);
        trace
    }
}

/// Shows an event as a word or two, with its time.
fn show(event: &Event, names: &Names, metrics: &Metrics) -> String {
    let get = |operand| event.symbol.get(operand);
    let name = names.called(&event.symbol).unwrap_or("?");
    let bytes = event.quantities[Quantity::Bytes as usize];
    let what = match event.symbol.kind {
        EventKind::Enter => format!("enter {name}"),
        EventKind::Leave => format!("leave {name}"),
        EventKind::ParameterString => {
            let parameter = get(Operand::Parameter).unwrap();
            let parameter = names.name(DefinitionKind::Parameter, parameter).unwrap();
            let string = names.string(get(Operand::String).unwrap());
            format!("{parameter}={string}")
        }
        EventKind::Metric => {
            let member = metrics.member(get(Operand::Metric).unwrap(), 0).unwrap();
            format!("{}={}", member.name, event.metrics[0].2 as i64)
        }
        kind if kind.is_send() || kind.is_receive() => {
            let (peer, tag) = (get(Operand::Peer).unwrap(), get(Operand::Tag));
            let tag = tag.unwrap_or(UNDEFINED) as i64;
            let direction = if kind.is_send() {
                "send to"
            } else {
                "recv from"
            };
            format!("{direction} {peer} tag {tag} bytes {bytes}")
        }
        EventKind::MpiCollectiveBegin => "begin".to_owned(),
        EventKind::MpiCollectiveEnd => {
            let received = event.quantities[Quantity::BytesReceived as usize];
            let communicator = get(Operand::Communicator);
            let communicator = communicator.and_then(|id| names.name(DefinitionKind::Comm, id));
            let root = get(Operand::Root).map_or_else(|| "-".to_owned(), |root| root.to_string());
            format!(
                "end {name} on {} root {root} sent {} received {}",
                communicator.unwrap_or("?"),
                bytes as i64,
                received as i64
            )
        }
        kind => panic!("{kind}"),
    };
    format!("{} {what}", event.time)
}

/// Shows the events of each location, in the order of ranks and threads.
pub(crate) fn shown(trace: &Read) -> Vec<Vec<String>> {
    let names = Names::new(&trace.definitions);
    let metrics = Metrics::new(&trace.definitions);
    let locations = names.processes().iter().flat_map(|it| &it.locations);
    let events = locations.map(|location| {
        let events = trace.events.get(location).map_or(&[][..], Vec::as_slice);
        events
            .iter()
            .map(|event| show(event, &names, &metrics))
            .collect()
    });
    events.collect()
}

const LABELS: &str = "\
EVENT_TYPE
9 50000001 MPI Point-to-point
9 50000002 MPI Collective Comm
VALUES
1 MPI_Send
2 MPI_Recv
7 MPI_Bcast
10 MPI_Allreduce
0 Outside MPI
";

#[test]
fn a_message_is_within_the_calls_that_begin_and_end_with_it() {
    let trace = Trace::with_labels(
        "\
#Paraver (26/01/2004 at 16:35):100_ns:1(2):1:2(1:1,1:1),1
c:1:1:2:1:2
1:1:1:1:1:0:10:1
1:2:1:2:1:0:5:1
2:2:1:2:1:5:50000001:2
1:2:1:2:1:5:30:3
2:1:1:1:1:10:50000001:1
3:1:1:1:1:10:20:2:1:2:1:5:30:4096:17
1:1:1:1:1:10:20:4
2:1:1:1:1:20:50000001:0
2:2:1:2:1:30:50000001:0
",
        LABELS,
    )
    .read();
    assert_eq!(
        shown(&trace),
        [
            vec![
                "0 State=Running",
                "10 enter MPI_Send",
                "10 send to 1 tag 17 bytes 4096",
                "10 State=Blocking Send",
                "20 leave MPI_Send",
                "20 State=none",
            ],
            vec![
                "0 State=Running",
                "5 enter MPI_Recv",
                "5 State=Waiting a message",
                "30 recv from 0 tag 17 bytes 4096",
                "30 leave MPI_Recv",
                "30 State=none",
            ],
        ]
    );
    let names = Names::new(&trace.definitions);
    let locations: Vec<_> = names.processes().iter().map(|it| it.locations[0]).collect();
    let attributes = |location: usize, event: usize| {
        let event = &trace.events[&locations[location]][event];
        event.attributes.iter().map(|it| it.2).collect::<Vec<_>>()
    };
    assert_eq!(attributes(0, 2), [20], "the physical time of the send");
    assert_eq!(
        attributes(1, 3),
        [0; 0],
        "the call says when the receive began"
    );
    assert_eq!(trace.definitions.clock().ticks_per_second, 1_000_000_000);
    assert_eq!(trace.definitions.clock().trace_length, 100);
    assert!(trace.diagnostics.is_empty(), "{:?}", trace.diagnostics);
}

#[test]
fn collective_operations_of_both_ages() {
    let text = |records: &str| {
        let begin =
            "#Paraver (x):100:0:1:3(1:0,1:0,1:0),3\nc:1:5:1:-1\nc:1:1:3:1:2:3\nc:1:9:2:3:2\n";
        format!("{begin}{records}")
    };
    let old = text(
        "\
2:0:1:3:1:5:50000002:7
4:0:1:3:1:5:9:8:0:1:0
2:0:1:2:1:6:50000002:7
4:0:1:2:1:6:9:0:8:1:0
2:0:1:3:1:7:50000002:0
2:0:1:2:1:8:50000002:0
4:0:1:1:1:9:1:4:4:11:0
",
    );
    assert_eq!(
        shown(&Trace::with_labels(&old, LABELS).read()),
        [
            vec![
                "9 begin",
                "9 end MPI_Allreduce on MPI_COMM_WORLD root - sent 4 received 4"
            ],
            vec![
                "6 enter MPI_Bcast",
                "6 begin",
                "8 end MPI_Bcast on communicator 9 root - sent 0 received 8",
                "8 leave MPI_Bcast",
            ],
            vec![
                "5 enter MPI_Bcast",
                "5 begin",
                "7 end MPI_Bcast on communicator 9 root 0 sent 8 received 0",
                "7 leave MPI_Bcast",
            ],
        ]
    );
    let new = text(
        "\
2:0:1:2:1:5:50000002:7:50100001:0:50100002:8:50100004:9:50100003:1
2:0:1:1:1:6:50000002:10:50100001:4:50100002:4:50100004:1
2:0:1:2:1:7:50000002:0
2:0:1:1:1:8:50000002:0
2:0:1:1:1:9:50100001:3
",
    );
    assert_eq!(
        shown(&Trace::with_labels(&new, LABELS).read())[..2],
        [
            vec![
                "6 enter MPI_Allreduce",
                "6 begin",
                "8 end MPI_Allreduce on MPI_COMM_WORLD root - sent 4 received 4",
                "8 leave MPI_Allreduce",
                "9 Event 50100001=3",
            ],
            vec![
                "5 enter MPI_Bcast",
                "5 begin",
                "7 end MPI_Bcast on communicator 9 root 1 sent 0 received 8",
                "7 leave MPI_Bcast",
            ],
        ]
    );
}

#[test]
fn calls_of_mpi_replace_each_other_and_others_are_nested() {
    let trace = Trace::with_labels(
        "\
#Paraver (x):100:0:1:1(1:0)
2:0:1:1:1:1:60000019:4
2:0:1:1:1:2:60000019:5
2:0:1:1:1:3:50000002:7
2:0:1:1:1:4:50000002:10
2:0:1:1:1:5:60000019:0
2:0:1:1:1:6:50000002:0
2:0:1:1:1:7:60000019:0
2:0:1:1:1:8:60000019:0
2:0:1:1:1:9:60000019:6
",
        LABELS,
    )
    .read();
    assert_eq!(
        shown(&trace)[0],
        [
            "1 enter User function 4",
            "2 enter User function 5",
            "3 enter MPI_Bcast",
            "4 leave MPI_Bcast",
            "4 enter MPI_Allreduce",
            "5 leave User function 5",
            "6 leave MPI_Allreduce",
            "7 leave User function 4",
            "8 leave ?",
            "9 enter User function 6",
        ]
    );
    for (key, count) in [
        ("paraver.replaced_call", 1),
        ("paraver.end_without_begin", 1),
        ("paraver.open_call", 1),
        ("paraver.no_labels", 0),
    ] {
        assert_eq!(trace.diagnostics.count(key), count, "{key}");
    }
}

#[test]
fn states_are_calls_where_no_type_is() {
    let labels = "STATES\n0 Idle\n7 Task\nEVENT_TYPE\n0 42000050 PAPI_TOT_INS\n";
    let text = "\
#Paraver (x):100:0:1:1(1:0)
1:0:1:1:1:0:4:0
2:0:1:1:1:4:42000050:-7
1:0:1:1:1:4:9:7
1:0:1:1:1:8:20:0
";
    let trace = Trace::with_labels(text, labels).read();
    assert_eq!(
        shown(&trace)[0],
        [
            "0 enter Idle",
            "4 PAPI_TOT_INS=-7",
            "4 leave Idle",
            "4 enter Task",
            "8 leave Task",
            "8 enter Idle",
            "20 leave Idle",
        ]
    );
    assert_eq!(trace.diagnostics.count("paraver.overlapping_state"), 1);
    let without_labels = Trace::new(text).read();
    assert_eq!(shown(&without_labels)[0][0], "0 State=Idle");
    assert_eq!(without_labels.diagnostics.count("paraver.no_labels"), 1);
    assert_eq!(without_labels.diagnostics.worst(), Some(Severity::Note));
}

#[test]
fn a_cpu_that_changes_is_a_metric() {
    let trace = Trace::new(
        "\
#Paraver (x):100:1(4):1:1(2:1)
1:1:1:1:1:0:4:0
1:3:1:1:2:0:4:0
2:1:1:1:1:2:7:8
2:2:1:1:1:3:7:8
2:1:1:1:1:4:7:8
",
    )
    .read();
    assert_eq!(
        shown(&trace)[0],
        [
            "0 State=Idle",
            "2 Event 7=8",
            "3 CPU=2",
            "3 Event 7=8",
            "4 CPU=1",
            "4 Event 7=8",
            "4 State=none",
        ]
    );
    let properties = trace.definitions.records(DefinitionKind::LocationProperty);
    let cpus: Vec<_> = properties.map(|it| it.field("value").unwrap()).collect();
    assert_eq!(cpus, [1, 3]);
}
