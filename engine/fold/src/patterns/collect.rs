//! Converts lists of nodes to [`Patterns`]: columns, numbered in the order in which patterns first begin.

use super::sequence::{Arena, Node};
use super::{Item, Letter, PatternId, Patterns, What};

/// The result of converting a rule.
#[derive(Clone, Debug)]
enum Converted {
    /// A pattern of these items.
    Items(Vec<Item>),
    /// A single item with any number of repetitions, which replaces the uses of the rule.
    Single(Item),
}

/// Returns the patterns of the list at `top`. `list` returns the guard of a rule's list, and `uses` the number of its
/// uses.
pub(super) fn patterns(
    arena: &Arena,
    top: Node,
    list: &dyn Fn(u32) -> Node,
    uses: &dyn Fn(u32) -> u32,
    events: u64,
) -> Patterns {
    let mut converted: Vec<Option<Converted>> = Vec::new();
    let is_single = |node: Node, rule: u32| uses(rule) == 1 && arena.count(node) == 1;
    // Rules are converted after the rules that they use. Each entry is a list being written, with its next node.
    let mut stack: Vec<(Option<u32>, Node, Vec<Item>)> = vec![(None, arena.next(top), Vec::new())];
    let mut whole = Vec::new();
    while let Some((owner, node, mut items)) = stack.pop() {
        if arena.is_guard(node) {
            let Some(rule) = owner else {
                whole = items;
                break;
            };
            let slot = rule as usize;
            if converted.len() <= slot {
                converted.resize(slot + 1, None);
            }
            converted[slot] = Some(match items.as_slice() {
                &[item] => Converted::Single(item),
                _ => Converted::Items(items),
            });
            continue;
        }
        let count = arena.count(node);
        match arena.sign(node).as_rule() {
            None => {
                let what = What::Event(Letter(arena.sign(node).as_letter()));
                add(&mut items, Item { what, count });
            }
            Some(rule) => match converted.get(rule as usize).and_then(Option::as_ref) {
                None => {
                    stack.push((owner, node, items));
                    stack.push((Some(rule), arena.next(list(rule)), Vec::new()));
                    continue;
                }
                Some(Converted::Single(item)) => {
                    let count = item.count.saturating_mul(count);
                    add(&mut items, Item { count, ..*item });
                }
                Some(Converted::Items(inner)) if is_single(node, rule) => {
                    inner.iter().for_each(|&item| add(&mut items, item));
                }
                Some(Converted::Items(_)) => {
                    let what = What::Pattern(PatternId(rule));
                    add(&mut items, Item { what, count });
                }
            },
        }
        stack.push((owner, arena.next(node), items));
    }
    number(whole, &converted, events)
}

/// Appends an item, or adds its repetitions to the last item if both have the same content.
fn add(items: &mut Vec<Item>, item: Item) {
    match items.last_mut() {
        Some(last) if last.what == item.what => last.count += item.count,
        _ => items.push(item),
    }
}

/// Numbers rules in the order in which they first begin, and puts their items into columns.
fn number(mut top: Vec<Item>, converted: &[Option<Converted>], events: u64) -> Patterns {
    let mut order: Vec<u32> = Vec::new();
    let mut numbers: Vec<Option<u32>> = vec![None; converted.len()];
    let items_of = |rule: u32| match converted.get(rule as usize) {
        Some(Some(Converted::Items(items))) => items.as_slice(),
        _ => &[],
    };
    let mut stack = vec![top.iter()];
    while let Some(items) = stack.last_mut() {
        let Some(item) = items.next() else {
            stack.pop();
            continue;
        };
        if let What::Pattern(PatternId(rule)) = item.what
            && numbers[rule as usize].is_none()
        {
            numbers[rule as usize] = Some(order.len() as u32);
            order.push(rule);
            stack.push(items_of(rule).iter());
        }
    }
    let renumbered = |item: &Item| match item.what {
        What::Pattern(PatternId(rule)) => Item {
            what: What::Pattern(PatternId(numbers[rule as usize].unwrap_or_default())),
            ..*item
        },
        What::Event(_) => *item,
    };
    let mut patterns = Patterns {
        events,
        ..Patterns::default()
    };
    for &rule in &order {
        patterns.items.extend(items_of(rule).iter().map(renumbered));
        patterns.ends.push(patterns.items.len());
    }
    top.iter_mut().for_each(|item| *item = renumbered(item));
    patterns.top = top;
    measure(&mut patterns);
    patterns
}

/// Computes the lengths of all patterns.
fn measure(patterns: &mut Patterns) {
    patterns.lengths = vec![0; patterns.len()];
    for pattern in patterns.inside_out() {
        let lengths = patterns.items(pattern).iter();
        let length = lengths.map(|item| patterns.events_of(item)).sum();
        patterns.lengths[pattern.index()] = length;
    }
}
