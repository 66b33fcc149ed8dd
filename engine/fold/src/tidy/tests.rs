use foldtrace_trace::{EventKind, Symbol, SymbolId, SymbolTable};
use proptest::prelude::*;

use super::super::{DEFAULT_MAX_BODY, Folder, Shapes};
use super::*;

fn fold(events: &[SymbolId], symbols: &SymbolTable, max_body: usize) -> Model {
    let mut shapes = Shapes::default();
    shapes.update(symbols);
    let mut folder = Folder::new(max_body);
    folder.push(events, symbols, &shapes);
    folder.finish(symbols, &shapes)
}

/// Folds a word of letters, in which no number grows, and tidies it.
fn tidied(word: &str) -> (Model, Model) {
    let mut symbols = SymbolTable::default();
    let mut enter = |letter| symbols.intern(Symbol::new(EventKind::Enter, &[u64::from(letter)]));
    let events: Vec<_> = word.bytes().map(&mut enter).collect();
    let model = fold(&events, &symbols, DEFAULT_MAX_BODY);
    let tidied = model.tidied();
    assert!(tidied.expand(&symbols).eq(events.iter().copied()));
    assert_eq!(tidied.events, model.events);
    assert!(tidied.terms() <= model.terms());
    (model, tidied)
}

#[test]
fn rotations_of_one_loop_become_the_same_loop() {
    // The conjugate gradients of NAS CG: `r` four events, `q` four others, a transposition of two.
    let (r, q, t) = ("abcd", "cdab", "xy");
    let outer = format!("{r}{}", format!("{q}{t}{r}{r}").repeat(26));
    let (folded, tidied) = tidied(&format!("!{outer}-{}.", outer.repeat(15)));
    assert!(folded.terms() > 70, "{}", folded.terms());
    // for 15 { r, for 26 { q, t, for 2 { r } } }, the inner loop a second time before it.
    assert_eq!(
        tidied.terms(),
        1 + 4 + 12 + 1 + 1 + 4 + 12 + 1,
        "{tidied:#?}"
    );
}

#[test]
fn two_equal_neighbours_are_a_loop_if_that_is_shorter() {
    let exchange = "abcdefgh";
    let word = format!("{exchange}{exchange}+-{exchange}+{exchange}+.");
    let (folded, tidied) = tidied(&word);
    assert_eq!(folded.terms(), word.len() as u64);
    assert_eq!(tidied.terms(), 9 + 2 + 10 + 1, "{tidied:#?}");
    let (folded, tidied) = self::tidied("aab");
    assert_eq!(tidied, folded);
}

#[test]
fn a_loop_takes_in_what_belongs_to_it() {
    let word = format!("c{}ab", "abc".repeat(9));
    let (_, tidied) = tidied(&word);
    assert!(tidied.terms() <= 7, "{tidied:#?}");
    // for 4 { for 5 { a b } } is for 20 { a b }.
    let event = |id| {
        Construct::Event(super::super::EventConstruct {
            symbol: SymbolId::new(id),
            steps: Vec::new(),
        })
    };
    let times = |base, body: Vec<Construct>| {
        let steps = Vec::new();
        let count = super::super::Count { base, steps };
        let body = body.into();
        Construct::Loop(LoopConstruct { count, body })
    };
    let body = || vec![event(0), event(1)];
    let model = |construct, events| Model {
        constructs: vec![construct].into(),
        events,
    };
    let nested = model(times(4, vec![times(5, body())]), 40);
    assert_eq!(nested.tidied(), model(times(20, body()), 40));
}

#[test]
fn sequences_without_repetition_cost_little() {
    const TERMS: u32 = 200_000;
    let construct = |symbol| {
        Construct::Event(super::super::EventConstruct {
            symbol: SymbolId::new(symbol),
            steps: Vec::new(),
        })
    };
    let mut random = fastrand::Rng::with_seed(7);
    for kinds in [TERMS, 300] {
        let model = Model {
            constructs: (0..TERMS)
                .map(|_| construct(random.u32(0..kinds)))
                .collect(),
            events: u64::from(TERMS),
        };
        let start = cpu_seconds();
        let tidied = model.tidied();
        let took = cpu_seconds() - start;
        assert!(tidied.terms() > u64::from(TERMS) * 99 / 100);
        assert!(took < 10, "{took} s");
    }
}

/// Returns the CPU time of this thread in seconds, which does not depend on other work on the machine.
fn cpu_seconds() -> i64 {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_THREAD).unwrap();
    usage.user_time().tv_sec() + usage.system_time().tv_sec()
}

/// Words with nests in them: parts repeated, rotated and cut, and numbers that grow.
fn words() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let leaf = prop::collection::vec((0u64..3, 0u64..3), 1..5);
    leaf.prop_recursive(5, 600, 5, |inner| {
        prop_oneof![
            (inner.clone(), 1usize..12).prop_map(|(body, n)| body.repeat(n)),
            (inner.clone(), 2usize..30, any::<prop::sample::Index>()).prop_map(|(body, n, by)| {
                let mut body = body;
                let by = by.index(body.len());
                let rest = body[..by].to_vec();
                body.rotate_left(by);
                [rest.clone(), body.repeat(n), rest].concat()
            }),
            (inner.clone(), 1u64..7).prop_map(|(body, n)| {
                let grown = |i| body.iter().map(move |&(kind, peer)| (kind, peer + i));
                (0..n).flat_map(grown).collect()
            }),
            prop::collection::vec(inner, 1..5).prop_map(|parts| parts.concat()),
        ]
    })
    .prop_map(|mut word| {
        word.truncate(8_000);
        word
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn tidying_changes_no_event(word in words(), max_body in 1usize..60) {
        let mut symbols = SymbolTable::default();
        let events: Vec<_> = word
            .iter()
            .map(|&(kind, number)| {
                symbols.intern(match kind {
                    0 => Symbol::new(EventKind::Enter, &[number]),
                    1 => Symbol::new(EventKind::MpiSend, &[number, 0, 5]),
                    _ => Symbol::new(EventKind::MpiSend, &[3, 0, number]),
                })
            })
            .collect();
        let model = fold(&events, &symbols, max_body);
        let tidied = model.tidied();
        prop_assert!(tidied.expand(&symbols).eq(events.iter().copied()));
        prop_assert!(tidied.terms() <= model.terms());
        prop_assert_eq!(tidied.events, model.events);
        prop_assert_eq!(model.tidied(), tidied);
    }
}
