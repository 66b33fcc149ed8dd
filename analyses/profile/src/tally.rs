//! Sums the calls of one location, event by event.
//!
//! Time belongs to the innermost open call. A leave ends the innermost open call of the same region, whatever is open
//! within it, so calls that are left out of order have their own durations. A call that is never left lasts until the
//! last event of its location.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_matching::{Action, CalleeIndex, RegionIndex, Regions, Transfer};
use foldtrace_trace::{
    CallStack, EventBatch, EventKind, LocationId, Quantity, SymbolTable, Timestamp, UNDEFINED,
};

use crate::measures::{MeasureTally, Measures, MetricSum};
use crate::ticks::ticks;
use crate::tree::{NodeIndex, Tree};

/// The calls of a region in one location. Times are in ticks; they are negative if a clock runs backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionTime {
    /// The region.
    pub region: RegionIndex,
    /// The number of calls.
    pub calls: u64,
    /// The time during which a call of the region was open.
    pub inclusive: i64,
    /// The time during which a call of the region was the innermost open call.
    pub exclusive: i64,
    /// The duration of the shortest call.
    pub least: i64,
    /// The duration of the longest call.
    pub greatest: i64,
    /// The sum of the durations of all calls; more than `inclusive` if the region calls itself.
    pub durations: i64,
    /// The bytes that its calls send.
    pub bytes_sent: u64,
    /// The bytes that its calls receive.
    pub bytes_received: u64,
    /// The bytes that its calls read from files or write to files.
    pub bytes_io: u64,
}

/// The calls of one location.
#[derive(Clone, Debug, PartialEq)]
pub struct LocationProfile {
    /// The location.
    pub location: LocationId,
    /// The times of the first and the last event; `None` without events.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The ticks during which no call was open.
    pub outside: i64,
    /// The regions that are called, in the order of their first calls.
    pub regions: Vec<RegionTime>,
    /// The number of calls that are never left.
    pub never_left: u64,
    /// The number of leaves of calls that were not entered.
    pub never_entered: u64,
    /// The values of metrics by region, in the order of their first values.
    pub metrics: Vec<MetricSum>,
}

impl LocationProfile {
    /// Returns the ticks from the first event to the last.
    #[must_use]
    pub fn duration(&self) -> i64 {
        self.span.map_or(0, |(first, last)| ticks(first, last))
    }
}

/// What the events of a row of the table of symbols mean for a profile.
#[derive(Clone, Copy, Debug)]
struct Effect {
    action: Action,
    /// The quantities of the events, one bit per quantity.
    quantities: u8,
    transfer: Option<Transfer>,
    is_metric: bool,
}

/// The effects of all symbols of a store.
#[derive(Clone, Debug)]
pub(crate) struct Effects(Vec<Effect>);

impl Effects {
    pub fn new(regions: &Regions, symbols: &SymbolTable) -> Self {
        let effects = symbols.iter().map(|(id, symbol)| Effect {
            action: regions.action(id.row()),
            quantities: symbol.kind.quantity_bits(),
            transfer: Transfer::of(symbol.kind),
            is_metric: symbol.kind == EventKind::Metric,
        });
        Self(effects.collect())
    }
}

/// An open call.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The index of its region in the sums.
    sum: u32,
    node: NodeIndex,
    begin: Timestamp,
}

/// The sums of a region.
#[derive(Clone, Copy, Debug)]
struct Sum {
    time: RegionTime,
    /// The number of open calls.
    open: u32,
    /// The time since when a call is open.
    since: Timestamp,
}

/// The sums of a location whose events are being read.
#[derive(Debug)]
pub(crate) struct Tally<'a> {
    effects: &'a [Effect],
    open: CallStack<CalleeIndex, Open>,
    sums: Vec<Sum>,
    places: HashMap<RegionIndex, u32, FixedState>,
    tree: Option<Tree>,
    measures: Option<MeasureTally<'a>>,
    span: Option<(Timestamp, Timestamp)>,
    /// The time of the latest enter or leave, or of the first event.
    latest: Timestamp,
    outside: i64,
    never_entered: u64,
}

impl<'a> Tally<'a> {
    /// Begins a location. With a tree, its call paths are summed, too.
    pub fn new(effects: &'a Effects, measures: &'a Measures, tree: Option<Tree>) -> Self {
        Self {
            effects: &effects.0,
            open: CallStack::default(),
            sums: Vec::new(),
            places: HashMap::default(),
            tree,
            measures: MeasureTally::new(measures),
            span: None,
            latest: Timestamp::default(),
            outside: 0,
            never_entered: 0,
        }
    }

    /// Adds the next events.
    pub fn take(&mut self, batch: &EventBatch) {
        let (Some(&first), Some(&last)) = (batch.times.first(), batch.times.last()) else {
            return;
        };
        if self.span.is_none() {
            self.latest = first;
        }
        self.span = Some((self.span.map_or(first, |(first, _)| first), last));
        let values = |quantity| batch.quantities[quantity as usize].iter();
        let (mut bytes, mut received) = (values(Quantity::Bytes), values(Quantity::BytesReceived));
        for (event, (symbol, &time)) in (0..).zip(batch.symbols.iter().zip(&batch.times)) {
            let Some(effect) = self.effects.get(symbol.row()) else {
                continue;
            };
            match effect.action {
                Action::Enter(callee, region) => self.enter(callee, region, time),
                Action::Leave(callee) => self.leave(callee, time),
                Action::None if effect.is_metric => self.measure(batch, event),
                Action::None => {
                    let has = |quantity: Quantity| effect.quantities & quantity.bit() != 0;
                    if has(Quantity::Bytes) {
                        self.transfer(effect.transfer, bytes.next());
                    }
                    if has(Quantity::BytesReceived) {
                        self.transfer(Some(Transfer::Received), received.next());
                    }
                }
            }
        }
    }

    fn enter(&mut self, callee: CalleeIndex, region: RegionIndex, now: Timestamp) {
        self.pass(now);
        let next = self.sums.len() as u32;
        let sum = *self.places.entry(region).or_insert(next);
        if sum == next {
            self.sums.push(Sum::new(region));
        }
        if let Some(sum) = self.sums.get_mut(sum as usize) {
            sum.time.calls += 1;
            if sum.open == 0 {
                sum.since = now;
                if let Some(measures) = &mut self.measures {
                    measures.enter(region);
                }
            }
            sum.open += 1;
        }
        let around = self.open.last().map(|call| call.node);
        let node = self
            .tree
            .as_mut()
            .map(|tree| tree.enter(around, region, now));
        let node = node.unwrap_or_default();
        let begin = now;
        self.open.enter(callee, Open { sum, node, begin });
    }

    fn leave(&mut self, callee: CalleeIndex, now: Timestamp) {
        match self.open.leave(callee) {
            Some(left) => {
                // The time up to now belongs to the call that was innermost until now.
                let innermost = if left.is_innermost {
                    Some(left.call)
                } else {
                    self.open.last().copied()
                };
                self.pass_to(innermost, now);
                self.end(left.call, now);
            }
            None => self.never_entered += 1,
        }
    }

    /// Ends a call.
    fn end(&mut self, call: Open, now: Timestamp) {
        let duration = ticks(call.begin, now);
        if let Some(sum) = self.sums.get_mut(call.sum as usize) {
            sum.time.durations = sum.time.durations.wrapping_add(duration);
            sum.time.least = sum.time.least.min(duration);
            sum.time.greatest = sum.time.greatest.max(duration);
            sum.open -= 1;
            if sum.open == 0 {
                let open = ticks(sum.since, now);
                sum.time.inclusive = sum.time.inclusive.wrapping_add(open);
                if let Some(measures) = &mut self.measures {
                    measures.leave(sum.time.region);
                }
            }
        }
        if let Some(tree) = &mut self.tree {
            tree.leave(call.node, now);
        }
    }

    /// Adds the time until `now` to the innermost open call.
    fn pass(&mut self, now: Timestamp) {
        let innermost = self.open.last().copied();
        self.pass_to(innermost, now);
    }

    fn pass_to(&mut self, innermost: Option<Open>, now: Timestamp) {
        let passed = ticks(self.latest, now);
        self.latest = now;
        let Some(call) = innermost else {
            self.outside = self.outside.wrapping_add(passed);
            return;
        };
        if let Some(sum) = self.sums.get_mut(call.sum as usize) {
            sum.time.exclusive = sum.time.exclusive.wrapping_add(passed);
        }
        if let Some(tree) = &mut self.tree {
            tree.pass(call.node, passed);
        }
    }

    /// Adds the values of a metric event to the innermost open call.
    fn measure(&mut self, batch: &EventBatch, event: u32) {
        let innermost = self.open.last().map(|call| call.sum as usize);
        let region = innermost.and_then(|sum| Some(self.sums.get(sum)?.time.region));
        if let Some(measures) = &mut self.measures {
            measures.take(batch, event, region);
        }
    }

    /// Adds bytes to the innermost open call.
    fn transfer(&mut self, transfer: Option<Transfer>, bytes: Option<&u64>) {
        let Some(&bytes) = bytes.filter(|bytes| **bytes != UNDEFINED) else {
            return;
        };
        let innermost = self.open.last().map(|call| call.sum as usize);
        let Some(sum) = innermost.and_then(|sum| self.sums.get_mut(sum)) else {
            return;
        };
        let total = match transfer {
            None => return,
            Some(Transfer::Sent) => &mut sum.time.bytes_sent,
            Some(Transfer::Received) => &mut sum.time.bytes_received,
            Some(Transfer::Io) => &mut sum.time.bytes_io,
        };
        *total = total.wrapping_add(bytes);
    }

    /// Ends the location. Returns its profile, and the tree.
    pub fn finish(mut self, location: LocationId) -> (LocationProfile, Option<Tree>) {
        let mut never_left = 0;
        if let Some((_, last)) = self.span {
            self.pass(last);
            let open: Vec<Open> = self.open.iter().rev().map(|(_, call)| *call).collect();
            never_left = open.len() as u64;
            open.into_iter().for_each(|call| self.end(call, last));
        }
        let profile = LocationProfile {
            location,
            span: self.span,
            outside: self.outside,
            regions: self.sums.into_iter().map(|sum| sum.time).collect(),
            never_left,
            never_entered: self.never_entered,
            metrics: self.measures.map(MeasureTally::finish).unwrap_or_default(),
        };
        (profile, self.tree)
    }
}

impl Sum {
    fn new(region: RegionIndex) -> Self {
        Self {
            time: RegionTime {
                region,
                calls: 0,
                inclusive: 0,
                exclusive: 0,
                least: i64::MAX,
                greatest: i64::MIN,
                durations: 0,
                bytes_sent: 0,
                bytes_received: 0,
                bytes_io: 0,
            },
            open: 0,
            since: Timestamp::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use foldtrace_matching::{Call, Calls};
    use foldtrace_trace::{Definitions, Names, Position, Symbol};
    use proptest::prelude::*;

    use super::*;

    /// Returns a batch of enters and leaves, given as (enters, region, ticks since the last event).
    fn batch(events: &[(bool, u64, u64)]) -> (SymbolTable, EventBatch) {
        let mut symbols = SymbolTable::default();
        let mut batch = EventBatch::default();
        batch.reset(LocationId(3), Position(0));
        let mut time = 100;
        for &(enters, region, ticks) in events {
            time += ticks;
            let kind = if enters {
                EventKind::Enter
            } else {
                EventKind::Leave
            };
            let symbol = symbols.intern(Symbol::new(kind, &[region]));
            batch.push(symbol, Timestamp(time), &[]);
        }
        (symbols, batch)
    }

    /// Returns the length of the union of intervals.
    fn union(mut intervals: Vec<(u64, u64)>) -> i64 {
        intervals.sort_unstable();
        let mut end = 0;
        let lengths = intervals.into_iter().map(|(from, to)| {
            let from = from.max(end);
            end = end.max(to);
            to.saturating_sub(from)
        });
        lengths.sum::<u64>() as i64
    }

    fn region_of(symbols: &SymbolTable, call: &Call) -> u64 {
        symbols.symbol(call.symbol).operands[0]
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_calls(
            events in prop::collection::vec((any::<bool>(), 0..4_u64, 0..100_u64), 0..60),
            cut in any::<prop::sample::Index>(),
        ) {
            let (symbols, all) = batch(&events);
            let names = Names::default();
            let regions = Regions::new(&Definitions::default(), &names, &symbols);
            let effects = Effects::new(&regions, &symbols);
            let measures = Measures::default();
            let mut tally = Tally::new(&effects, &measures, Some(Tree::default()));
            // Batches may end anywhere.
            let cut = cut.index(events.len() + 1);
            for part in [0..cut, cut..events.len()] {
                let mut own = EventBatch::default();
                own.reset(all.location, Position(part.start as u64));
                for index in part {
                    own.push(all.symbols[index], all.times[index], &[]);
                }
                tally.take(&own);
            }
            let (profile, tree) = tally.finish(all.location);

            let mut matching = Calls::default();
            let mut calls: Vec<Call> = all
                .iter(&symbols)
                .filter_map(|event| matching.take(&event, &symbols))
                .collect();
            calls.extend(matching.finish());
            let last = all.times.last().map_or(0, |time| time.0);
            let end = |call: &Call| call.end.map_or(last, |end| end.time.0);
            let mut of_regions: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
            for call in &calls {
                if let Some(begin) = call.begin {
                    let intervals = of_regions.entry(region_of(&symbols, call)).or_default();
                    intervals.push((begin.time.0, end(call)));
                }
            }
            let entered = calls.iter().filter(|call| call.begin.is_some());
            let open = entered.clone().filter(|call| call.end.is_none()).count();
            prop_assert_eq!(profile.never_left, open as u64);
            let strays = calls.len() - entered.count();
            prop_assert_eq!(profile.never_entered, strays as u64);
            prop_assert_eq!(profile.regions.len(), of_regions.len());
            let mut exclusive = profile.outside;
            for time in &profile.regions {
                exclusive += time.exclusive;
                let name = &regions.regions()[time.region.0 as usize].name;
                let region: u64 = name.strip_prefix("region ").unwrap().parse().unwrap();
                let durations = of_regions[&region].iter().map(|(from, to)| (to - from) as i64);
                prop_assert_eq!(time.calls, durations.len() as u64);
                prop_assert_eq!(time.durations, durations.clone().sum::<i64>());
                prop_assert_eq!(Some(time.least), durations.clone().min());
                prop_assert_eq!(Some(time.greatest), durations.max());
                prop_assert_eq!(time.inclusive, union(of_regions[&region].clone()));
                // Calls know their exclusive times if all of them are left.
                let own = calls.iter().filter(|call| region_of(&symbols, call) == region);
                let own = own.filter(|call| call.begin.is_some()).map(|call| call.exclusive);
                if let Some(own) = own.sum::<Option<i64>>() {
                    prop_assert_eq!(time.exclusive, own);
                }
            }
            prop_assert_eq!(exclusive, profile.duration());

            let tree = tree.unwrap();
            for time in &profile.regions {
                let nodes = tree.nodes().iter().filter(|node| node.region == time.region);
                prop_assert_eq!(nodes.clone().map(|node| node.calls).sum::<u64>(), time.calls);
                prop_assert_eq!(nodes.map(|node| node.exclusive).sum::<i64>(), time.exclusive);
            }
            let twice = tree.clone().with(&tree);
            prop_assert_eq!(twice.nodes().len(), tree.nodes().len());
        }
    }
}
