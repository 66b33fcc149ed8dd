//! Messages and collective operations of random traces, compared with what plain counting says.

use std::collections::{BTreeMap, BTreeSet};

use foldtrace::matching::{
    Census, Collective, Collectives, Communicators, Matching, Message, Messages, Moment,
};
use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, EventBatch, EventKind, LocationId, Names, Position,
    Quantity, Symbol, SymbolTable, Timestamp, UNDEFINED,
};
use proptest::prelude::*;

const RANKS: u64 = 3;

/// One event of a rank: its kind, operands and quantities.
#[derive(Clone, Debug)]
struct Made {
    time: u64,
    kind: EventKind,
    operands: Vec<u64>,
    quantities: Vec<(Quantity, u64)>,
}

fn made(time: u64, kind: EventKind, operands: &[u64], quantities: &[(Quantity, u64)]) -> Made {
    Made {
        time,
        kind,
        operands: operands.to_vec(),
        quantities: quantities.to_vec(),
    }
}

/// A process a rank, whose location has the id of the rank. Communicators 0 and 1 are of all, 2 is of
/// all in the other direction, 3 of each alone.
fn definitions() -> Definitions {
    const PROCESS: u64 = 1;
    const SUBGROUP: u64 = 5;
    const ALONE: u64 = 6;
    let mut d = Definitions::default();
    for rank in 0..RANKS {
        let group = [rank, UNDEFINED, PROCESS, UNDEFINED, UNDEFINED];
        d.push(DefinitionKind::LocationGroup, &group, &[], "");
        let location = [rank, UNDEFINED, 1, 0, rank];
        d.push(DefinitionKind::Location, &location, &[], "");
    }
    let forth: Vec<u64> = (0..RANKS).collect();
    let back: Vec<u64> = (0..RANKS).rev().collect();
    for (id, kind, members) in [
        (0, SUBGROUP, &forth),
        (1, SUBGROUP, &forth),
        (2, SUBGROUP, &back),
        (3, ALONE, &Vec::new()),
    ] {
        let group = [id, UNDEFINED, kind, 4, 0];
        d.push(DefinitionKind::Group, &group, members, "");
        let comm = [id, UNDEFINED, id, UNDEFINED, 0];
        d.push(DefinitionKind::Comm, &comm, &[], "");
    }
    d
}

/// What is found in the events of each rank.
struct Found {
    messages: Vec<Message>,
    collectives: Vec<Collective>,
    diagnostics: Diagnostics,
}

fn analyse(events: &[Vec<Made>]) -> Found {
    analyse_with(SymbolTable::default(), events)
}

fn analyse_with(mut symbols: SymbolTable, events: &[Vec<Made>]) -> Found {
    let definitions = definitions();
    let names = Names::new(&definitions);
    let mut batches = Vec::new();
    for (rank, events) in events.iter().enumerate() {
        let mut batch = EventBatch::default();
        batch.reset(LocationId(rank as u64), Position(0));
        for event in events {
            let symbol = symbols.intern(Symbol::new(event.kind, &event.operands));
            batch.push(symbol, Timestamp(event.time), &event.quantities);
        }
        batches.push(batch);
    }
    let census = batches.iter().map(|batch| {
        let counts = batch.symbols.iter().copied().collect();
        Census::from_counts(batch.location, counts, &symbols)
    });
    let census: Census = census.collect();
    let communicators = Communicators::new(&definitions, &names, &census, &symbols);
    let mut messages = Messages::new(&names, &communicators, &census, &symbols);
    let mut collectives = Collectives::new(&names, &communicators, &census, &symbols);
    let of_batch = |batch: &EventBatch| -> Vec<_> {
        let events = batch.iter(&symbols);
        events.map(|event| (batch.location, event)).collect()
    };
    let mut all: Vec<_> = batches.iter().flat_map(of_batch).collect();
    all.sort_by_key(|(location, event)| (event.time, *location, event.position));
    let mut found = Found {
        messages: Vec::new(),
        collectives: Vec::new(),
        diagnostics: Diagnostics::default(),
    };
    for (location, event) in all {
        messages.take(location, &event, &symbols);
        found.messages.extend(messages.found());
        collectives.take(location, &event, &symbols);
        found.collectives.extend(collectives.found());
    }
    let (last, diagnostics) = messages.finish();
    found.messages.extend(last);
    found.diagnostics.merge(diagnostics);
    let (last, diagnostics) = collectives.finish();
    found.collectives.extend(last);
    found.diagnostics.merge(diagnostics);
    found
}

/// Times that grow: the events of a rank are in the order of time.
fn in_order(mut events: Vec<Made>) -> Vec<Made> {
    let mut times: Vec<u64> = events.iter().map(|event| event.time).collect();
    times.sort_unstable();
    for (event, time) in events.iter_mut().zip(times) {
        event.time = time;
    }
    events
}

/// Blocking sends and receives with any peers, communicators and tags.
fn transfer() -> impl Strategy<Value = Made> {
    (0u64..40, any::<bool>(), 0..RANKS, 0u64..4, 0u64..2, 1u64..9).prop_map(
        |(time, sends, peer, communicator, tag, bytes)| {
            let kind = if sends {
                EventKind::MpiSend
            } else {
                EventKind::MpiRecv
            };
            let bytes = [(Quantity::Bytes, bytes)];
            made(time, kind, &[peer, communicator, tag], &bytes)
        },
    )
}

/// The rank that `peer` of a communicator is to `own`.
fn rank_of(communicator: u64, peer: u64, own: u64) -> u64 {
    match communicator {
        2 => RANKS - 1 - peer,
        3 => own,
        _ => peer,
    }
}

/// Rank 0 uses communicators 0 and 1 both, so that they are not taken for one.
fn apart(mut events: Vec<Vec<Made>>) -> Vec<Vec<Made>> {
    for communicator in 0..2 {
        let operands = [0, communicator, UNDEFINED];
        let barrier = made(40, EventKind::MpiCollectiveEnd, &operands, &[]);
        events[0].push(barrier);
    }
    events
}

/// (rank, position) of an event.
type At = (u64, u64);

/// The pairs of sends and receives that there must be, by counting alone. With `many_tags`, whether a communicator has
/// both ends does not depend on the tag.
fn paired(events: &[Vec<Made>], many_tags: bool) -> Vec<(Option<At>, Option<At>)> {
    type Ends = [Vec<(u64, At)>; 2];
    let mut channels: BTreeMap<(u64, u64, u64, u64), Ends> = BTreeMap::new();
    for (own, events) in (0u64..).zip(events) {
        for (position, event) in (0u64..).zip(events) {
            let [peer, communicator, tag] = event.operands[..] else {
                continue;
            };
            let peer = rank_of(communicator, peer, own);
            let (sender, receiver, end) = match event.kind {
                EventKind::MpiSend => (own, peer, 0),
                EventKind::MpiRecv => (peer, own, 1),
                _ => continue,
            };
            let ends = channels
                .entry((sender, receiver, tag, communicator))
                .or_default();
            ends[end].push((event.time, (own, position)));
        }
    }
    // What has one end only meets whatever else has only the other one.
    let mut loose: BTreeMap<(u64, u64, u64), Ends> = BTreeMap::new();
    let mut pairs = Vec::new();
    let route = |(sender, receiver, tag, communicator)| {
        let tag = if many_tags { None } else { Some(tag) };
        (sender, receiver, tag, communicator)
    };
    let has = |end: usize| -> BTreeSet<_> {
        let having = channels.iter().filter(|(_, ends)| !ends[end].is_empty());
        having.map(|(&key, _)| route(key)).collect()
    };
    let (sent, received) = (has(0), has(1));
    for (key @ (sender, receiver, tag, _), ends) in channels {
        if sent.contains(&route(key)) && received.contains(&route(key)) {
            pairs.extend(zipped(ends));
            continue;
        }
        let loose = loose.entry((sender, receiver, tag)).or_default();
        for (all, ends) in loose.iter_mut().zip(ends) {
            all.extend(ends);
        }
    }
    pairs.extend(loose.into_values().flat_map(zipped));
    pairs.sort_unstable();
    pairs
}

/// The n-th with the n-th, and the rest alone.
fn zipped(ends: [Vec<(u64, At)>; 2]) -> Vec<(Option<At>, Option<At>)> {
    let [sends, receives] = ends.map(|mut ends| {
        ends.sort_unstable_by_key(|&(_, (rank, position))| (rank, position));
        ends.into_iter().map(|(_, at)| at).collect::<Vec<_>>()
    });
    (0..sends.len().max(receives.len()))
        .map(|n| (sends.get(n).copied(), receives.get(n).copied()))
        .collect()
}

fn at(side: &foldtrace::matching::Side) -> At {
    (side.location.0, side.moment.position.0)
}

proptest! {
    #[test]
    fn messages_are_the_nth_send_with_the_nth_receive(
        events in prop::collection::vec(
            prop::collection::vec(transfer(), 0..40).prop_map(in_order), RANKS as usize)
            .prop_map(apart),
        many_tags in any::<bool>(),
    ) {
        let symbols = match many_tags {
            true => SymbolTable::with_tags_in_ids(),
            false => SymbolTable::default(),
        };
        let found = analyse_with(symbols, &events);
        let mut pairs: Vec<_> = found
            .messages
            .iter()
            .map(|message| (message.send.as_ref().map(at), message.receive.as_ref().map(at)))
            .collect();
        pairs.sort_unstable();
        prop_assert_eq!(pairs, paired(&events, many_tags));
        for message in &found.messages {
            let event = |(rank, position): At| &events[rank as usize][position as usize];
            for side in [message.send, message.receive].into_iter().flatten() {
                let made = event(at(&side));
                prop_assert_eq!(side.moment.time.0, made.time);
                prop_assert_eq!(side.bytes, Some(made.quantities[0].1));
                prop_assert_eq!(message.tag, Some(made.operands[2]));
            }
            if let Some(send) = message.send {
                prop_assert_eq!(message.sender, Some(send.location.0));
            }
            if let Some(receive) = message.receive {
                prop_assert_eq!(message.receiver, Some(receive.location.0));
            }
        }
        let count = |is: fn(&Message) -> bool| found.messages.iter().filter(|m| is(m)).count() as u64;
        let told = |key| found.diagnostics.count(key);
        prop_assert_eq!(told("messages.unmatched_send"), count(|m| m.receive.is_none()));
        prop_assert_eq!(told("messages.unmatched_receive"), count(|m| m.send.is_none()));
        prop_assert_eq!(
            told("messages.negative_latency"), count(|m| m.latency().is_some_and(|l| l < 0)));
    }

    #[test]
    fn the_nth_collective_of_each_process_is_instance_n(
        events in prop::collection::vec(
            prop::collection::vec((0u64..40, 0u64..4, 0u64..2), 0..30), RANKS as usize)
    ) {
        let events: Vec<Vec<Made>> = events
            .into_iter()
            .map(|events| {
                let ends = events.into_iter().map(|(time, communicator, operation)| {
                    let bytes = [(Quantity::Bytes, 8), (Quantity::BytesReceived, 4)];
                    let operands = [operation, communicator, UNDEFINED];
                    made(time, EventKind::MpiCollectiveEnd, &operands, &bytes)
                });
                in_order(ends.collect())
            })
            .collect();
        let events = apart(events);
        let mut expected: BTreeMap<(u64, Option<u64>, u64), Vec<At>> = BTreeMap::new();
        for (rank, events) in (0u64..).zip(&events) {
            let mut counts = [0; 4];
            for (position, event) in (0u64..).zip(events) {
                let communicator = event.operands[1];
                let alone = (communicator == 3).then_some(rank);
                let count = &mut counts[communicator as usize];
                let members = expected.entry((communicator, alone, *count)).or_default();
                members.push((rank, position));
                *count += 1;
            }
        }
        let found = analyse(&events);
        let mut instances = BTreeMap::new();
        for collective in &found.collectives {
            let communicator = collective.communicator.unwrap();
            let mut members: Vec<At> = collective
                .members
                .iter()
                .map(|member| (member.location.0, member.end.position.0))
                .collect();
            members.sort_unstable();
            let alone = (communicator == 3).then_some(members[0].0);
            let key = (communicator, alone, collective.number);
            prop_assert!(instances.insert(key, members).is_none(), "{:?} comes twice", key);
            let size = if communicator == 3 { 1 } else { RANKS };
            prop_assert_eq!(collective.size, Some(size));
        }
        prop_assert_eq!(&instances, &expected);
        let incomplete = found
            .collectives
            .iter()
            .filter(|it| Some(it.members.len() as u64) < it.size)
            .count() as u64;
        prop_assert_eq!(found.diagnostics.count("collectives.incomplete"), incomplete);
        let mixed = found.collectives.iter().filter(|it| {
            it.members.iter().any(|member| member.operation != it.operation)
        });
        prop_assert_eq!(found.diagnostics.count("collectives.mixed_operations"), mixed.count() as u64);
    }
}

#[test]
fn tags_that_are_never_received_wait_until_no_receive_is_left() {
    use EventKind::{MpiRecv, MpiSend};
    let send = |time, tag| made(time, MpiSend, &[1, 0, tag], &[]);
    let receive = |time, tag| made(time, MpiRecv, &[0, 0, tag], &[]);
    let events = [
        vec![send(1, 50), send(2, 60), send(3, 70), send(9, 80)],
        vec![receive(4, 70), receive(5, 90), receive(6, 50)],
        vec![],
    ];
    let found = analyse_with(SymbolTable::with_tags_in_ids(), &events);
    let pairs = found.messages.iter().map(|message| {
        let time = |side: Option<foldtrace::matching::Side>| side.map(|it| it.moment.time.0);
        (time(message.send), time(message.receive))
    });
    let expected = [
        // 70 and 50 meet.
        (Some(3), Some(4)),
        // The last receive has come, so the send of 60 is alone.
        (Some(2), None),
        (Some(1), Some(6)),
        // The last send has come, so the receive of 90 is alone.
        (None, Some(5)),
        (Some(9), None),
    ];
    assert_eq!(pairs.collect::<Vec<_>>(), expected);
}

fn moment(position: u64, time: u64) -> Option<Moment> {
    let (position, time) = (Position(position), Timestamp(time));
    Some(Moment { position, time })
}

#[test]
fn non_blocking_messages_know_when_they_were_posted_and_complete() {
    use EventKind::{MpiIrecv, MpiIrecvRequest, MpiIsend, MpiIsendComplete, MpiRequestCancelled};
    let request = |id| (Quantity::Request, id);
    let bytes = (Quantity::Bytes, 5);
    let found = analyse(&[
        vec![
            made(10, MpiIsend, &[1, 0, 7], &[bytes, request(1)]),
            made(20, MpiIsend, &[1, 0, 7], &[bytes, request(2)]),
            made(60, MpiIsendComplete, &[], &[request(2)]),
            made(61, MpiIsendComplete, &[], &[request(1)]),
            made(70, MpiIsend, &[1, 0, 8], &[bytes, request(1)]),
            made(80, MpiRequestCancelled, &[], &[request(1)]),
        ],
        vec![
            made(5, MpiIrecvRequest, &[], &[request(1)]),
            made(6, MpiIrecvRequest, &[], &[request(9)]),
            made(30, MpiIrecv, &[0, 0, 7], &[bytes, request(1)]),
            made(31, MpiIrecv, &[0, 0, 7], &[bytes, request(3)]),
        ],
        vec![],
    ]);
    let rows: Vec<_> = found
        .messages
        .iter()
        .map(|message| {
            let received = message.receive.map(|side| side.moment);
            let sent = message.send.map(|side| side.moment);
            (sent, received, message.posted, message.completed)
        })
        .collect();
    let second = (moment(1, 20), moment(3, 31), None, moment(2, 60));
    let first = (moment(0, 10), moment(2, 30), moment(0, 5), moment(3, 61));
    let cancelled = (moment(4, 70), None, None, None);
    assert_eq!(rows, [second, first, cancelled]);
    let told = found.diagnostics.groups();
    let told: Vec<_> = told.map(|(key, group)| (key, group.count)).collect();
    assert_eq!(
        told,
        [
            ("messages.unmatched_send", 1),
            ("messages.incomplete_receive", 1)
        ]
    );
}

#[test]
fn what_a_probe_takes_is_received_where_it_is_received() {
    use EventKind::{MpiImrecv, MpiImrecvRequest, MpiMrecv, MpiProbe, MpiRecv, MpiSend};
    let bytes = |bytes| (Quantity::Bytes, bytes);
    let (id, request) = (|id| (Quantity::Value, id), (Quantity::Request, 4));
    let found = analyse(&[
        (0..4u64)
            .map(|n| made(n, MpiSend, &[1, 0, 5], &[bytes(n)]))
            .collect(),
        vec![
            made(10, MpiProbe, &[0, 0, 5], &[id(9)]),
            made(11, MpiProbe, &[0, 0, 5], &[id(UNDEFINED)]),
            made(12, MpiRecv, &[0, 0, 5], &[bytes(1)]),
            made(13, MpiMrecv, &[], &[bytes(0), id(9)]),
            made(14, MpiProbe, &[0, 0, 5], &[id(9)]),
            made(15, MpiImrecvRequest, &[], &[request, id(9)]),
            made(16, MpiRecv, &[0, 0, 5], &[bytes(3)]),
            made(17, MpiImrecv, &[], &[bytes(2), request]),
            made(18, MpiMrecv, &[], &[bytes(8), id(1)]),
        ],
        vec![],
    ]);
    let rows: Vec<_> = found
        .messages
        .iter()
        .map(|message| {
            let bytes = [message.send, message.receive].map(|side| side.and_then(|s| s.bytes));
            let received = message.receive.map(|side| side.moment.position.0);
            (bytes, message.sender, received, message.posted)
        })
        .collect();
    let of_rank_0 = |bytes, received, posted| {
        let bytes = [Some(bytes), Some(bytes)];
        (bytes, Some(0), Some(received), posted)
    };
    let nobody = ([None, Some(8)], None, Some(8), None);
    assert_eq!(
        rows,
        [
            of_rank_0(1, 2, None),
            of_rank_0(0, 3, None),
            of_rank_0(3, 6, None),
            of_rank_0(2, 7, moment(5, 15)),
            nobody
        ]
    );
}

#[test]
fn sends_and_receives_in_communicators_that_disagree_meet_and_are_told() {
    let found = analyse(&[
        vec![made(1, EventKind::MpiSend, &[1, 0, 7], &[])],
        vec![made(2, EventKind::MpiRecv, &[0, 1, 7], &[])],
        vec![],
    ]);
    // Rank 0 uses one id of the same members, rank 1 the other: they are taken for one communicator.
    assert_eq!(found.messages.len(), 1);
    assert!(found.diagnostics.is_empty());
    let barrier = |time, id| made(time, EventKind::MpiCollectiveEnd, &[0, id, UNDEFINED], &[]);
    let found = analyse(&[
        vec![made(1, EventKind::MpiSend, &[1, 0, 7], &[]), barrier(3, 1)],
        vec![made(2, EventKind::MpiRecv, &[0, 1, 7], &[]), barrier(3, 0)],
        vec![],
    ]);
    // Now both use both.
    assert_eq!(found.messages.len(), 1);
    let [message] = found.messages[..] else {
        unreachable!();
    };
    assert_eq!(message.send_communicator, Some(0));
    assert_eq!(message.receive_communicator, Some(1));
    assert_eq!(found.diagnostics.count("messages.other_communicator"), 1);
}

#[test]
fn collectives_know_where_they_began() {
    use EventKind::{
        MpiCollectiveBegin, MpiCollectiveEnd, NonBlockingCollectiveComplete,
        NonBlockingCollectiveRequest,
    };
    let bytes = [(Quantity::Bytes, 8), (Quantity::BytesReceived, 4)];
    let request = (Quantity::Request, 3);
    let complete = [bytes[0], bytes[1], request];
    let rank = |shift: u64| {
        vec![
            made(10 + shift, MpiCollectiveBegin, &[], &[]),
            made(20 + shift, MpiCollectiveEnd, &[1, 2, 0], &bytes),
            made(30 + shift, NonBlockingCollectiveRequest, &[], &[request]),
            made(
                40 + shift,
                NonBlockingCollectiveComplete,
                &[11, 2, UNDEFINED],
                &complete,
            ),
            made(50 + shift, MpiCollectiveBegin, &[], &[]),
        ]
    };
    let found = analyse(&[rank(0), rank(1), rank(2)]);
    let [bcast, allreduce] = &found.collectives[..] else {
        panic!("{:?}", found.collectives);
    };
    assert_eq!((bcast.operation, bcast.root), (Some(1), Some(2)));
    assert_eq!((allreduce.operation, allreduce.root), (Some(11), None));
    for (collective, begin) in [(bcast, 10), (allreduce, 30)] {
        assert_eq!((collective.number, collective.size), (0, Some(3)));
        for (shift, member) in (0..).zip(&collective.members) {
            assert_eq!(member.begin.unwrap().time.0, begin + shift);
            assert_eq!(member.end.time.0, begin + 10 + shift);
            assert_eq!((member.bytes, member.bytes_received), (Some(8), Some(4)));
        }
    }
    assert_eq!(found.diagnostics.count("collectives.without_end"), 3);
}
