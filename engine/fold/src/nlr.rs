//! Nested loop recognition: folds one symbol stream incrementally.
//!
//! The algorithm follows Ketterlin et al., RR-8562, section II.C. Events are appended one at a time to a window of
//! terms. Three equal neighbouring sequences of terms become a loop, and a loop that is followed by its body grows.
//! Two things differ from the paper. First, a loop that is still growing is kept outside the window and *predicts*:
//! events are compared with the next iteration, including nested loops, one slice at a time, so regular stretches
//! cost one comparison per event. Second, a loop takes part in further folding only after it has stopped growing, so
//! no outer loop is built from an intermediate count.

use foldtrace_trace::{SymbolId, SymbolTable};

use super::expand::{Cursor, Next};
use super::shape::Shapes;
use super::window::{NewLoop, Window};
use super::{Construct, Model};

/// The default limit on the number of terms in the body of a loop.
pub const DEFAULT_MAX_BODY: usize = 256;

/// The highest limit on the number of terms in the body of a loop that users may set. Above it, folding would need as
/// much memory as the trace, and time proportional to the square of its length.
pub const MAX_BODY: usize = 1_000_000;

/// The maximum number of events predicted at once.
const CHUNK: usize = 4096;

/// A placeholder in predictions for an event that has no symbol yet.
const UNSEEN: SymbolId = SymbolId::new(u32::MAX);

/// Folds the symbols of one location into a model.
///
/// ```
/// use foldtrace_fold::{Folder, Shapes};
/// use foldtrace_trace::{EventKind, Symbol, SymbolTable};
///
/// let mut symbols = SymbolTable::default();
/// let sends: Vec<_> =
///     (1..=9).map(|peer| symbols.intern(Symbol::new(EventKind::MpiSend, &[peer, 0, 20]))).collect();
/// let mut shapes = Shapes::default();
/// shapes.update(&symbols);
///
/// let mut folder = Folder::new(16);
/// folder.push(&sends, &symbols, &shapes);
/// let model = folder.finish(&symbols, &shapes);
/// assert_eq!((model.terms(), model.loops()), (2, 1)); // for i0 = 0 to 8: send i0+1 20
/// assert!(model.expand(&symbols).eq(sends));
/// ```
#[derive(Clone, Debug)]
pub struct Folder {
    window: Window,
    growing: Option<Growing>,
    /// The constructs before the window.
    settled: Vec<Construct>,
    events: u64,
}

/// A loop that is still growing, and the events that it predicts.
#[derive(Clone, Debug)]
struct Growing {
    new: NewLoop,
    /// The number of complete iterations.
    count: i64,
    /// The events predicted for the current iteration, starting at its event number `before`.
    expected: Vec<SymbolId>,
    before: u64,
    /// The number of events in `expected` that have arrived.
    arrived: usize,
    /// The rest of the current iteration after `expected`; `None` if `expected` extends to its end.
    rest: Option<Cursor>,
}

impl Growing {
    fn new(new: NewLoop, symbols: &SymbolTable) -> Self {
        let mut growing = Self {
            new,
            count: 3,
            expected: Vec::new(),
            before: 0,
            arrived: 0,
            rest: None,
        };
        growing.start_iteration(symbols);
        growing
    }

    /// Predicts the rest of the current iteration again if the prediction stopped at an event that had no symbol.
    /// Returns whether the event has a symbol now.
    fn predict_again(&mut self, symbols: &SymbolTable) -> bool {
        if self.expected.get(self.arrived) != Some(&UNSEEN) {
            return false;
        }
        let partial = self.partial();
        let mut cursor = Cursor::iteration(self.new.body.clone(), self.count);
        for _ in 0..partial {
            cursor.next(symbols);
        }
        self.rest = Some(cursor);
        self.before = partial;
        self.arrived = 0;
        self.predict(symbols);
        self.expected.first() != Some(&UNSEEN)
    }

    fn start_iteration(&mut self, symbols: &SymbolTable) {
        self.before = 0;
        self.arrived = 0;
        self.rest = Some(Cursor::iteration(self.new.body.clone(), self.count));
        self.predict(symbols);
    }

    /// Fills `expected` with the next events of the current iteration.
    fn predict(&mut self, symbols: &SymbolTable) {
        self.expected.clear();
        let Some(cursor) = &mut self.rest else { return };
        while self.expected.len() < CHUNK {
            match cursor.next(symbols) {
                Next::Symbol(symbol) => self.expected.push(symbol),
                Next::End => {
                    self.rest = None;
                    return;
                }
                Next::Impossible => {
                    self.expected.push(UNSEEN);
                    return;
                }
            }
        }
    }

    /// Consumes events as long as they match the prediction, and returns their number.
    fn take(&mut self, events: &[SymbolId], symbols: &SymbolTable) -> usize {
        let mut taken = 0;
        loop {
            let expected = &self.expected[self.arrived..];
            let given = &events[taken..];
            let common = common_prefix(expected, given);
            self.arrived += common;
            taken += common;
            if self.arrived < self.expected.len() {
                if taken < events.len() && self.predict_again(symbols) {
                    continue;
                }
                return taken;
            }
            if self.rest.is_some() {
                self.before += self.expected.len() as u64;
                self.arrived = 0;
                self.predict(symbols);
                if !self.expected.is_empty() {
                    continue;
                }
            }
            self.count += 1;
            if self.new.constant && self.before == 0 {
                self.arrived = 0;
            } else {
                self.start_iteration(symbols);
            }
            if self.expected.is_empty() || taken == events.len() {
                return taken;
            }
        }
    }

    /// Returns the next `count` events if the loop continues, up to the first event that has no symbol.
    fn ahead(&self, count: usize, symbols: &SymbolTable) -> Vec<SymbolId> {
        let expected = self.expected[self.arrived..].iter();
        let mut ahead: Vec<SymbolId> = expected.copied().take(count).collect();
        let mut rest = self.rest.clone();
        let mut iteration = self.count;
        // An iteration may have no events, so the loop stops after an empty one.
        let mut before = None;
        while ahead.len() < count && ahead.last() != Some(&UNSEEN) {
            let next = rest
                .as_mut()
                .map_or(Next::End, |cursor| cursor.next(symbols));
            match next {
                Next::Symbol(symbol) => ahead.push(symbol),
                Next::Impossible => break,
                Next::End if before == Some(ahead.len()) => break,
                Next::End => {
                    before = Some(ahead.len());
                    iteration += 1;
                    rest = Some(Cursor::iteration(self.new.body.clone(), iteration));
                }
            }
        }
        if ahead.last() == Some(&UNSEEN) {
            ahead.pop();
        }
        ahead
    }

    /// Returns the number of events of the current iteration that have arrived.
    fn partial(&self) -> u64 {
        self.before + self.arrived as u64
    }
}

fn common_prefix(a: &[SymbolId], b: &[SymbolId]) -> usize {
    // All ids of a block are compared, which takes vector instructions instead of branches.
    const BLOCK: usize = 8;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let are_equal = |a: &[SymbolId], b: &[SymbolId]| {
        let pairs = a.iter().zip(b);
        pairs.fold(true, |all, (a, b)| all & (a == b))
    };
    let equal = blocks.take_while(|&(a, b)| are_equal(a, b)).count() * BLOCK;
    let rest = a[equal..].iter().zip(&b[equal..]);
    equal + rest.take_while(|(a, b)| a == b).count()
}

impl Folder {
    /// Creates a folder for loops whose bodies have at most `max_body` terms.
    #[must_use]
    pub fn new(max_body: usize) -> Self {
        Self {
            window: Window::new(max_body.max(1)),
            growing: None,
            settled: Vec::new(),
            events: 0,
        }
    }

    /// Folds the next events of the stream. `shapes` must be up to date with `symbols`.
    pub fn push(&mut self, events: &[SymbolId], symbols: &SymbolTable, shapes: &Shapes) {
        debug_assert_eq!(shapes.len(), symbols.len());
        self.events += events.len() as u64;
        self.fold(events, symbols, shapes);
    }

    fn fold(&mut self, mut events: &[SymbolId], symbols: &SymbolTable, shapes: &Shapes) {
        while let Some(&event) = events.first() {
            if let Some(growing) = &mut self.growing {
                events = &events[growing.take(events, symbols)..];
                if !events.is_empty() {
                    self.close(symbols, shapes);
                }
                continue;
            }
            self.window.push_event(event, shapes);
            self.reduce(symbols);
            events = &events[1..];
        }
    }

    fn reduce(&mut self, symbols: &SymbolTable) {
        self.window.settle(symbols, &mut self.settled);
        self.growing = self
            .window
            .reduce(symbols)
            .map(|new| Growing::new(new, symbols));
    }

    /// Ends the growth of the loop: the loop becomes a term, and the events of its incomplete next iteration are
    /// folded again after it.
    fn close(&mut self, symbols: &SymbolTable, shapes: &Shapes) {
        let Some(growing) = self.growing.take() else {
            return;
        };
        self.window.push_loop(&growing.new, growing.count);
        self.reduce(symbols);
        let mut left = growing.partial();
        let mut cursor = Cursor::iteration(growing.new.body.clone(), growing.count);
        let mut again = Vec::new();
        while left > 0 {
            again.clear();
            while again.len() < CHUNK && (again.len() as u64) < left {
                match cursor.next(symbols) {
                    Next::Symbol(symbol) => again.push(symbol),
                    Next::End | Next::Impossible => break,
                }
            }
            left -= again.len() as u64;
            if again.is_empty() {
                break;
            }
            self.fold(&again, symbols, shapes);
        }
    }

    /// Returns at most `count` events that the open loop predicts to come next, assuming that it never ends and that
    /// the counts of its inner loops continue as before. Returns an empty vector if no loop is open.
    #[must_use]
    pub fn predict(&self, count: usize, symbols: &SymbolTable) -> Vec<SymbolId> {
        let growing = self.growing.as_ref();
        growing.map_or_else(Vec::new, |growing| growing.ahead(count, symbols))
    }

    /// Returns the number of constructs that can no longer change and have not been taken.
    #[must_use]
    pub const fn settled(&self) -> usize {
        self.settled.len()
    }

    /// Returns the constructs that can no longer change, in order. Each construct is returned once and is not part of
    /// later results. A caller that takes them regularly needs no memory for a long model.
    pub fn take_settled(&mut self) -> Vec<Construct> {
        std::mem::take(&mut self.settled)
    }

    /// Returns the model of all pushed events, without the constructs that [`take_settled`](Self::take_settled) has
    /// already returned.
    #[must_use]
    pub fn finish(mut self, symbols: &SymbolTable, shapes: &Shapes) -> Model {
        while self.growing.is_some() {
            self.close(symbols, shapes);
        }
        self.window.finish(symbols, &mut self.settled);
        Model {
            constructs: self.settled.into(),
            events: self.events,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldtrace_trace::{EventKind, Symbol};
    use proptest::prelude::*;

    fn fold_in(events: &[SymbolId], symbols: &SymbolTable, max_body: usize, chunk: usize) -> Model {
        let mut shapes = Shapes::default();
        shapes.update(symbols);
        let mut folder = Folder::new(max_body);
        for part in events.chunks(chunk) {
            folder.push(part, symbols, &shapes);
        }
        folder.finish(symbols, &shapes)
    }

    fn fold(events: &[SymbolId], symbols: &SymbolTable) -> Model {
        let model = fold_in(events, symbols, DEFAULT_MAX_BODY, 7);
        assert!(
            model.expand(symbols).eq(events.iter().copied()),
            "expand(fold(x)) == x"
        );
        model
    }

    fn send(symbols: &mut SymbolTable, peer: u64, tag: u64) -> SymbolId {
        symbols.intern(Symbol::new(EventKind::MpiSend, &[peer, 0, tag]))
    }

    fn enter(symbols: &mut SymbolTable, region: u64) -> SymbolId {
        symbols.intern(Symbol::new(EventKind::Enter, &[region]))
    }

    #[test]
    fn the_nest_of_the_papers_figure_3() {
        let mut symbols = SymbolTable::default();
        let [a, b, c, d] = [(1, 2), (4, 4), (1, 1), (4, 3)].map(|(p, t)| send(&mut symbols, p, t));
        let mut events = vec![d, d, a];
        for _ in 0..249 {
            for _ in 0..160 {
                events.extend([a, b]);
            }
            for _ in 0..160 {
                events.extend([c, d]);
            }
            events.extend([a, c, b, d]);
        }
        let model = fold(&events, &symbols);
        assert!(model.terms() <= 3 + 11 + 11, "{model:#?}");
        let outer = model.constructs.iter().find_map(|c| match c {
            Construct::Loop(l) if l.count.base >= 247 => Some(l),
            _ => None,
        });
        assert_eq!(outer.map(|l| l.body.len()), Some(6));
    }

    #[test]
    fn an_open_loop_announces_what_comes() {
        let mut symbols = SymbolTable::default();
        let [a, b, c] = [1, 2, 3].map(|peer| send(&mut symbols, peer, 0));
        let mut shapes = Shapes::default();
        shapes.update(&symbols);
        let iteration = [a, b, b, b, b, c];
        let mut folder = Folder::new(16);
        assert!(folder.predict(5, &symbols).is_empty());
        for _ in 0..4 {
            folder.push(&iteration, &symbols, &shapes);
        }
        folder.push(&[a, b], &symbols, &shapes);
        let expected: Vec<_> = iteration.iter().cycle().skip(2).take(20).copied().collect();
        assert_eq!(folder.predict(20, &symbols), expected);
        folder.push(&[c], &symbols, &shapes);
        assert!(folder.predict(5, &symbols).is_empty(), "the loop was left");
    }

    #[test]
    fn triangular_loops_fold_with_affine_bounds() {
        let mut symbols = SymbolTable::default();
        let (outer, inner) = (enter(&mut symbols, 1), enter(&mut symbols, 2));
        let mut events = Vec::new();
        for i in 0..20 {
            events.push(outer);
            events.extend(std::iter::repeat_n(inner, 4 + 2 * i));
        }
        let model = fold(&events, &symbols);
        assert_eq!((model.terms(), model.loops()), (4, 2), "{model:#?}");
    }

    #[test]
    fn a_manager_that_sends_to_all_workers_folds_into_two_loops() {
        let mut symbols = SymbolTable::default();
        let mut events = Vec::new();
        for _round in 0..10 {
            for worker in 1..12 {
                events.push(send(&mut symbols, worker, 20));
            }
            events.push(enter(&mut symbols, 9));
        }
        let model = fold(&events, &symbols);
        assert_eq!((model.terms(), model.loops()), (4, 2), "{model:#?}");
    }

    #[test]
    fn an_iteration_longer_than_a_chunk_is_predicted_too() {
        let mut symbols = SymbolTable::default();
        let (a, b, c) = (
            enter(&mut symbols, 1),
            enter(&mut symbols, 2),
            enter(&mut symbols, 3),
        );
        let mut events = Vec::new();
        for _ in 0..8 {
            for _ in 0..50 {
                events.extend(std::iter::repeat_n(a, 100));
                events.push(b);
            }
            events.push(c);
        }
        events.extend(std::iter::repeat_n(a, 150));
        let model = fold(&events, &symbols);
        assert_eq!(model.loops(), 3 + 1, "{model:#?}");
    }

    #[test]
    fn terms_without_repetition_leave_the_window() {
        const MAX_BODY: usize = 8;
        let mut symbols = SymbolTable::default();
        let mut random = fastrand::Rng::with_seed(3);
        let events: Vec<_> = (0..100_000)
            .map(|_| send(&mut symbols, random.u64(0..50), 7))
            .collect();
        let whole = fold_in(&events, &symbols, MAX_BODY, 1000);
        let mut shapes = Shapes::default();
        shapes.update(&symbols);
        let mut folder = Folder::new(MAX_BODY);
        let mut constructs = Vec::new();
        for part in events.chunks(100) {
            folder.push(part, &symbols, &shapes);
            constructs.extend(folder.take_settled());
            assert!(folder.window.terms() <= 10 * MAX_BODY);
            assert!(folder.window.frames() <= 20 * MAX_BODY);
        }
        let rest = folder.finish(&symbols, &shapes);
        constructs.extend_from_slice(&rest.constructs);
        assert!(constructs.len() > 50_000);
        assert_eq!(constructs[..], whole.constructs[..]);
        assert_eq!(rest.events, whole.events);
    }

    /// Streams with nested repetitions, in which loops form, grow, break and nest.
    fn streams() -> impl Strategy<Value = Vec<(u64, u64)>> {
        let leaf = prop::collection::vec((0u64..3, 0u64..3), 1..4);
        leaf.prop_recursive(4, 400, 5, |inner| {
            prop_oneof![
                (inner.clone(), 1usize..7).prop_map(|(body, n)| body.repeat(n)),
                (inner.clone(), 1u64..7).prop_map(|(body, n)| (0..n)
                    .flat_map(|i| body
                        .iter()
                        .map(move |(r, p)| (*r, p + i))
                        .collect::<Vec<_>>())
                    .collect()),
                prop::collection::vec(inner, 1..4).prop_map(|parts| parts.concat()),
            ]
        })
        .prop_map(|mut events| {
            events.truncate(20_000);
            events
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn expanding_is_the_inverse_of_folding(
            stream in streams(), max_body in 1usize..40, chunk in 1usize..300
        ) {
            let mut symbols = SymbolTable::default();
            let events: Vec<_> = stream
                .iter()
                .map(|&(kind, peer)| match kind {
                    0 => enter(&mut symbols, peer),
                    1 => send(&mut symbols, peer, 5),
                    _ => send(&mut symbols, 3, peer),
                })
                .collect();
            let model = fold_in(&events, &symbols, max_body, chunk);
            prop_assert_eq!(model.events, events.len() as u64);
            prop_assert!(model.expand(&symbols).eq(events.iter().copied()));
            prop_assert!(model.terms() <= events.len() as u64);
            // The result does not depend on how a stream is cut into batches.
            prop_assert_eq!(model, fold_in(&events, &symbols, max_body, events.len().max(1)));
        }
    }
}
