//! Generates text traces of programs whose messages have no regularity, or many processes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a trace and returns its number of events.
type Generator = fn(&Path) -> u64;

/// The names of the traces, with their generators.
pub const TRACES: [(&str, Generator); 3] =
    [("torus-1024", torus), ("random", random), ("tags", tags)];

/// The number of messages of irregular traces.
const MESSAGES: u64 = 2_000_000;

/// The processes of irregular traces.
const PROCESSES: u64 = 16;

/// A file of lines.
struct Lines {
    file: BufWriter<File>,
    events: u64,
}

impl Lines {
    fn create(path: &Path) -> Self {
        Self {
            file: BufWriter::new(File::create(path).unwrap()),
            events: 0,
        }
    }

    fn send(&mut self, time: u64, sender: u64, receiver: u64, tag: u64) {
        writeln!(
            self.file,
            "{sender} send {receiver} {tag} time={time} bytes=800"
        )
        .unwrap();
        self.events += 1;
    }

    fn receive(&mut self, time: u64, sender: u64, receiver: u64, tag: u64) {
        writeln!(
            self.file,
            "{sender} recv {receiver} {tag} time={time} bytes=800"
        )
        .unwrap();
        self.events += 1;
    }

    fn finish(mut self) -> u64 {
        self.file.flush().unwrap();
        self.events
    }
}

/// Writes 125 exchanges of 32 x 32 processes with their four neighbours on a torus.
fn torus(path: &Path) -> u64 {
    const SIDE: u64 = 32;
    let mut lines = Lines::create(path);
    let steps = [(1, 0), (SIDE - 1, 0), (0, 1), (0, SIDE - 1)];
    let neighbour = |rank: u64, (dx, dy): (u64, u64)| {
        (rank % SIDE + dx) % SIDE + SIDE * ((rank / SIDE + dy) % SIDE)
    };
    for iteration in 0..125 {
        for rank in 0..SIDE * SIDE {
            for (tag, step) in (0..).zip(steps) {
                let time = 1000 * iteration + rank * 7919 % 400;
                lines.send(time, rank, neighbour(rank, step), tag);
            }
        }
        for rank in 0..SIDE * SIDE {
            for (tag, (dx, dy)) in (0..).zip(steps) {
                let sender = neighbour(rank, ((SIDE - dx) % SIDE, (SIDE - dy) % SIDE));
                lines.receive(1000 * iteration + 500 + tag, sender, rank, tag);
            }
        }
    }
    lines.finish()
}

/// Writes messages between random processes with one of 1,000 tags.
fn random(path: &Path) -> u64 {
    irregular(path, |random, _| random.u64(0..1000))
}

/// Writes messages between random processes with a tag each.
fn tags(path: &Path) -> u64 {
    irregular(path, |_, number| number)
}

/// Writes messages between random processes, up to 400 ticks under way. `tag` returns the tag of a message from its number.
fn irregular(path: &Path, tag: impl Fn(&mut fastrand::Rng, u64) -> u64) -> u64 {
    let mut lines = Lines::create(path);
    let mut random = fastrand::Rng::with_seed(1);
    // The earliest arrival comes first; messages of a sender, a receiver and a tag arrive in their order if times are equal.
    let mut under_way = BinaryHeap::new();
    for number in 0..MESSAGES {
        let time = 10 * number;
        while let Some(&Reverse((arrival, _, sender, receiver, tag))) = under_way.peek() {
            if arrival > time {
                break;
            }
            under_way.pop();
            lines.receive(arrival, sender, receiver, tag);
        }
        let sender = random.u64(0..PROCESSES);
        let receiver = (sender + random.u64(1..PROCESSES)) % PROCESSES;
        let tag = tag(&mut random, number);
        lines.send(time, sender, receiver, tag);
        let arrival = time + random.u64(1..400);
        under_way.push(Reverse((arrival, number, sender, receiver, tag)));
    }
    while let Some(Reverse((arrival, _, sender, receiver, tag))) = under_way.pop() {
        lines.receive(arrival, sender, receiver, tag);
    }
    lines.finish()
}
