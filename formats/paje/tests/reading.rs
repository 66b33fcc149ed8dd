//! Checks the meaning of traces written by other programs.

use std::collections::HashMap;

use foldtrace_paje::Paje;
use foldtrace_testing::{Read, read};
use foldtrace_trace::{EventKind, Names, Operand, Quantity, Ranks, UNDEFINED};
use proptest::prelude::*;

use crate::good_case;

fn good(case: &str) -> Read {
    let read = read(&Paje, &good_case(case), false).unwrap();
    assert!(read.errors.is_empty(), "{:?}", read.errors);
    read
}

fn read_text(text: &[u8], salvage: bool) -> Read {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.paje");
    std::fs::write(&path, text).unwrap();
    read(&Paje, &path, salvage).unwrap()
}

/// Returns sender, receiver, tag and bytes of all message ends, by ranks in the whole program.
fn messages(trace: &Read) -> Vec<(EventKind, u64, u64, Option<u64>, u64)> {
    let names = Names::new(&trace.definitions);
    let ranks = Ranks::new(&trace.definitions, &names);
    let mut messages = Vec::new();
    for (&location, events) in &trace.events {
        let (own, _) = names.rank(location).unwrap();
        for event in events
            .iter()
            .filter(|event| event.symbol.get(Operand::Peer).is_some())
        {
            let get = |operand| event.symbol.get(operand);
            let peer = ranks.rank(
                get(Operand::Communicator),
                get(Operand::Peer).unwrap(),
                Some(own),
            );
            let (sender, receiver) = if event.symbol.kind.is_send() {
                (own, peer)
            } else {
                (peer, own)
            };
            let bytes = event.quantities[Quantity::Bytes as usize];
            messages.push((
                event.symbol.kind,
                sender,
                receiver,
                get(Operand::Tag),
                bytes,
            ));
        }
    }
    messages.sort_unstable();
    messages
}

#[test]
fn ranks_of_simgrid_are_in_natural_order_and_keys_contain_peers() {
    let trace = good("simgrid");
    let names = Names::new(&trace.definitions);
    let process_names: Vec<_> = names
        .processes()
        .iter()
        .map(|process| {
            names.name(
                foldtrace_trace::DefinitionKind::LocationGroup,
                process.group,
            )
        })
        .collect();
    assert_eq!(
        process_names,
        [Some("rank-0"), Some("rank-2"), Some("rank-10")]
    );
    use EventKind::{MpiRecv, MpiSend};
    let unknown = UNDEFINED;
    assert_eq!(
        messages(&trace),
        [
            (MpiSend, 0, 1, Some(17), 800),
            (MpiSend, 0, 1, Some(20), 8),
            (MpiSend, 1, 2, Some(18), 400),
            (MpiSend, 2, 0, Some(19), 40),
            (MpiRecv, 0, 1, Some(17), 800),
            (MpiRecv, 1, 2, Some(18), 400),
            // It comes before its send, which alone contains the size.
            (MpiRecv, 2, 0, Some(19), unknown),
        ]
    );
}

#[test]
fn starpu_and_eztrace_use_milliseconds() {
    for (case, latest) in [("starpu", 5_000_000), ("eztrace", 4_000_000)] {
        let trace = good(case);
        let times = trace.events.values().flatten().map(|event| event.time);
        assert_eq!(times.max(), Some(latest), "{case}");
        assert_eq!(trace.definitions.clock().trace_length, latest, "{case}");
    }
    let names = |case: &str| Names::new(&good(case).definitions).processes().len();
    assert_eq!((names("starpu"), names("eztrace")), (1, 2));
}

#[test]
fn variables_have_the_sum_of_their_changes() {
    let trace = good("variables");
    let values = trace
        .events
        .values()
        .flatten()
        .flat_map(|event| &event.metrics);
    let values: Vec<_> = values.map(|&(_, _, bits)| f64::from_bits(bits)).collect();
    assert_eq!(values, [1e9, 1e9 + 2.5, 2.5, 2.0]);
    // A process that has only variables has no rank.
    let names = Names::new(&trace.definitions);
    let location = names.processes()[0].locations[0];
    let name = names.name(foldtrace_trace::DefinitionKind::Location, location.0);
    assert_eq!(name, Some("worker-2"));
}

#[test]
fn irregular_states_are_reported() {
    let diagnostics = good("states").diagnostics;
    for key in [
        "paje.pop_without_push",
        "paje.ended_state",
        "paje.open_state",
    ] {
        assert_eq!(diagnostics.count(key), 1, "{key}");
    }
    let diagnostics = good("any_order").diagnostics;
    assert_eq!(diagnostics.count("paje.rounded_time"), 2);
    assert_eq!(diagnostics.count("paje.unknown_event"), 2);
}

const HEADER: &str = "\
%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef
%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef
%EventDef PajeDefineLinkType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef
%EventDef PajeCreateContainer 3\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef
%EventDef PajeDestroyContainer 4\n% Time date\n% Name string\n%EndEventDef
%EventDef PajePushState 5\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef
%EventDef PajePopState 6\n% Time date\n% Type string\n% Container string\n%EndEventDef
%EventDef PajeStartLink 7\n% Time date\n% Type string\n% StartContainer string\n% Key string\n% Size int\n%EndEventDef
%EventDef PajeEndLink 8\n% Time date\n% Type string\n% EndContainer string\n% Key string\n%EndEventDef
0 P 0 Process\n1 S P State\n2 L P Link\n3 0 a P 0 a\n3 0 b P 0 b\n";

#[test]
fn peers_are_known_if_the_other_end_comes_in_time() {
    for (between, unknown) in [(100, 0), (20_000, 1)] {
        let mut text = format!("{HEADER}7 1 L a key 80\n");
        for _ in 0..between {
            text.push_str("5 2 S a x\n6 2 S a\n");
        }
        text.push_str("8 3 L b key\n");
        let trace = read_text(text.as_bytes(), false);
        assert_eq!(
            trace.diagnostics.count("paje.unknown_peer"),
            unknown,
            "{between}"
        );
        assert_eq!(messages(&trace).len() as u64, 2 - unknown);
    }
}

#[test]
fn states_with_the_same_name_are_one_region() {
    let text = format!("{HEADER}5 1 S a x\n5 1 S b x\n");
    let trace = read_text(text.as_bytes(), false);
    let mut symbols = HashMap::new();
    for event in trace.events.values().flatten() {
        *symbols.entry(event.symbol).or_insert(0) += 1;
    }
    assert_eq!(symbols.into_values().collect::<Vec<_>>(), [2]);
}

/// Forgets the peers in `salvaged` that are unknown in `strict`.
fn forget_unknown_peers(salvaged: &mut Read, strict: &Read) {
    let strict = strict.events.values().flatten();
    for (salvaged, strict) in salvaged.events.values_mut().flatten().zip(strict) {
        if let Some(peer) = strict.symbol.kind.slot(Operand::Peer)
            && strict.symbol.operands[peer] == UNDEFINED
        {
            salvaged.symbol.operands[peer] = UNDEFINED;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_input_makes_the_reader_hang_or_panic(
        is_foldtrace in any::<bool>(),
        lines in prop::collection::vec(
            prop_oneof![
                2 => prop::collection::vec(any::<u8>(), 0..30),
                2 => "% ?(EventDef|EndEventDef|Time|Key) [ -~]{0,20}".prop_map(String::into_bytes),
                2 => "#: (comm|group|string|location|clock_properties) [ -~]{0,20}".prop_map(String::into_bytes),
                2 => "[0-9] [ -~]{0,20}".prop_map(String::into_bytes),
                8 => "(0|1|2) [PSLab] [P0SL] [ab]".prop_map(String::into_bytes),
                8 => "(3|4|5|6|7|8) [0-9]{1,2} [abSLP] [abPSL] [0ab]( [ab])?".prop_map(String::into_bytes),
            ],
            0..40,
        ),
    ) {
        let signature = if is_foldtrace { "# foldtrace paje\n" } else { "" };
        let mut text = format!("{signature}{HEADER}").into_bytes();
        text.extend(lines.join(&b'\n'));
        let salvaged = read_text(&text, true);
        prop_assert!(salvaged.errors.is_empty());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.paje");
        std::fs::write(&path, &text).unwrap();
        if let Ok(strict) = read(&Paje, &path, false) {
            prop_assert_eq!(strict.errors.len() as u64, salvaged.diagnostics.count("paje.bad_line"));
            let mut salvaged = salvaged;
            if !strict.errors.is_empty() {
                // An error ends a batch, and the ends of messages in it no longer learn their peers.
                forget_unknown_peers(&mut salvaged, &strict);
            }
            prop_assert_eq!(strict.events, salvaged.events, "salvage changes the kept events");
        }
    }
}
