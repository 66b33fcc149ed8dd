//! Measures merging the models of processes into the model of the program (Ketterlin et al., RR-8562,
//! section III).
//!
//! Inputs are real traces from their stores, where the floor is libotf2 with callbacks that only count, on
//! the archive that the store was made from; and programs of many processes from their models alone, where
//! the floor is counting all messages one by one in a hash map of the standard library. The paper does not
//! report the time of merging.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use foldtrace_bench::{Trace, best_wall, count, stored, traces};
use foldtrace_fold::merge::{Channel, Global, Process, Role, Wiring};
use foldtrace_fold::{Construct, Count, EventConstruct, LoopConstruct, Model, Selection};
use foldtrace_matching::Meaning;
use foldtrace_matching::{Census, Wires};
use foldtrace_store::models_with;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{EventKind, LocationId, Symbol, SymbolId, SymbolTable};

const RUNS: usize = 7;

fn main() {
    println!("Time of merging models, on all cores\n");
    println!(
        "{:<24} {:>9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>10} {:>8}",
        "program",
        "processes",
        "events",
        "local",
        "merged",
        "in loops",
        "dangling",
        "time",
        "floor"
    );
    for trace in traces() {
        real(&trace);
    }
    wavefront("wavefront 8x8", 8);
    stencil("stencil 8x8", 8);
    stencil("stencil 32x32", 32);
}

fn real(trace: &Trace) {
    let (_folder, store) = stored(trace);
    let progress = Progress::default();
    let locations: Vec<LocationId> = store.locations().collect();
    let stored = models_with(
        &store,
        &locations,
        Selection::Communication,
        None,
        &progress,
    )
    .unwrap();
    let stored = stored.map(Result::unwrap).filter(|s| s.model.events > 0);
    let (locations, local): (Vec<LocationId>, Vec<Model>) =
        stored.map(|stored| (stored.location, stored.model)).unzip();
    if local.is_empty() {
        return;
    }
    let symbols = store.symbols();
    let census = locations
        .iter()
        .zip(&local)
        .map(|(&location, model)| Census::from_model(location, model, symbols));
    let census: Census = census.collect();
    let communicators = Meaning::new(&store).communicators(&census);
    let wires = Wires::new(
        &locations,
        &local,
        store.names(),
        &communicators,
        &census,
        symbols,
    );
    let time = best_wall(RUNS, || {
        black_box(Global::merge(&local, &wires.wiring, symbols, u64::MAX).unwrap());
    });
    let floor = best_wall(RUNS, || {
        black_box(count(&trace.anchor));
    });
    let global = Global::merge(&local, &wires.wiring, symbols, u64::MAX).unwrap();
    row(&trace.name, &local, &global, time, floor);
}

fn row(name: &str, local: &[Model], global: &Global, time: Duration, floor: Duration) {
    let events: u64 = global.events.iter().sum();
    println!(
        "{name:<24} {:>9} {events:>10} {:>9} {:>9} {:>7.2} % {:>9} {:>7.2} ms {:>7.3}x",
        local.len(),
        local.iter().map(Model::terms).sum::<u64>(),
        global.system.terms(),
        100.0 * global.events_in_loops() as f64 / events as f64,
        global.dangling(),
        1e3 * time.as_secs_f64(),
        time.as_secs_f64() / floor.as_secs_f64(),
    );
}

/// An artificial program: the models of its processes.
#[derive(Default)]
struct Scene {
    symbols: SymbolTable,
    channels: HashMap<(u64, u64, u64), Channel>,
    roles: Vec<(Process, Symbol, Role)>,
    models: Vec<Model>,
}

impl Scene {
    fn send(&mut self, from: u64, to: u64, tag: u64) -> Construct {
        self.end(EventKind::MpiSend, from, (from, to, tag), to)
    }

    fn receive(&mut self, to: u64, from: u64, tag: u64) -> Construct {
        self.end(EventKind::MpiRecv, to, (from, to, tag), from)
    }

    fn end(&mut self, kind: EventKind, own: u64, route: (u64, u64, u64), peer: u64) -> Construct {
        let next = Channel(self.channels.len() as u32);
        let channel = *self.channels.entry(route).or_insert(next);
        let end = if kind == EventKind::MpiSend {
            channel.source()
        } else {
            channel.sink()
        };
        let symbol = Symbol::new(kind, &[peer, 0, route.2]);
        let role = Role {
            ends: vec![end],
            ..Role::default()
        };
        self.roles.push((Process(own as u32), symbol, role));
        Construct::Event(EventConstruct {
            symbol: self.symbols.intern(symbol),
            steps: vec![],
        })
    }

    fn add(&mut self, constructs: Vec<Construct>) {
        let events = events(&constructs);
        self.models.push(Model {
            constructs: constructs.into(),
            events,
        });
    }

    fn measure(self, name: &str) {
        let mut wiring = Wiring::new(self.channels.len() as u32);
        for (process, symbol, role) in self.roles {
            wiring.set(process, self.symbols.find(&symbol).unwrap(), role);
        }
        let merge = || Global::merge(&self.models, &wiring, &self.symbols, u64::MAX).unwrap();
        let time = best_wall(RUNS, || {
            black_box(merge());
        });
        let floor = best_wall(RUNS, || {
            let mut counts: HashMap<(usize, SymbolId), u64> = HashMap::new();
            for (process, model) in self.models.iter().enumerate() {
                for symbol in model.expand(&self.symbols) {
                    *counts.entry((process, symbol)).or_default() += 1;
                }
            }
            black_box(counts);
        });
        let global = merge();
        assert_eq!(global.dangling(), 0);
        row(name, &self.models, &global, time, floor);
    }
}

fn events(constructs: &[Construct]) -> u64 {
    let events = constructs.iter().map(|construct| match construct {
        Construct::Event(_) => 1,
        Construct::Loop(l) => l.count.base as u64 * events(&l.body),
    });
    events.sum()
}

fn repeat(count: i64, body: Vec<Construct>) -> Construct {
    Construct::Loop(LoopConstruct {
        count: Count {
            base: count,
            steps: vec![],
        },
        body: Arc::from(body),
    })
}

/// Returns the neighbours of a process in a grid: west, east, north, south.
fn neighbours(rank: u64, side: u64) -> [Option<u64>; 4] {
    let (x, y) = (rank % side, rank / side);
    [
        (x > 0).then(|| rank - 1),
        (x + 1 < side).then(|| rank + 1),
        (y > 0).then(|| rank - side),
        (y + 1 < side).then(|| rank + side),
    ]
}

/// Measures a program like LU: two sweeps over the grid and an exchange, 250 times.
fn wavefront(name: &str, side: u64) {
    let mut scene = Scene::default();
    for own in 0..side * side {
        let [west, east, north, south] = neighbours(own, side);
        let mut sweep = |from: [Option<u64>; 2], to: [Option<u64>; 2], tag: u64| {
            let mut body = Vec::new();
            for (peer, tag) in from.into_iter().zip(tag..) {
                body.extend(peer.map(|peer| scene.receive(own, peer, tag)));
            }
            for (peer, tag) in to.into_iter().zip(tag..) {
                body.extend(peer.map(|peer| scene.send(own, peer, tag)));
            }
            repeat(62, body)
        };
        let mut body = vec![
            sweep([west, north], [east, south], 1),
            sweep([east, south], [west, north], 3),
        ];
        for peer in [west, east, north, south].into_iter().flatten() {
            body.push(scene.send(own, peer, 5));
            body.push(scene.receive(own, peer, 5));
        }
        scene.add(vec![repeat(250, body)]);
    }
    scene.measure(name);
}

/// Measures a stencil: all processes send to all neighbours, then receive from them, 1000 times.
fn stencil(name: &str, side: u64) {
    let mut scene = Scene::default();
    for own in 0..side * side {
        let peers = neighbours(own, side);
        let peers: Vec<u64> = peers.into_iter().flatten().collect();
        let mut body: Vec<Construct> = peers.iter().map(|&p| scene.send(own, p, 0)).collect();
        body.extend(peers.iter().map(|&p| scene.receive(own, p, 0)));
        scene.add(vec![repeat(1_000, body)]);
    }
    scene.measure(name);
}
