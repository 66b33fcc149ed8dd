//! Sums what a location does in each bucket of each level, event by event.
//!
//! Time belongs to the innermost open call. Shares are summed in the buckets that contain the present time, one of each level: a
//! bucket is complete when a later event is in another one, and is then added to the bucket of the next level. The number of
//! rows is bounded by that of the buckets, whatever the length of the location.

use std::mem;

use foldtrace_matching::{Action, CalleeIndex, RegionIndex, Regions, Transfer};
use foldtrace_trace::{
    CallStack, EventBatch, Quantity, SymbolId, SymbolTable, Timestamp, UNDEFINED,
};

use serde::{Deserialize, Serialize};

use super::buckets::{BRANCHES, Buckets};

/// What the calls of a region do in a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The ticks in which a call of the region is the innermost open one.
    pub time: u64,
    /// The number of calls that are entered.
    pub calls: u64,
    /// The bytes that are moved while a call of the region is the innermost open one.
    pub bytes: u64,
}

impl Share {
    fn add(&mut self, other: Self) {
        self.time += other.time;
        self.calls += other.calls;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// What a location does in a bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The level of the bucket, from 0 for the finest one.
    pub level: u32,
    /// The index of the bucket in its level.
    pub bucket: u64,
    /// The region; `None` while no call is open.
    pub region: Option<RegionIndex>,
    /// What it does.
    pub share: Share,
}

/// What the events of a row of the table of symbols do.
#[derive(Clone, Copy, Debug)]
struct Effect {
    action: Action,
    /// Whether the events have the quantity `bytes`, and whether it counts.
    bytes: Option<bool>,
    has_bytes_received: bool,
}

/// What the events of all symbols of a store do.
#[derive(Debug)]
pub struct Effects(Vec<Effect>);

impl Effects {
    /// Finds the effects of the symbols in a table.
    #[must_use]
    pub fn new(regions: &Regions, symbols: &SymbolTable) -> Self {
        let effects = symbols.iter().map(|(id, symbol)| {
            let has = |quantity: Quantity| symbol.kind.quantity_bits() & quantity.bit() != 0;
            Effect {
                action: regions.action(id.row()),
                bytes: has(Quantity::Bytes).then(|| Transfer::of(symbol.kind).is_some()),
                has_bytes_received: has(Quantity::BytesReceived),
            }
        });
        Self(effects.collect())
    }
}

/// The current bucket of a level.
#[derive(Debug, Default)]
struct Level {
    bucket: u64,
    /// By place: 0 is the time without an open call, the others are regions.
    shares: Vec<Share>,
    /// The places whose shares are not empty.
    used: Vec<u32>,
}

impl Level {
    fn share(&mut self, place: u32) -> &mut Share {
        let index = place as usize;
        if index >= self.shares.len() {
            self.shares.resize(index + 1, Share::default());
        }
        let share = &mut self.shares[index];
        if *share == Share::default() {
            self.used.push(place);
        }
        share
    }

    /// Adds what is not empty.
    fn add(&mut self, place: u32, share: Share) {
        if share != Share::default() {
            self.share(place).add(share);
        }
    }
}

/// The sums of a location whose events are being read.
#[derive(Debug)]
pub struct Levels<'a> {
    effects: &'a [Effect],
    buckets: Buckets,
    levels: Vec<Level>,
    open: CallStack<CalleeIndex, u32>,
    /// The time of the latest event; `None` before the first one.
    now: Option<u64>,
    /// The last time in the current bucket of the finest level.
    until: u64,
    /// The rows of buckets that are complete.
    rows: Vec<Row>,
}

impl<'a> Levels<'a> {
    /// Begins a location.
    #[must_use]
    pub fn new(effects: &'a Effects, buckets: Buckets) -> Self {
        Self {
            effects: &effects.0,
            buckets,
            levels: (0..buckets.levels()).map(|_| Level::default()).collect(),
            open: CallStack::default(),
            now: None,
            until: 0,
            rows: Vec::new(),
        }
    }

    /// Begins in the middle of a location: at the time `now`, calls are open that events with the symbols `entered` have
    /// entered, the outermost one first.
    #[must_use]
    pub fn resume(mut self, entered: impl Iterator<Item = SymbolId>, now: Timestamp) -> Self {
        for symbol in entered {
            if let Some(Action::Enter(callee, region)) = self.action(symbol) {
                self.open.enter(callee, region.0 + 1);
            }
        }
        self.pass(now.0);
        self
    }

    fn action(&self, symbol: SymbolId) -> Option<Action> {
        self.effects.get(symbol.row()).map(|effect| effect.action)
    }

    /// Adds the time until `time`, in which there are no events.
    pub fn stay(&mut self, time: Timestamp) {
        self.pass(time.0);
    }

    /// Adds the next events.
    pub fn take(&mut self, batch: &EventBatch) {
        let values = |quantity| batch.quantities[quantity as usize].iter();
        let (mut bytes, mut received) = (values(Quantity::Bytes), values(Quantity::BytesReceived));
        for (symbol, time) in batch.symbols.iter().zip(&batch.times) {
            self.pass(time.0);
            let Some(&effect) = self.effects.get(symbol.row()) else {
                continue;
            };
            match effect.action {
                Action::Enter(callee, region) => {
                    let place = region.0 + 1;
                    self.add(
                        place,
                        Share {
                            calls: 1,
                            ..Share::default()
                        },
                    );
                    self.open.enter(callee, place);
                }
                Action::Leave(callee) => {
                    self.open.leave(callee);
                }
                Action::None => {
                    if let Some(counts) = effect.bytes {
                        let moved = bytes.next().filter(|_| counts);
                        self.transfer(moved);
                    }
                    if effect.has_bytes_received {
                        self.transfer(received.next());
                    }
                }
            }
        }
    }

    /// Ends the location. Returns the rows, by level, then bucket, then region.
    #[must_use]
    pub fn finish(mut self) -> Vec<Row> {
        (0..self.levels.len()).for_each(|level| self.complete(level));
        // The rows of a level are in order already.
        self.rows.sort_by_key(|row| row.level);
        self.rows
    }

    fn innermost(&self) -> u32 {
        self.open.last().copied().unwrap_or_default()
    }

    fn add(&mut self, place: u32, share: Share) {
        if let Some(finest) = self.levels.first_mut() {
            finest.add(place, share);
        }
    }

    /// Adds bytes to the innermost open call.
    fn transfer(&mut self, bytes: Option<&u64>) {
        if let Some(&bytes) = bytes.filter(|bytes| **bytes != UNDEFINED) {
            let place = self.innermost();
            self.add(
                place,
                Share {
                    bytes,
                    ..Share::default()
                },
            );
        }
    }

    /// Adds the time until `time` to the innermost open call. A clock that goes back stands still until it has caught up.
    #[inline]
    fn pass(&mut self, time: u64) {
        let Some(now) = self.now else {
            self.now = Some(time);
            self.begin(self.buckets.of_time(time));
            return;
        };
        if time > self.until {
            self.pass_to_other_bucket(now, time);
        } else {
            self.pass_by(time.saturating_sub(now));
        }
        self.now = Some(now.max(time));
    }

    /// Adds the time from `now` to `time`, which is in a later bucket.
    #[cold]
    fn pass_to_other_bucket(&mut self, mut now: u64, time: u64) {
        while time > self.until {
            let next = self.until + 1;
            self.pass_by(next - now);
            self.begin(self.buckets.of_time(next));
            now = next;
        }
        self.pass_by(time - now);
    }

    fn pass_by(&mut self, time: u64) {
        let share = Share {
            time,
            ..Share::default()
        };
        self.add(self.innermost(), share);
    }

    /// Makes a bucket of the finest level the current one, and completes those of the levels that end before it.
    fn begin(&mut self, bucket: u64) {
        self.until = self.buckets.last_time(bucket);
        let mut of_level = bucket;
        for level in 0..self.levels.len() {
            if self.levels[level].bucket != of_level {
                self.complete(level);
                self.levels[level].bucket = of_level;
            }
            of_level /= BRANCHES;
        }
    }

    /// Adds the rows of the current bucket of a level, and adds it to that of the next level.
    fn complete(&mut self, level: usize) {
        let (finer, coarser) = self.levels.split_at_mut(level + 1);
        let (Some(own), mut next) = (finer.last_mut(), coarser.first_mut()) else {
            return;
        };
        own.used.sort_unstable();
        for place in own.used.drain(..) {
            let share = mem::take(&mut own.shares[place as usize]);
            if let Some(next) = &mut next {
                next.add(place, share);
            }
            self.rows.push(Row {
                level: level as u32,
                bucket: own.bucket,
                region: place.checked_sub(1).map(RegionIndex),
                share,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use foldtrace_trace::{Definitions, EventKind, LocationId, Names, OpenCalls, Position, Symbol};
    use proptest::prelude::*;

    use super::*;

    const SEND: u64 = 9;

    /// An event, and the ticks since the one before it, which are negative if the clock goes back.
    type Step = (Option<bool>, u64, i64);

    /// The shares of all levels, by level, bucket and region.
    type Shares = BTreeMap<(u32, u64, Option<u64>), Share>;

    /// Returns the shares that the levels have of the steps beginning with `from`.
    fn found(steps: &[Step], buckets: Buckets, times: &[u64], from: usize) -> Shares {
        let mut symbols = SymbolTable::default();
        let mut batch = EventBatch::default();
        batch.reset(LocationId(3), Position(from as u64));
        let mut open = OpenCalls::default();
        for (index, (&(enters, region, _), &time)) in steps.iter().zip(times).enumerate() {
            let symbol = match enters {
                Some(true) => Symbol::new(EventKind::Enter, &[region]),
                Some(false) => Symbol::new(EventKind::Leave, &[region]),
                None => Symbol::new(EventKind::MpiSend, &[1, 0, 0]),
            };
            let symbol = symbols.intern(symbol);
            if index < from {
                open.take(symbol, &symbols);
                continue;
            }
            let sent = [(Quantity::Bytes, SEND)];
            let quantities = if enters.is_none() { &sent[..] } else { &[] };
            batch.push(symbol, Timestamp(time), quantities);
        }
        let definitions = Definitions::default();
        let regions = Regions::new(&definitions, &Names::new(&definitions), &symbols);
        let effects = Effects::new(&regions, &symbols);
        let number = |region: RegionIndex| {
            let name = &regions.regions()[region.0 as usize].name;
            name.split(' ').next_back().and_then(|id| id.parse().ok())
        };
        let mut shares = Shares::new();
        let mut levels = Levels::new(&effects, buckets);
        if let Some(&now) = times.get(from).filter(|_| from > 0) {
            levels = levels.resume(open.entered(), Timestamp(now));
        }
        levels.take(&batch);
        for row in levels.finish() {
            let key = (row.level, row.bucket, row.region.and_then(number));
            assert_eq!(shares.insert(key, row.share), None, "{key:?}");
        }
        shares
    }

    /// Returns the shares of the steps beginning with `from`, by looking at each tick, in each level.
    fn expected(steps: &[Step], buckets: Buckets, times: &[u64], from: usize) -> Shares {
        let mut shares = Shares::new();
        for level in 0..buckets.levels() {
            let mut open: Vec<u64> = Vec::new();
            let mut now = times.get(from).copied().unwrap_or_default();
            let mut add = |is_in: bool, time: u64, region: Option<u64>, share: Share| {
                if !is_in {
                    return;
                }
                let bucket = buckets.of_time(time) / BRANCHES.pow(level);
                shares
                    .entry((level, bucket, region))
                    .or_default()
                    .add(share);
            };
            for (index, (&(enters, region, _), &time)) in steps.iter().zip(times).enumerate() {
                let is_in = index >= from;
                while is_in && now < time {
                    let share = Share {
                        time: 1,
                        ..Share::default()
                    };
                    add(is_in, now, open.last().copied(), share);
                    now += 1;
                }
                match enters {
                    Some(true) => {
                        open.push(region);
                        add(
                            is_in,
                            now,
                            Some(region),
                            Share {
                                calls: 1,
                                ..Share::default()
                            },
                        );
                    }
                    Some(false) => {
                        if let Some(index) = open.iter().rposition(|&of| of == region) {
                            open.remove(index);
                        }
                    }
                    None => {
                        let share = Share {
                            bytes: SEND,
                            ..Share::default()
                        };
                        add(is_in, now, open.last().copied(), share);
                    }
                }
            }
        }
        shares
    }

    proptest! {
        #[test]
        fn shares_are_those_of_each_tick(
            steps in prop::collection::vec((prop::option::of(any::<bool>()), 0..4u64, -3..40i64), 0..60),
            length in 1..800u64,
            most in prop::sample::select(vec![0, 2, 8, 16]),
        ) {
            let mut time = 100_u64;
            let times: Vec<u64> = steps
                .iter()
                .map(|&(_, _, ticks)| {
                    time = time.saturating_add_signed(ticks);
                    time
                })
                .collect();
            // The span may be shorter than the events, as in archives whose clocks go back.
            let buckets = Buckets::new((Timestamp(100), Timestamp(100 + length)), most);
            prop_assert_eq!(found(&steps, buckets, &times, 0), expected(&steps, buckets, &times, 0));
        }

        #[test]
        fn a_part_of_a_location_has_its_share(
            steps in prop::collection::vec((prop::option::of(any::<bool>()), 0..4u64, 0..40i64), 1..60),
            from in any::<prop::sample::Index>(),
            most in 1..20u64,
        ) {
            let times: Vec<u64> = steps
                .iter()
                .scan(100_u64, |time, &(_, _, ticks)| {
                    *time = time.saturating_add_signed(ticks);
                    Some(*time)
                })
                .collect();
            let from = from.index(steps.len());
            let end = times.last().copied().unwrap_or_default() + 1;
            let buckets = Buckets::of_range(Timestamp(times[from]), Timestamp(end), most);
            prop_assert_eq!(found(&steps, buckets, &times, from), expected(&steps, buckets, &times, from));
        }
    }
}
