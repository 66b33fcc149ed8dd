//! Checks models from outside, such as from a file, before other code relies on them.

use std::fmt;

use foldtrace_trace::{SymbolId, SymbolTable};

use super::{Construct, Count, EventConstruct, LoopConstruct, Model, Step};

/// The maximum number of loops around a construct.
pub const MAX_DEPTH: usize = 512;

/// The reason why a model cannot describe a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadModel {
    /// A symbol is not in the table.
    Symbol(SymbolId),
    /// A step refers to a loop that is not around its construct, or to a number that the construct does
    /// not have.
    Step,
    /// A loop has a negative number of iterations, or an empty body.
    Loop,
    /// The model and the stream have different numbers of events.
    Events,
    /// Loops are nested more than [`MAX_DEPTH`] deep.
    Depth,
}

impl fmt::Display for BadModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbol(symbol) => write!(f, "there is no symbol {symbol}"),
            Self::Step => f.write_str("a number grows with a loop that does not enclose it"),
            Self::Loop => {
                f.write_str("a loop has an empty body, or a negative number of iterations")
            }
            Self::Events => f.write_str("its number of events differs from that of its location"),
            Self::Depth => write!(f, "loops are nested more than {MAX_DEPTH} deep"),
        }
    }
}

impl std::error::Error for BadModel {}

impl Model {
    /// Checks that the model can describe a stream of the number of events that it states.
    ///
    /// A loop is only walked iteration by iteration if the length of its body varies, so the check takes
    /// less time than expanding the model.
    ///
    /// # Errors
    /// Returns an error if the model cannot describe such a stream.
    pub fn check(&self, symbols: &SymbolTable) -> Result<(), BadModel> {
        check_sequence(&self.constructs, 0, symbols)?;
        let mut walk = Walk {
            limit: self.events,
            // Each visit of a construct takes one unit. There may be more visits than events, because iterations may
            // be empty.
            left: self.events.saturating_add(self.terms()).saturating_mul(16),
            indices: Vec::new(),
        };
        if walk.sequence(&self.constructs)? == self.events {
            Ok(())
        } else {
            Err(BadModel::Events)
        }
    }
}

fn check_sequence(
    constructs: &[Construct],
    depth: usize,
    symbols: &SymbolTable,
) -> Result<(), BadModel> {
    if depth > MAX_DEPTH {
        return Err(BadModel::Depth);
    }
    constructs.iter().try_for_each(|construct| match construct {
        Construct::Event(event) => check_event(event, depth, symbols),
        Construct::Loop(l) => {
            if l.body.is_empty() || l.count.base < 0 {
                return Err(BadModel::Loop);
            }
            check_steps(&l.count.steps, depth, 1)?;
            check_sequence(&l.body, depth + 1, symbols)
        }
    })
}

fn check_event(
    event: &EventConstruct,
    depth: usize,
    symbols: &SymbolTable,
) -> Result<(), BadModel> {
    if !symbols.contains(event.symbol) {
        return Err(BadModel::Symbol(event.symbol));
    }
    let operands = symbols.kind(event.symbol).operands().len();
    check_steps(&event.steps, depth, operands)
}

/// Checks the steps of a construct that has `depth` loops around it and `numbers` numbers.
fn check_steps(steps: &[Step], depth: usize, numbers: usize) -> Result<(), BadModel> {
    let is_valid =
        |step: &Step| usize::from(step.depth) < depth && usize::from(step.slot) < numbers;
    if steps.iter().all(is_valid) {
        Ok(())
    } else {
        Err(BadModel::Step)
    }
}

/// A walk that counts the events of constructs, with a limited number of visits.
struct Walk {
    limit: u64,
    /// The number of visits that are left.
    left: u64,
    indices: Vec<i64>,
}

impl Walk {
    fn spend(&mut self, amount: u64) -> Result<(), BadModel> {
        self.left = self.left.checked_sub(amount).ok_or(BadModel::Events)?;
        Ok(())
    }

    fn sequence(&mut self, constructs: &[Construct]) -> Result<u64, BadModel> {
        let mut events = 0_u64;
        for construct in constructs {
            self.spend(1)?;
            let more = match construct {
                Construct::Event(_) => 1,
                Construct::Loop(l) => self.loop_events(l)?,
            };
            // A sum that saturates is above the limit, because no stream has `u64::MAX` events.
            events = events.saturating_add(more);
            if events > self.limit {
                return Err(BadModel::Events);
            }
        }
        Ok(events)
    }

    fn loop_events(&mut self, l: &LoopConstruct) -> Result<u64, BadModel> {
        let count = self.count(&l.count)?;
        if count == 0 {
            return Ok(0);
        }
        let depth = self.indices.len();
        self.indices.push(0);
        let mut events = self.sequence(&l.body)?;
        if count_depends_on(&l.body, depth) {
            for index in 1..count {
                self.indices[depth] = index as i64;
                events = events.saturating_add(self.sequence(&l.body)?);
            }
        } else if events == 0 {
            self.spend(count)?;
        } else {
            events = events.saturating_mul(count);
        }
        self.indices.pop();
        Ok(events)
    }

    fn count(&self, count: &Count) -> Result<u64, BadModel> {
        u64::try_from(count.at(&self.indices)).map_err(|_| BadModel::Loop)
    }
}

/// Returns whether a loop among `constructs`, or within one, has a count that depends on the loop at
/// `depth`.
fn count_depends_on(constructs: &[Construct], depth: usize) -> bool {
    let grows = |step: &Step| usize::from(step.depth) == depth;
    constructs.iter().any(|construct| match construct {
        Construct::Event(_) => false,
        Construct::Loop(l) => l.count.steps.iter().any(grows) || count_depends_on(&l.body, depth),
    })
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::{EventKind, Symbol, SymbolId};

    use super::*;

    fn table() -> SymbolTable {
        let mut table = SymbolTable::default();
        table.intern(Symbol::new(EventKind::MpiSend, &[1, 2, 3]));
        table
    }

    fn event(symbol: u32, steps: &[(u8, u16)]) -> Construct {
        Construct::Event(EventConstruct {
            symbol: SymbolId::new(symbol),
            steps: steps_of(steps, 1),
        })
    }

    fn steps_of(steps: &[(u8, u16)], coefficient: i64) -> Vec<Step> {
        let step = |&(slot, depth): &(u8, u16)| Step {
            slot,
            depth,
            coefficient,
        };
        steps.iter().map(step).collect()
    }

    fn repeat(base: i64, steps: &[(u8, u16)], body: Vec<Construct>) -> Construct {
        Construct::Loop(LoopConstruct {
            count: Count {
                base,
                steps: steps_of(steps, 2),
            },
            body: body.into(),
        })
    }

    fn check(events: u64, constructs: Vec<Construct>) -> Result<(), BadModel> {
        let model = Model {
            constructs: constructs.into(),
            events,
        };
        model.check(&table())
    }

    #[test]
    fn models_of_possible_streams_are_accepted() {
        let triangle = || repeat(0, &[(0, 0)], vec![event(0, &[(1, 1)])]);
        assert_eq!(check(0, vec![]), Ok(()));
        let million = repeat(1000, &[], vec![repeat(1000, &[], vec![event(0, &[])])]);
        assert_eq!(check(1_000_001, vec![million, event(0, &[])]), Ok(()));
        assert_eq!(check(12, vec![repeat(4, &[], vec![triangle()])]), Ok(()));
    }

    #[test]
    fn models_of_impossible_streams_are_rejected() {
        let endless =
            |inner: i64| repeat(i64::MAX, &[], vec![repeat(inner, &[], vec![event(0, &[])])]);
        let varying = repeat(
            i64::MAX,
            &[],
            vec![repeat(0, &[(0, 0)], vec![event(0, &[])])],
        );
        let mut deep = event(0, &[]);
        for _ in 0..=MAX_DEPTH {
            deep = repeat(1, &[], vec![deep]);
        }
        for (constructs, expected) in [
            (event(1, &[]), BadModel::Symbol(SymbolId::new(1))),
            (event(0, &[(0, 0)]), BadModel::Step),
            (repeat(1, &[], vec![event(0, &[(3, 0)])]), BadModel::Step),
            (repeat(1, &[(0, 0)], vec![event(0, &[])]), BadModel::Step),
            (repeat(-1, &[], vec![event(0, &[])]), BadModel::Loop),
            (repeat(1, &[], vec![]), BadModel::Loop),
            (repeat(2, &[], vec![event(0, &[])]), BadModel::Events),
            (endless(i64::MAX), BadModel::Events),
            (endless(0), BadModel::Events),
            (varying, BadModel::Events),
            (deep, BadModel::Depth),
        ] {
            assert_eq!(check(1, vec![constructs]), Err(expected));
        }
    }
}
