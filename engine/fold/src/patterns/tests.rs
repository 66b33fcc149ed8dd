//! Tests the patterns of small sequences, and that nothing is lost in any sequence.

use proptest::prelude::*;

use super::{Finder, Item, Letter, PatternId, Patterns, Visit, Walk, What};

fn letters(text: &str) -> Vec<Letter> {
    text.bytes().map(|byte| Letter(u32::from(byte))).collect()
}

fn patterns_of(letters: &[Letter]) -> Patterns {
    let mut finder = Finder::default();
    finder.push(letters);
    finder.finish()
}

/// Formats items as text: patterns in brackets, followed by the number of repetitions.
fn text(patterns: &Patterns, items: &[Item]) -> String {
    let item = |item: &Item| {
        let once = match item.what {
            What::Event(letter) => char::from(letter.0 as u8).to_string(),
            What::Pattern(pattern) => format!("[{}]", text(patterns, patterns.items(pattern))),
        };
        match item.count {
            1 => once,
            count => format!("{once}{count}"),
        }
    };
    items.iter().map(item).collect()
}

fn found(sequence: &str) -> String {
    let patterns = patterns_of(&letters(sequence));
    text(&patterns, &patterns.top)
}

/// Figures 2 and 3 of the paper: a pair that occurs several times is a pattern, and a pair that follows itself is a
/// loop.
#[test]
fn pairs_become_patterns_and_loops() {
    assert_eq!(found("xabyabz"), "x[ab]y[ab]z");
    assert_eq!(found("xababyabz"), "x[ab]2y[ab]z");
    assert_eq!(found("ababab"), "[ab]3");
}

/// Figure 4: a pattern that is always followed by the same item is extended by it; a pattern that is sometimes
/// followed by it makes another pattern.
#[test]
fn patterns_are_expanded() {
    assert_eq!(found("abcxabcy"), "[abc]x[abc]y");
    assert_eq!(found("abcxabcyabz"), "[[ab]c]x[[ab]c]y[ab]z");
}

#[test]
fn loops_nest() {
    let inner = "ab".repeat(5);
    let sequence = format!("x{}y", format!("s{inner}e").repeat(4));
    assert_eq!(found(&sequence), "x[s[ab]5e]4y");
}

#[test]
fn events_that_follow_themselves_are_counted() {
    assert_eq!(found("aaaa"), "a4");
    assert_eq!(found("xaaaybaaay"), "x[a3y]b[a3y]");
}

#[test]
fn loops_of_different_counts_are_different() {
    assert_eq!(found("xababyxabababy"), "x[ab]2yx[ab]3y");
}

/// Table I of the paper: there is one pattern with all events in it, whatever the number of iterations.
#[test]
fn a_ping_pong_is_one_pattern() {
    let patterns = patterns_of(&letters("rRlsSe").repeat(10_000));
    assert_eq!(patterns.len(), 1);
    assert_eq!(patterns.occupied(), 60_000);
    let main = patterns.main();
    assert_eq!(main.map(|main| main.count), Some(10_000));
    assert_eq!(patterns.length(PatternId(0)), 6);
}

#[test]
fn nothing_repeats_in_what_does_not() {
    let patterns = patterns_of(&letters("abcdefg"));
    assert!(patterns.is_empty());
    assert_eq!(patterns.occupied(), 0);
    assert_eq!(patterns.main(), None);
    assert_eq!(patterns_of(&[]).top, []);
}

#[test]
fn letters_may_come_in_any_portions() {
    let sequence = letters(&"abcabcxyabcxy".repeat(7));
    let whole = patterns_of(&sequence);
    for portion in [1, 2, 5, 13] {
        let mut finder = Finder::default();
        sequence.chunks(portion).for_each(|some| finder.push(some));
        assert_eq!(finder.finish(), whole);
    }
}

/// The same events have the same name, however they are composed.
#[test]
fn names_identify_sequences_of_events() {
    let keys: Vec<u64> = (0..256).collect();
    let name_of = |sequence: &str, length: u64| {
        let patterns = patterns_of(&letters(sequence));
        let names = patterns.names(&keys);
        let pattern = patterns.ids().find(|&one| patterns.length(one) == length);
        pattern.map(|one| names[one.index()])
    };
    let alone = name_of("abcdxabcdy", 4);
    assert!(alone.is_some());
    // Here, the pattern is made of two other patterns.
    assert_eq!(name_of("abxcdvabycdyabcdzabcdw", 4), alone);
    assert_ne!(name_of("abdcxabdcy", 4), alone);
    // A loop has the name of its expanded events.
    assert_eq!(
        name_of("xababyxababy", 6),
        name_of("x ab ab y.xababy;xababy", 6)
    );
}

/// Random sequences with repetitions: pieces of earlier letters occur again, some of them several times.
fn sequences() -> impl Strategy<Value = Vec<Letter>> {
    let step = (
        0..4_u32,
        any::<(prop::sample::Index, prop::sample::Index)>(),
        0..4_usize,
    );
    prop::collection::vec(step, 0..40).prop_map(|steps| {
        let mut sequence: Vec<Letter> = Vec::new();
        for (letter, (from, to), times) in steps {
            sequence.push(Letter(letter));
            if sequence.len() > 2000 {
                break;
            }
            let (a, b) = (from.index(sequence.len()), to.index(sequence.len()));
            let piece = sequence[a.min(b)..=a.max(b)].to_vec();
            (0..times).for_each(|_| sequence.extend(&piece));
        }
        sequence
    })
}

proptest! {
    #[test]
    fn expanding_gives_the_sequence_back(sequence in sequences()) {
        let patterns = patterns_of(&sequence);
        prop_assert_eq!(patterns.expand().collect::<Vec<_>>(), sequence);
    }

    #[test]
    fn each_pattern_occurs_twice_at_least_and_lengths_are_right(sequence in sequences()) {
        let patterns = patterns_of(&sequence);
        let mut occurrences = vec![0_u64; patterns.len()];
        let mut open: Vec<u64> = Vec::new();
        for visit in Walk::new(&patterns) {
            match visit {
                Visit::Begin { .. } => open.push(0),
                Visit::Event { .. } => open.iter_mut().for_each(|events| *events += 1),
                Visit::End(pattern) => {
                    prop_assert_eq!(open.pop(), Some(patterns.length(pattern)));
                    occurrences[pattern.index()] += 1;
                }
                Visit::EndLoop { .. } => {}
            }
        }
        prop_assert!(open.is_empty());
        prop_assert!(occurrences.iter().all(|&times| times >= 2));
        for pattern in patterns.ids() {
            prop_assert!(patterns.items(pattern).len() >= 2);
        }
    }

    /// The invariant that makes the algorithm linear: no pair of items occurs twice.
    #[test]
    fn no_pair_of_items_stands_twice(sequence in sequences()) {
        let patterns = patterns_of(&sequence);
        let lists = patterns.ids().map(|pattern| patterns.items(pattern));
        let mut pairs = std::collections::HashSet::new();
        for list in lists.chain([patterns.top.as_slice()]) {
            for pair in list.windows(2) {
                prop_assert_ne!(pair[0].what, pair[1].what);
                prop_assert!(pairs.insert([pair[0], pair[1]]), "{:?} of {}", pair, text(&patterns, &patterns.top));
            }
        }
    }
}
