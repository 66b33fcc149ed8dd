//! A stack of open calls that can be left in any order, at a cost that does not depend on its depth.
//!
//! Nearly all calls are left innermost first, or almost so, and a search of the innermost few finds them.
//! If a call is not among these, the stack builds an index of its calls by callee, and keeps the index
//! while the stack is deep. A call that is left in the middle leaves a gap. The gap is closed when the calls
//! within it are left, or when the stack has more gaps than calls. The amortized cost per event is
//! therefore constant.

use std::hash::Hash;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Number of innermost calls that are searched without an index.
const NEAR: usize = 16;

/// The open calls of a location, each with its callee and a value of type `T`.
#[derive(Clone, Debug)]
pub struct CallStack<K, T> {
    /// The calls in order of entering, with gaps. The last slot is an open call.
    slots: Vec<Slot<K, T>>,
    open: usize,
    /// The slot of the innermost open call of each callee. The index is built when it is needed, and
    /// dropped when the stack is shallow.
    innermost: Option<HashMap<K, usize, FixedState>>,
}

#[derive(Clone, Debug)]
struct Slot<K, T> {
    callee: K,
    /// `None` once the call was left.
    call: Option<T>,
    /// The slot of the next outer open call of the same callee. Valid only while there is an index.
    around: Option<usize>,
}

/// A call that was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftCall<T> {
    /// The value that was stored with the call.
    pub call: T,
    /// Whether no call within this one is open.
    pub is_innermost: bool,
}

impl<K, T> Default for CallStack<K, T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            open: 0,
            innermost: None,
        }
    }
}

impl<K: Copy + Eq + Hash, T> CallStack<K, T> {
    /// Enters a call of `callee` and stores the value `call` with it.
    #[inline]
    pub fn enter(&mut self, callee: K, call: T) {
        let slot = self.slots.len();
        let around = match &mut self.innermost {
            Some(innermost) => innermost.insert(callee, slot),
            None => None,
        };
        self.slots.push(Slot {
            callee,
            call: Some(call),
            around,
        });
        self.open += 1;
    }

    /// Leaves the innermost open call of `callee`; `None` if there is none.
    #[inline]
    pub fn leave(&mut self, callee: K) -> Option<LeftCall<T>> {
        let last = self.slots.last()?;
        if last.callee == callee {
            return self.leave_innermost();
        }
        let slot = self.find(callee)?;
        self.unindex(slot);
        let call = self.slots.get_mut(slot)?.call.take()?;
        self.open -= 1;
        if self.slots.len() > 2 * self.open + NEAR {
            self.close_gaps();
        }
        Some(LeftCall {
            call,
            is_innermost: false,
        })
    }

    /// Leaves the innermost open call of any callee; `None` if no call is open.
    #[inline]
    pub fn leave_innermost(&mut self) -> Option<LeftCall<T>> {
        if self.innermost.is_some() {
            self.unindex(self.slots.len() - 1);
        }
        let call = self.slots.pop()?.call?;
        self.open -= 1;
        while self.slots.last().is_some_and(|slot| slot.call.is_none()) {
            self.slots.pop();
        }
        if self.slots.len() < NEAR / 2 {
            self.innermost = None;
        }
        Some(LeftCall {
            call,
            is_innermost: true,
        })
    }

    /// Returns an iterator over the open calls, outermost first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &T)> {
        let slots = self.slots.iter();
        slots.filter_map(|slot| Some((slot.callee, slot.call.as_ref()?)))
    }

    /// Returns an iterator over the open calls, outermost first, with mutable references to their values.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut T)> {
        let slots = self.slots.iter_mut();
        slots.filter_map(|slot| Some((slot.callee, slot.call.as_mut()?)))
    }

    /// Returns the value of the innermost open call.
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.slots.last()?.call.as_ref()
    }

    /// Returns a mutable reference to the value of the innermost open call.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.slots.last_mut()?.call.as_mut()
    }

    /// Returns the number of open calls.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.open
    }

    /// Returns whether no call is open.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.open == 0
    }

    /// Returns the slot of the innermost open call of `callee`.
    #[cold]
    fn find(&mut self, callee: K) -> Option<usize> {
        if self.innermost.is_none() {
            let mut near = self.slots.iter().enumerate().rev().take(NEAR);
            let found = near.find(|(_, slot)| slot.callee == callee && slot.call.is_some());
            if found.is_some() || self.slots.len() <= NEAR {
                return found.map(|(slot, _)| slot);
            }
            self.build_index();
        }
        self.innermost.as_ref()?.get(&callee).copied()
    }

    /// Removes the call in `slot` from the index. The call must be the innermost one of its callee.
    fn unindex(&mut self, slot: usize) {
        if let (Some(innermost), Some(slot)) = (&mut self.innermost, self.slots.get(slot)) {
            match slot.around {
                Some(around) => innermost.insert(slot.callee, around),
                None => innermost.remove(&slot.callee),
            };
        }
    }

    fn close_gaps(&mut self) {
        self.slots.retain(|slot| slot.call.is_some());
        if self.innermost.is_some() {
            self.build_index();
        }
    }

    fn build_index(&mut self) {
        let mut innermost = HashMap::default();
        for (number, slot) in self.slots.iter_mut().enumerate() {
            if slot.call.is_some() {
                slot.around = innermost.insert(slot.callee, number);
            }
        }
        self.innermost = Some(innermost);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Enter(u8),
        Leave(u8),
        LeaveInnermost,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            6 => any::<u8>().prop_map(Step::Enter),
            4 => any::<u8>().prop_map(Step::Leave),
            1 => Just(Step::LeaveInnermost),
        ];
        // Few callees or many, so that the stack is shallow or deep.
        (1..=u8::MAX, prop::collection::vec(step, 0..400)).prop_map(|(callees, mut steps)| {
            for step in &mut steps {
                if let Step::Enter(callee) | Step::Leave(callee) = step {
                    *callee %= callees;
                }
            }
            steps
        })
    }

    proptest! {
        #[test]
        fn it_does_what_a_list_does(steps in steps()) {
            let mut stack = CallStack::default();
            let mut list: Vec<(u8, usize)> = Vec::new();
            for (number, step) in steps.into_iter().enumerate() {
                let found = match step {
                    Step::Enter(callee) => {
                        stack.enter(callee, number);
                        list.push((callee, number));
                        continue;
                    }
                    Step::Leave(callee) => {
                        let found = list.iter().rposition(|call| call.0 == callee);
                        (stack.leave(callee), found)
                    }
                    Step::LeaveInnermost => (stack.leave_innermost(), list.len().checked_sub(1)),
                };
                let (left, index) = found;
                let expected = index.map(|index| LeftCall {
                    is_innermost: index + 1 == list.len(),
                    call: list.remove(index).1,
                });
                prop_assert_eq!(left, expected);
                prop_assert_eq!(stack.len(), list.len());
                prop_assert_eq!(stack.last().copied(), list.last().map(|call| call.1));
                prop_assert!(stack.iter().map(|(callee, &call)| (callee, call)).eq(list.iter().copied()));
            }
        }
    }

    thread_local! {
        static COMPARED: Cell<u64> = const { Cell::new(0) };
    }

    /// A callee that counts how often it is compared or hashed.
    #[derive(Clone, Copy, Debug)]
    struct Counted(u64);

    impl PartialEq for Counted {
        fn eq(&self, other: &Self) -> bool {
            COMPARED.set(COMPARED.get() + 1);
            self.0 == other.0
        }
    }

    impl Eq for Counted {}

    impl Hash for Counted {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            COMPARED.set(COMPARED.get() + 1);
            self.0.hash(state);
        }
    }

    /// Returns the number of comparisons for `calls` calls that are entered and then left in this order.
    fn work(calls: u64, order: impl Fn(u64) -> u64) -> u64 {
        COMPARED.set(0);
        let mut stack = CallStack::default();
        (0..calls).for_each(|call| stack.enter(Counted(call), ()));
        for call in 0..calls {
            let left = stack.leave(Counted(order(call)));
            assert_eq!(left.is_some(), order(call) < calls);
        }
        COMPARED.get()
    }

    #[test]
    fn work_grows_with_the_number_of_events_in_any_order_of_leaving() {
        let calls = 4096;
        for (name, order) in [
            (
                "innermost first",
                &(|call| calls - 1 - call) as &dyn Fn(u64) -> u64,
            ),
            ("outermost first", &|call| call),
            ("scattered", &|call| call * 1999 % calls),
            ("never entered", &|call| calls + call),
        ] {
            let work = work(calls, order);
            assert!(work <= 40 * calls, "{name}: {work} comparisons");
        }
    }
}
