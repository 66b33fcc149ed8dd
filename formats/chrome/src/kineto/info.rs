//! What a file says about its rank, outside of its events.

use std::collections::HashMap;

use serde_json::Value;

use super::present::Present;

/// The properties of a file that matter.
#[derive(Debug, Default)]
pub(crate) struct Info {
    /// The rank of the process that wrote the file.
    pub rank: Option<u64>,
    /// The number of ranks of the program.
    pub world_size: Option<u64>,
    /// The ranks of the members of process groups, by the names of the groups.
    groups: HashMap<String, Vec<u64>>,
    /// The nanosecond since 1970 at time 0; 0 if times already count from 1970.
    pub base: i64,
}

impl Info {
    /// Takes a property.
    pub(crate) fn take(&mut self, key: &str, value: &[u8]) {
        /// The largest base that leaves room for times.
        const LATEST: i64 = 1 << 62;
        match key {
            "baseTimeNanoseconds" => {
                let base = serde_json::from_slice::<i64>(value).ok();
                self.base = base.filter(|base| (0..=LATEST).contains(base)).unwrap_or(0);
            }
            "distributedInfo" => {
                if let Ok(info) = serde_json::from_slice(value) {
                    self.take_distributed(&info);
                }
            }
            _ => {}
        }
    }

    fn take_distributed(&mut self, info: &Value) {
        self.rank = number(&info["rank"]);
        self.world_size = number(&info["world_size"]);
        for group in info["pg_config"].as_array().into_iter().flatten() {
            let ranks = match &group["ranks"] {
                Value::String(text) => listed(text),
                list => serde_json::from_value(list.clone()).ok(),
            };
            if let (Some(name), Some(ranks)) = (group["pg_name"].as_str(), ranks) {
                self.groups.insert(name.to_owned(), ranks);
            }
        }
    }

    /// Returns the process groups, by name: the number of their members, and those that are in the trace.
    pub(crate) fn present_members(&self, present: &Present) -> HashMap<&str, (u64, Vec<u64>)> {
        let groups = self.groups.iter();
        let group = groups.map(|(name, ranks)| {
            let size = ranks.len() as u64;
            (name.as_str(), (size, present.processes(ranks)))
        });
        group.collect()
    }
}

/// Returns a number, which some versions write as a string.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64(),
    }
}

/// Parses a list such as `[0, 1]`; `None` if it is shortened, as lists of more than 30 ranks are.
pub(crate) fn listed(text: &str) -> Option<Vec<u64>> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_ranks_are_arrays_or_texts() {
        let mut info = Info::default();
        info.take(
            "distributedInfo",
            br#"{"rank": "3", "world_size": 8, "pg_config": [
                {"pg_name": "0", "ranks": [0, 1, 2]}, {"pg_name": "1", "ranks": "[3, 4]"},
                {"pg_name": "2", "ranks": "[0, 1, ..., 99]"}, {"pg_name": 3, "ranks": []}, 7]}"#,
        );
        info.take("baseTimeNanoseconds", b"1735632360000000000");
        assert_eq!((info.rank, info.world_size), (Some(3), Some(8)));
        let present = [0, 2, 3].into_iter().zip(0..).collect();
        let members = info.present_members(&present);
        assert_eq!(members["0"], (3, vec![0, 1]));
        assert_eq!(members["1"], (2, vec![2]));
        assert_eq!(members.len(), 2);
        assert_eq!(info.base, 1_735_632_360_000_000_000);
        for bad in [&b"-1"[..], b"1e300", b"\"\"", b"", b"9000000000000000000"] {
            info.take("baseTimeNanoseconds", bad);
            assert_eq!(info.base, 0);
        }
        info.take("distributedInfo", b"[1]");
        assert_eq!((info.rank, info.world_size), (None, None));
    }
}
