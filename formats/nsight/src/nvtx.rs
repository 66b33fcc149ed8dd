//! Domains and categories of NVTX ranges, whose names are rows among the ranges.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_database::{SmallTables, Strings};
use foldtrace_trace::{Minter, TraceError};

use crate::places::ProcessId;

/// The type of a row of NVTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventType {
    /// A range, with a beginning and an end.
    Range,
    /// A mark on a point in time.
    Mark,
    /// A name of a domain, a category, a thread or a device, which is no event.
    Name,
    /// Something else.
    Other,
}

impl EventType {
    /// Returns the meaning of a number. Rows without one are ranges.
    pub(crate) fn of(number: Option<i64>) -> Self {
        match number {
            None | Some(59 | 60 | 70 | 71) => Self::Range,
            Some(34 | 65) => Self::Mark,
            Some(33 | 39 | 64 | 72..=76 | 97..=99) => Self::Name,
            Some(_) => Self::Other,
        }
    }
}

const CATEGORIES: [i64; 2] = [33, 64];
const DOMAIN: i64 = 75;

/// The names of domains and categories of each process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Domains {
    domains: HashMap<(ProcessId, i64), String, RandomState>,
    categories: HashMap<(ProcessId, i64, i64), String, RandomState>,
}

impl Domains {
    /// Reads the names. Damage of `strings` stays a failure of theirs.
    pub(crate) fn read(
        tables: &mut SmallTables<'_>,
        strings: &mut Strings,
    ) -> Result<Self, TraceError> {
        let mut all = Self::default();
        let table = tables.database.table("NVTX_EVENTS");
        let has = |column| table.is_some_and(|table| table.has(column));
        let name = if has("textId") { "textId" } else { "text" };
        let columns = [
            "globalTid",
            "eventType",
            "domainId",
            "category",
            "text",
            name,
        ];
        tables.look_up("NVTX_EVENTS", &columns, |row| {
            let Some(event_type) = row.integer(1) else {
                return;
            };
            if event_type != DOMAIN && !CATEGORIES.contains(&event_type) {
                return;
            }
            let name = row.text(4).or_else(|| strings.get(row.integer(5)?));
            let (Some(thread), Some(name)) = (row.integer(0), name) else {
                return;
            };
            let process = ProcessId::of(thread);
            let domain = row.integer(2).unwrap_or_default();
            if event_type == DOMAIN {
                all.domains.insert((process, domain), name);
            } else if let Some(category) = row.integer(3) {
                all.categories.insert((process, domain, category), name);
            }
        })?;
        Ok(all)
    }

    /// Returns the id of the name of a domain; `None` if it has none.
    pub(crate) fn domain(
        &self,
        process: ProcessId,
        domain: i64,
        minter: &mut Minter,
    ) -> Option<u64> {
        let name = self.domains.get(&(process, domain))?;
        Some(minter.string(name))
    }

    /// Returns the id of the name of a category; `None` if it has none.
    pub(crate) fn category(
        &self,
        process: ProcessId,
        domain: i64,
        category: i64,
        minter: &mut Minter,
    ) -> Option<u64> {
        let name = self.categories.get(&(process, domain, category))?;
        Some(minter.string(name))
    }
}
