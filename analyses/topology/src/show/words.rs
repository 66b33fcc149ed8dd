//! Describes topologies in words.

use foldtrace_matching::Traffic;
use foldtrace_view::units::{counted, grouped};

use crate::find::{Answer, Component, Part, Scope};
use crate::recognition::Closest;

/// The column headers of [`candidate_rows`].
pub const CANDIDATE_COLUMNS: [&str; 3] = ["simple tests", "graph spectrum", "isomorphism"];
/// The column headers of [`part_rows`].
pub const PART_COLUMNS: [&str; 6] = [
    "part",
    "topology",
    "processes",
    "pairs",
    "messages",
    "bytes",
];
/// The column headers of [`rank_rows`].
pub const RANK_COLUMNS: [&str; 3] = ["rank", "node", "coordinates"];

/// Maximum number of pairs to list individually.
const PAIRS: usize = 6;

/// Formats the topologies of components in the style of Xu et al.: `4x4 grid`, `16 line (one-way)`, `4 x 4 line`.
#[must_use]
pub fn answer(answers: &[Answer]) -> String {
    listed_with(answers, " (one-way)")
}

/// Formats the topologies of components like [`answer`], without the direction of messages.
pub(super) fn named(answers: &[Answer]) -> String {
    listed_with(answers, "")
}

fn listed_with(answers: &[Answer], one_way: &str) -> String {
    let answers = answers.iter().map(|answer| {
        let times = match answer.components {
            1 => String::new(),
            components => format!("{components} x "),
        };
        let way = if answer.is_one_way { one_way } else { "" };
        format!("{times}{}{way}", answer.topology)
    });
    answers.collect::<Vec<_>>().join(", ")
}

fn known(answers: &[Answer]) -> String {
    match answers {
        [] => "unknown".to_owned(),
        some => answer(some),
    }
}

/// Describes the set of messages of a part.
#[must_use]
pub fn scope(scope: &Scope) -> String {
    match scope {
        Scope::Program => "program".to_owned(),
        Scope::Tag(None) => "no single tag".to_owned(),
        Scope::Tag(Some(tag)) => format!("tag {tag}"),
        Scope::Communicator {
            name: Some(name), ..
        } => format!("communicator {name}"),
        Scope::Communicator { id: Some(id), .. } => format!("communicator {id}"),
        Scope::Communicator { .. } => "no communicator".to_owned(),
        Scope::Construct(number) => format!("construct {number}"),
    }
}

/// Returns the topologies that were left after each test, one column per test.
#[must_use]
pub fn candidate_rows(part: &Part) -> Vec<Vec<String>> {
    let found = |of: fn(&Component) -> Vec<&str>| unique(part.components.iter().flat_map(of));
    let columns = [
        found(|it| {
            it.identification
                .simple
                .iter()
                .map(|name| &**name)
                .collect()
        }),
        found(|it| {
            it.identification
                .spectrum
                .iter()
                .map(|name| &**name)
                .collect()
        }),
        found(|it| {
            let matches = it.identification.isomorphic.iter();
            matches.map(|it| &*it.topology.name).collect()
        }),
    ];
    let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |column: &Vec<String>, row| column.get(row).cloned().unwrap_or_default();
    let row = |row| columns.iter().map(|column| cell(column, row)).collect();
    (0..longest).map(row).collect()
}

/// Returns each name once, in the order of first occurrence.
pub(super) fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for name in names {
        if !unique.iter().any(|known| known == name) {
            unique.push(name.to_owned());
        }
    }
    unique
}

/// Returns a row per part: its topology and its traffic.
#[must_use]
pub fn part_rows(parts: &[Part]) -> Vec<Vec<String>> {
    let rows = parts.iter().map(|part| {
        let total = part.pairs.total();
        let (all, idle) = (part.ranks.len(), part.idle().len());
        let idle = match idle {
            0 => String::new(),
            idle => format!(", {} idle", grouped(idle as u64)),
        };
        vec![
            scope(&part.scope),
            known(&part.answer()),
            format!("{}{idle}", grouped(all as u64)),
            grouped(part.kept.pairs.len() as u64),
            grouped(total.messages),
            total.bytes.map_or_else(String::new, grouped),
        ]
    });
    rows.collect()
}

/// Returns a row per process: its node of the topology, and the coordinates of the node.
#[must_use]
pub fn rank_rows(part: &Part) -> Vec<Vec<String>> {
    let mut rows: Vec<(u64, Vec<String>)> = Vec::new();
    for component in &part.components {
        let Some(found) = component.topology() else {
            continue;
        };
        for (&own, &node) in component.nodes.iter().zip(&found.nodes) {
            let rank = part.ranks[own as usize];
            let coordinates = found.topology.coordinates(node);
            let coordinates: Vec<String> = coordinates.iter().map(u32::to_string).collect();
            let row = vec![rank.to_string(), node.to_string(), coordinates.join(",")];
            rows.push((rank, row));
        }
    }
    rows.sort_by_key(|&(rank, _)| rank);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Returns further remarks on a part: its traffic, the filtered pairs, and the closest topology.
#[must_use]
pub fn remarks(part: &Part) -> Vec<String> {
    let mut remarks = vec![exchanged(part).join("; ")];
    remarks.retain(|remark| !remark.is_empty());
    if !part.filtered.pairs.is_empty() {
        remarks.push(filtered(part));
    }
    if let Some(other) = &part.otherwise {
        let threshold = match other.threshold {
            0.0 => "without the filter".to_owned(),
            threshold => format!("with a filter of {}", percent(threshold)),
        };
        remarks.push(format!("{threshold}: {}", known(&other.answer)));
    }
    for component in &part.components {
        let identification = &component.identification;
        if let (None, Some(closest)) = (component.topology(), &identification.closest) {
            remarks.push(closest_words(part, component, closest));
            remarks.extend(closest.why.iter().map(|why| format!("  {why}")));
        }
        if !identification.undecided.is_empty() {
            let undecided = identification.undecided.join(", ");
            remarks.push(format!(
                "undecided, because the search took too long: {undecided}"
            ));
        }
    }
    remarks
}

/// Formats an amount such as `3 messages` or `3 messages of 24 bytes`.
pub(super) fn amount(traffic: Traffic) -> String {
    let bytes = traffic
        .bytes
        .map(|bytes| format!(" of {}", counted(bytes, "byte")));
    format!(
        "{}{}",
        counted(traffic.messages, "message"),
        bytes.unwrap_or_default()
    )
}

/// Describes the traffic between processes, and all other traffic.
fn exchanged(part: &Part) -> Vec<String> {
    let pairs = &part.pairs;
    let between = match pairs.pairs.len() {
        0 => String::new(),
        1 => "1 pair exchanges ".to_owned(),
        many => format!("{} pairs exchange ", grouped(many as u64)),
    };
    let traffic = [
        (between, pairs.total()),
        (
            "sent by processes to themselves: ".to_owned(),
            pairs.to_self,
        ),
        (
            "sent to or by unknown processes: ".to_owned(),
            pairs.elsewhere,
        ),
    ];
    let traffic = traffic.into_iter().filter(|(_, sent)| sent.messages > 0);
    traffic.map(|(text, sent)| text + &amount(sent)).collect()
}

/// Formats a share in percent.
pub(super) fn percent(share: f64) -> String {
    match (share * 1000.0).round() / 10.0 {
        0.0 if share > 0.0 => "less than 0.1 %".to_owned(),
        rounded => format!("{rounded} %"),
    }
}

/// Returns the shares of `part` in the messages and in the bytes of `all`.
pub(super) fn shares(part: &Traffic, all: &Traffic) -> (f64, Option<f64>) {
    let share = |part: u64, all: u64| part as f64 / (all.max(1) as f64);
    let bytes = part.bytes.or(all.bytes.map(|_| 0)).zip(all.bytes);
    (
        share(part.messages, all.messages),
        bytes.map(|(part, all)| share(part, all)),
    )
}

fn filtered(part: &Part) -> String {
    let (messages, bytes) = shares(&part.filtered.total(), &part.pairs.total());
    let bytes = bytes.map(|bytes| format!(" and {} of all bytes", percent(bytes)));
    let measure = part.pairs.measure().name();
    format!(
        "filtered out: {} with less than {} of the {measure} of the busiest pair, {} of all messages{}",
        listed(
            part.filtered
                .pairs
                .keys()
                .map(|&(a, b)| (part.ranks[a as usize], part.ranks[b as usize]))
        ),
        percent(part.threshold),
        percent(messages),
        bytes.unwrap_or_default(),
    )
}

/// Formats the number of pairs and the first of them.
fn listed(pairs: impl ExactSizeIterator<Item = (u64, u64)>) -> String {
    let count = pairs.len();
    let noun = if count == 1 { "pair" } else { "pairs" };
    let first = pairs
        .take(PAIRS)
        .map(|(one, other)| format!("{one}-{other}"));
    let mut first: Vec<String> = first.collect();
    if count > PAIRS {
        first.push("…".to_owned());
    }
    format!("{} {noun} ({})", grouped(count as u64), first.join(" "))
}

fn closest_words(part: &Part, component: &Component, closest: &Closest) -> String {
    let rank = |node: u32| {
        let own = component.nodes.get(node as usize).copied().unwrap_or(node);
        part.ranks.get(own as usize).copied().unwrap_or_default()
    };
    let mut differences = Vec::new();
    for (pairs, word) in [(&closest.missing, "missing"), (&closest.extra, "extra")] {
        if !pairs.is_empty() {
            let pairs = pairs.iter().map(|&(one, other)| (rank(one), rank(other)));
            differences.push(format!("{word}: {}", listed(pairs)));
        }
    }
    let name = &closest.topology.name;
    if differences.is_empty() {
        format!("closest: {name}")
    } else {
        format!("closest: {name}; {}", differences.join("; "))
    }
}
