use foldtrace_topology::recognition::{Direction, DirectionId, Rule, Topology};
use proptest::prelude::*;

use super::*;

/// An open mesh of two dimensions, whose directions are +x, -x, +y and -y.
fn grid(width: u32, height: u32) -> Topology {
    let offsets = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    let directions = ["+x", "-x", "+y", "-y"].iter().zip([1, 0, 3, 2]);
    let directions = directions.map(|(sort, reverse)| Direction {
        sort: (*sort).to_owned(),
        index: 0,
        is_numbered: false,
        reverse: vec![DirectionId(reverse)],
    });
    let mut neighbours = Vec::new();
    for node in 0..width * height {
        let (x, y) = (i64::from(node % width), i64::from(node / width));
        for (n, (dx, dy)) in (0..).zip(offsets) {
            let (x, y) = (x + dx, y + dy);
            if (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y) {
                let to = (y * i64::from(width) + x) as u32;
                neighbours.push((node, DirectionId(n), to));
            }
        }
    }
    let rule = Rule::Mesh {
        is_periodic: false,
        offsets: vec![vec![0, 1], vec![0, -1], vec![1, 0], vec![-1, 0]],
    };
    let name = (format!("{height}x{width} grid"), "grid".to_owned());
    Topology::new(
        name,
        vec![height, width],
        rule,
        directions.collect(),
        neighbours,
    )
}

fn letters() -> impl Strategy<Value = Letter> {
    let direction = || (0u32..4).prop_map(DirectionId);
    let tag = || prop::option::of(0u64..3);
    prop_oneof![
        (direction(), tag()).prop_map(|(direction, tag)| Letter::Send { direction, tag }),
        (direction(), tag()).prop_map(|(direction, tag)| Letter::Receive { direction, tag }),
        (0u64..3).prop_map(|operation| Letter::Collective {
            operation: Some(operation),
            root: None,
            communicator: CommunicatorId(0),
        }),
    ]
}

/// Generates words in which parts are repeated.
fn words() -> impl Strategy<Value = Vec<Letter>> {
    let part = (prop::collection::vec(letters(), 1..7), 1usize..9);
    let parts = prop::collection::vec(part, 1..5);
    (parts, 1usize..4).prop_map(|(parts, times)| {
        let once = parts
            .into_iter()
            .flat_map(|(part, times)| part.repeat(times));
        once.collect::<Vec<_>>().repeat(times)
    })
}

fn own_of(word: &[Letter], topology: &Topology) -> Own {
    let mut folding = Folding::new(Alphabet::new(topology), 64);
    word.iter().for_each(|&letter| folding.take(letter));
    folding.finish()
}

fn united(words: &[Vec<Letter>], topology: &Topology) -> Vec<Construct> {
    let own = words
        .iter()
        .zip(0..)
        .map(|(word, node)| (own_of(word, topology), node));
    let (program, _) = unite(own.collect(), topology, None);
    program.alphabet.program(&program.model)
}

fn instances(program: &[Construct], topology: &Topology, node: u32) -> Vec<Letter> {
    let instances = Instances::new(program, topology, node);
    instances.map(|(_, letter)| letter).collect()
}

fn agreement(program: &[Construct], topology: &Topology, node: u32, word: &[Letter]) -> Agreement {
    let mut follow = Follow::new(Instances::new(program, topology, node));
    let mut reported = Vec::new();
    let mut report = |call: Option<u32>, index: usize| reported.push((call, index));
    for (index, &letter) in word.iter().enumerate() {
        follow.take(letter, index, &mut report);
    }
    let agreement = follow.finish(&mut report);
    let reproduced = reported.iter().filter(|(call, _)| call.is_some()).count();
    assert_eq!(reproduced as u64, agreement.reproduced);
    let order: Vec<usize> = reported.iter().map(|&(_, index)| index).collect();
    assert_eq!(
        order,
        (0..word.len()).collect::<Vec<_>>(),
        "each is reported once, in order"
    );
    agreement
}

proptest! {
    #[test]
    fn processes_that_do_the_same_agree_alike(
        variants in prop::collection::vec(words(), 1..4),
        which in prop::collection::vec(any::<prop::sample::Index>(), 12),
        width in 1u32..4, height in 1u32..4,
    ) {
        let topology = grid(width, height);
        let nodes = 0..width * height;
        let words = which[..nodes.len()].iter().map(|which| which.get(&variants).clone());
        let words: Vec<Vec<Letter>> = words.collect();
        let program = united(&words, &topology);
        let own: Vec<Own> = words.iter().map(|word| own_of(word, &topology)).collect();
        let compared = compare(&program, &topology, own.iter().zip(nodes.clone()));
        let expected = nodes.zip(&words).map(|(node, word)| agreement(&program, &topology, node, word));
        prop_assert_eq!(compared, expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_common_program_is_found(
        word in words(), width in 1u32..5, height in 1u32..5,
    ) {
        let topology = grid(width, height);
        let nodes = 0..width * height;
        let words: Vec<Vec<Letter>> = nodes.clone().map(|node| {
            word.iter().copied().filter(|letter| letter.is_of(node, &topology)).collect()
        }).collect();
        let program = united(&words, &topology);
        for (node, word) in nodes.zip(&words) {
            prop_assert_eq!(&instances(&program, &topology, node), word);
            let exact = agreement(&program, &topology, node, word);
            let all = Agreement { reproduced: word.len() as u64, ..Agreement::default() };
            prop_assert_eq!(exact, all);
        }
    }

    #[test]
    fn differences_are_counted(
        word in words(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), letters(), 0..3), 0..6),
    ) {
        let topology = grid(3, 2);
        let own = |node: u32| -> Vec<Letter> {
            word.iter().copied().filter(|letter| letter.is_of(node, &topology)).collect()
        };
        let mut words: Vec<Vec<Letter>> = (0..6).map(own).collect();
        for (node, at, letter, change) in &changes {
            let node = node.index(6);
            let at = at.index(words[node].len() + 1);
            let word = &mut words[node];
            match change {
                0 if letter.is_of(node as u32, &topology) => word.insert(at, *letter),
                1 if at < word.len() => { word.remove(at); }
                _ => word.truncate(at.max(word.len() / 2)),
            }
        }
        let program = united(&words, &topology);
        for (node, word) in (0..6).zip(&words) {
            let prescribed = instances(&program, &topology, node).len() as u64;
            let found = agreement(&program, &topology, node, word);
            prop_assert_eq!(found.reproduced + found.missing, word.len() as u64);
            prop_assert_eq!(found.reproduced + found.added, prescribed);
        }
    }
}

#[test]
fn a_word_that_is_too_long_is_given_up() {
    let topology = grid(1, 1);
    let mut random = fastrand::Rng::with_seed(5);
    let fold = |letters: &mut dyn FnMut() -> u64, budget: &Budget| {
        let mut folding = Folding::new(Alphabet::new(&topology), 64).within(budget);
        for _ in 0..20_000 {
            folding.take(Letter::Collective {
                operation: Some(letters()),
                root: None,
                communicator: CommunicatorId(0),
            });
        }
        folding.finish_within()
    };
    let budget = Budget::new(30_000);
    assert!(fold(&mut || random.u64(0..100), &budget).is_some());
    assert!(
        fold(&mut || random.u64(0..100), &budget).is_none(),
        "both share a budget"
    );
    assert!(
        fold(&mut || 3, &Budget::new(10)).is_some(),
        "a loop is short"
    );
}

/// A process that differs from the program for a long time, and then follows it at another position.
#[test]
fn a_program_is_found_again_far_away() {
    let operation = |code: u64| Letter::Collective {
        operation: Some(code),
        root: None,
        communicator: CommunicatorId(0),
    };
    let mut random = fastrand::Rng::with_seed(11);
    let mut some = |count: usize, codes: std::ops::Range<u64>| -> Vec<Letter> {
        (0..count)
            .map(|_| operation(random.u64(codes.clone())))
            .collect()
    };
    let tail = some(30_000, 0..100);
    let expected = [some(60_000, 100..200), tail.clone()].concat();
    let done = [some(59_000, 200..300), tail].concat();
    let topology = grid(1, 1);
    let program = united(&[expected], &topology);
    let agreement = agreement(&program, &topology, 0, &done);
    assert!(agreement.reproduced > 15_000, "{agreement:?}");
}

/// Tags that are not known have the number after those that count down to 0, and before those that count up from there.
#[test]
fn unknown_tags_remain_unknown_among_tags_that_count() {
    let topology = grid(3, 2);
    let receive = |tag| Letter::Receive {
        direction: DirectionId(3),
        tag,
    };
    let down = [None, Some(2), Some(1), Some(0)];
    let up = [None, Some(0), Some(1), Some(2)];
    for tags in [down, up] {
        let word: Vec<Letter> = tags.into_iter().cycle().take(12).map(receive).collect();
        let words = (0..6).map(|node| {
            let own = word.iter().copied();
            own.filter(|letter| letter.is_of(node, &topology))
                .collect::<Vec<_>>()
        });
        let words: Vec<_> = words.collect();
        let own = words.iter().zip(0..);
        let own = own.map(|(word, node)| (own_of(word, &topology), node));
        let (program, topology, _) = merge(own.collect(), topology.clone()).unwrap();
        let text = program.alphabet.program(&program.model);
        for (word, node) in words.iter().zip(0..) {
            assert_eq!(&instances(&text, &topology, node), word);
        }
    }
}

proptest! {
    /// Merging neither loses nor adds calls, whatever the processes do.
    #[test]
    fn merged_programs_are_exact(
        words in prop::collection::vec(words(), 6),
        kinds in prop::collection::vec(0usize..6, 6),
    ) {
        let topology = grid(3, 2);
        let words: Vec<Vec<Letter>> = (0..6).map(|node: u32| {
            let word = words[kinds[node as usize]].iter().copied();
            word.filter(|letter| letter.is_of(node, &topology)).collect()
        }).collect();
        let own = words.iter().zip(0..);
        let own = own.map(|(word, node)| (own_of(word, &topology), node));
        let (program, topology, _) = merge(own.collect(), topology.clone()).unwrap();
        let text = program.alphabet.program(&program.model);
        prop_assert_eq!(calls_of(&text).count() as u64, program.model.events);
        for (word, node) in words.iter().zip(0..) {
            prop_assert_eq!(&instances(&text, &topology, node), word);
        }
    }

    /// Consecutive non-blocking sends are sorted by direction; blocking sends keep their order.
    #[test]
    fn the_order_of_a_run_is_left_out(directions in prop::collection::vec(0u32..4, 1..20), is_posted in any::<bool>()) {
        let mut word = Word::new(Wording { has_tags: true, is_ordered: false });
        let mut letters = Vec::new();
        let mut report = |letter: Letter, ()| letters.push(letter);
        for &direction in &directions {
            let letter = Letter::Send { direction: DirectionId(direction), tag: None };
            let meaning = if is_posted { Meaning::Posted(letter) } else { Meaning::Letter(letter) };
            word.take(Meaning::Enter { is_mpi: true }, (), &mut report);
            word.take(meaning, (), &mut report);
            word.take(Meaning::Leave, (), &mut report);
        }
        word.finish(&mut report);
        let found: Vec<u32> = letters.iter().filter_map(Letter::direction).map(|it| it.0).collect();
        let mut expected = directions;
        if is_posted {
            expected.sort_unstable();
        }
        prop_assert_eq!(found, expected);
    }
}

/// Ranks that differ in the middle of a long program are in step again after the difference.
#[test]
fn a_process_with_calls_of_its_own_costs_only_these() {
    let topology = grid(3, 3);
    let send = |direction, tag| Letter::Send {
        direction: DirectionId(direction),
        tag: Some(tag),
    };
    let all = |letter| Letter::Collective {
        operation: Some(letter),
        root: None,
        communicator: CommunicatorId(0),
    };
    let iteration = [send(0, 1), send(1, 1), send(2, 2), send(3, 2), all(11)];
    let word: Vec<Letter> = iteration.repeat(400);
    let words = (0..9).map(|node| {
        let mut word = word.clone();
        if node == 4 {
            let extra = [all(1), all(2), all(1)];
            word.splice(1000..1000, extra);
        }
        word.retain(|letter| letter.is_of(node, &topology));
        word
    });
    let words: Vec<Vec<Letter>> = words.collect();
    let program = united(&words, &topology);
    let mut total = Agreement::default();
    for (node, word) in (0..9).zip(&words) {
        total = total.with(agreement(&program, &topology, node, word));
    }
    let calls: usize = words.iter().map(Vec::len).sum();
    let expected = Agreement {
        reproduced: calls as u64 - 3,
        missing: 3,
        added: 0,
    };
    assert_eq!(total, expected);
    assert!(program.len() <= 2, "{program:?}");
}

/// Calls of only the processes at an edge have a guard that restricts them to that edge.
#[test]
fn processes_at_an_edge_may_have_calls_of_their_own() {
    let topology = grid(4, 3);
    let (right, down) = (DirectionId(0), DirectionId(2));
    let send = |direction| Letter::Send {
        direction,
        tag: None,
    };
    let words = (0..12).map(|node| {
        let mut word = [send(right), send(down)].repeat(5);
        // Only the last column sends down at this point.
        if topology.neighbour(node, right).is_none() {
            word.push(send(down));
        }
        word.retain(|letter| letter.is_of(node, &topology));
        word
    });
    let words: Vec<Vec<Letter>> = words.collect();
    let program = united(&words, &topology);
    for (node, word) in (0..12).zip(&words) {
        assert_eq!(&instances(&program, &topology, node), word);
    }
    let Some(Construct::Call(last)) = program.last() else {
        panic!("{program:?}");
    };
    let at_the_edge = Guard::Neighbours {
        directions: [right, right],
        is_there: false,
    };
    assert_eq!(last.guard, Some(at_the_edge));
}
