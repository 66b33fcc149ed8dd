//! The order of the events of several streams, compared with one that is found event after event.

use std::collections::BTreeMap;

use foldtrace_trace::{DefinitionKind, Names};
use proptest::prelude::*;

use crate::trace::{TRACE, Trace};

/// Events with their thread, the number of their stream and their number in it; events of the class 1 load a library.
const STREAM: &str = "
clock { name = c; freq = 1000000000; };
stream {
    event.header := struct { integer { size = 64; map = clock.c.value; } timestamp; u8 id; };
    event.context := struct { u8 vtid; };
};
event { name = tick; id = 0; fields := struct { u8 stream; u32 number; }; };
event { name = \"lttng_ust_statedump:bin_info\"; id = 1; fields := struct { u8 stream; u32 number; u16 baddr; u16 memsz; string path; }; };
event { name = \"lttng_ust_cyg_profile:func_entry\"; id = 2; fields := struct { u8 stream; u32 number; u16 addr; }; };
";

/// What happens in an event: the time since the previous one, which may be negative, the thread, and the class.
type Step = (i16, u8, u8);

/// An event of a stream: time, thread, class.
type Happening = (u64, u8, u8);

/// Returns the events of a stream. Few of them load a library, and time rarely goes backwards.
fn happenings(steps: &[Step], repeats: usize) -> Vec<Happening> {
    let mut time = 1_000_000_u64;
    let mut all = Vec::new();
    for repeat in 0..repeats {
        for &(ahead, thread, class) in steps {
            let ahead = if ahead < -30_000 {
                -5
            } else {
                i64::from(ahead.max(0) % 50)
            };
            time = time.saturating_add_signed(ahead);
            // A library is loaded once in a while only.
            let class = if class == 1 && repeat % 7 != 0 {
                0
            } else {
                class
            };
            all.push((time, thread, class));
        }
    }
    all
}

/// Returns the file of a stream. Each library has an address of its own.
fn file(stream: u8, all: &[Happening]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, (time, thread, class)) in (0_u32..).zip(all) {
        bytes.extend(time.to_le_bytes());
        bytes.extend([*class, *thread, stream]);
        bytes.extend(number.to_le_bytes());
        match class {
            1 => {
                bytes.extend(0x1000_u16.to_le_bytes());
                bytes.extend(0x100_u16.to_le_bytes());
                bytes.extend(format!("lib{stream}-{number}\0").into_bytes());
            }
            2 => bytes.extend(0x1010_u16.to_le_bytes()),
            _ => {}
        }
    }
    bytes
}

/// Takes the earliest next event of all streams again and again. Returns the events of each thread: their time, stream, number,
/// and the function that they enter, or their name.
fn expected(streams: &[Vec<Happening>]) -> BTreeMap<u8, Vec<(u64, usize, usize, String)>> {
    let mut taken = vec![0; streams.len()];
    let mut threads: BTreeMap<u8, Vec<_>> = BTreeMap::new();
    let mut library = None;
    loop {
        let next = (0..streams.len()).filter(|&stream| taken[stream] < streams[stream].len());
        let Some(stream) = next.min_by_key(|&stream| (streams[stream][taken[stream]].0, stream))
        else {
            return threads;
        };
        let number = taken[stream];
        let (time, thread, class) = streams[stream][number];
        taken[stream] += 1;
        if class == 1 {
            library = Some(format!("lib{stream}-{number}"));
        }
        let function = match (class, &library) {
            (2, Some(library)) => format!("{library}+0x10"),
            (2, None) => "0x1010".to_owned(),
            (1, _) => "lttng_ust_statedump:bin_info".to_owned(),
            _ => "tick".to_owned(),
        };
        let event = (time, stream, number, function);
        threads.entry(thread).or_default().push(event);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Streams are longer than what is decoded of them at once.
    #[test]
    fn events_come_in_the_order_of_time(
        streams in prop::collection::vec((prop::collection::vec((any::<i16>(), 0_u8..4, 0_u8..3), 1..40), 1_usize..120), 1..6),
    ) {
        let streams = Vec::from_iter(streams.iter().map(|(steps, repeats)| happenings(steps, *repeats)));
        let trace = Trace::new(&format!("{TRACE}{STREAM}"), &file(0, &streams[0]));
        for (number, stream) in streams.iter().enumerate().skip(1) {
            trace.add(&format!("stream_{number}"), &file(number as u8, stream));
        }
        let read = trace.read();
        let names = Names::new(&read.definitions);
        let mut threads = BTreeMap::new();
        for (location, events) in &read.events {
            let name = names.name(DefinitionKind::Location, location.0).unwrap();
            let thread: u8 = name.strip_prefix("thread ").unwrap().parse().unwrap();
            let events = events.iter().map(|event| {
                let [stream, number] = [0, 1].map(|index| event.attributes[index].2 as usize);
                let function = names.called(&event.symbol).unwrap_or_default().to_owned();
                (event.time, stream, number, function)
            });
            threads.insert(thread, Vec::from_iter(events));
        }
        prop_assert_eq!(threads, expected(&streams));
    }
}
