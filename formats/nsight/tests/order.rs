//! Rows come in the order of time, in whichever order the tables have them.

use std::cmp::Reverse;

use foldtrace_nsight::Nsight;
use foldtrace_testing::read;
use rusqlite::{Connection, params};

use crate::databases::{read_whole, shown};

/// A sequence of numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A call: the table, the beginning, the end and the thread.
type Call = (usize, i64, Option<i64>, i64);

fn write(path: &std::path::Path, calls: &[Call]) {
    const TABLES: [&str; 2] = ["OSRT_API", "CUPTI_ACTIVITY_KIND_RUNTIME"];
    let mut connection = Connection::open(path).unwrap();
    let transaction = connection.transaction().unwrap();
    transaction
        .execute_batch("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        .unwrap();
    for table in TABLES {
        let columns = "start INT, end INT, globalTid INT, nameId INT";
        transaction
            .execute_batch(&format!("CREATE TABLE {table} ({columns})"))
            .unwrap();
    }
    for &(table, begin, end, thread) in calls {
        let name = table as i64 * 1_000_000 + begin * 1000 + end.unwrap_or(999);
        let sql = format!("INSERT INTO {} VALUES (?, ?, ?, ?)", TABLES[table]);
        let mut statement = transaction.prepare_cached(&sql).unwrap();
        statement
            .execute(params![begin, end, thread, name])
            .unwrap();
    }
    transaction.commit().unwrap();
}

#[test]
fn tables_in_any_order_have_the_same_events() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..30 {
        let mut numbers = Numbers(seed);
        // All calls end, or some do not, or some end before they begin.
        let (none, before) = [(0, 0), (9, 0), (9, 20)][seed as usize % 3];
        let count = 1 + numbers.below(300);
        let calls = (0..count).map(|_| {
            let begin = numbers.below(500) as i64 - 100;
            let end = begin + numbers.below(60) as i64 - before;
            let end = (numbers.below(30) >= none).then_some(end);
            (
                numbers.below(2) as usize,
                begin,
                end,
                0x0100_0001 + numbers.below(3) as i64,
            )
        });
        let mut calls: Vec<Call> = calls.collect();
        calls.sort_by_key(|&(table, begin, end, thread)| (begin, Reverse(end), table, thread));
        calls.dedup();
        let sorted = folder.path().join(format!("{seed}.sqlite"));
        write(&sorted, &calls);
        for at in (1..calls.len()).rev() {
            calls.swap(at, numbers.below(at as u64 + 1) as usize);
        }
        let mixed = folder.path().join(format!("{seed}-mixed.sqlite"));
        write(&mixed, &calls);
        calls.sort_by_key(|&(table, begin, end, thread)| (thread, begin, Reverse(end), table));
        let by_thread = folder.path().join(format!("{seed}-threads.sqlite"));
        write(&by_thread, &calls);
        let sorted = read_whole(&sorted);
        let locations = shown(&sorted);
        for path in [&mixed, &by_thread] {
            assert_eq!(locations, shown(&read_whole(path)));
            // Runs are sorted instead of merged.
            let salvaged = read(&Nsight, path, true).unwrap();
            assert_eq!(locations, shown(&salvaged));
        }
        for events in sorted.events.values() {
            assert!(events.is_sorted_by_key(|event| event.time));
        }
        let events: usize = locations.iter().map(|(_, events)| events.len()).sum();
        let ends = calls.iter().filter(|call| call.2.is_some()).count();
        assert_eq!(events, calls.len() + ends);
    }
}
