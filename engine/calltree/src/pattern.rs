//! Finds patterns that users define: sequences of calls, given as a short text.
//!
//! A pattern is searched in the child lists of nodes, once per node, however often the node occurs. The name of a
//! child determines which lines of the pattern it matches. A regular expression over these matches then finds the
//! sequences of children that match the sequence of lines. `analyses/dag/README.md` has the grammar.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use foldtrace_fold::dag::{Dag, Graph, NodeId, Occurrences, Stretch};
use foldtrace_stream::cut::Pattern as Glob;
use foldtrace_trace::{ErrorKind, LocationId, Place, Position, TraceError};
use regex::bytes::{Regex, RegexBuilder};
use serde::Serialize;

use crate::named::NamedNodes;

/// The maximum number of lines in a sequence: the matches of a child are a set of bits, one per line.
const LINES: usize = 64;

/// A line of a pattern: a call or another event.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    name: Glob,
    /// The repetition, in the syntax of regular expressions; empty for once.
    repetition: String,
    /// The children of the call; empty if any children match.
    children: Vec<Line>,
}

/// A pattern of consecutive and nested calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The name of the pattern.
    pub name: String,
    lines: Vec<Line>,
}

/// A pattern of the trace (MTF, figure 3), with all its occurrences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracePattern {
    /// The name of the pattern.
    pub name: String,
    /// The number of its occurrences in all locations.
    pub count: u64,
    /// Its occurrences, by parent and order.
    pub occurrences: Vec<PatternOccurrence>,
}

/// An occurrence of a pattern in a child list, which happens as often as the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PatternOccurrence {
    /// The node with the child list.
    pub node: u32,
    /// The order of the first edge.
    pub order: u32,
    /// The number of repetitions of that edge before the pattern begins.
    pub skip: u64,
    /// The number of children in the occurrence.
    pub children: u64,
    /// The number of events of the node before the occurrence.
    pub offset: u64,
    /// The number of events in the occurrence.
    pub events: u64,
    /// The number of times that it happens in all locations.
    pub count: u64,
    /// The number of times that it happens within one occurrence of the node: more than 1 if the node nests in
    /// itself.
    #[serde(skip)]
    levels: u64,
    /// The number of events from one of these times to the next.
    #[serde(skip)]
    step: u64,
}

impl Pattern {
    /// Reads the patterns of a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or violates the grammar.
    pub fn read(path: &Path) -> Result<Vec<Self>, TraceError> {
        let text = fs::read_to_string(path).map_err(|error| TraceError::unreadable(path, error))?;
        Self::parse(&text, &Place::file(path))
    }

    /// Parses the patterns of a text; `place` is the source of the text.
    ///
    /// # Errors
    /// Returns an error if the text violates the grammar.
    pub fn parse(text: &str, place: &Place) -> Result<Vec<Self>, TraceError> {
        let mut patterns: Vec<Self> = Vec::new();
        // The indentation of the open lines, the outermost first.
        let mut open: Vec<usize> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let content = line.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let wrong = |message: &str, hint: &str| {
                let mut place = place.clone();
                place.line = Some(number);
                let error = TraceError::new(ErrorKind::Malformed, message.to_owned());
                error.at(place).hint(hint.to_owned())
            };
            let indent = line.len() - line.trim_start().len();
            if indent == 0 {
                let name = content.strip_prefix("pattern ").map(str::trim);
                let name = name.filter(|name| !name.is_empty()).ok_or_else(|| {
                    let hint = "begin with 'pattern NAME', and indent the calls below it";
                    wrong("a pattern has no name", hint)
                })?;
                patterns.push(Self {
                    name: name.to_owned(),
                    lines: Vec::new(),
                });
                open.clear();
                continue;
            }
            let Some(pattern) = patterns.last_mut() else {
                let hint = "begin with 'pattern NAME', and indent the calls below it";
                return Err(wrong("a call precedes the first pattern", hint));
            };
            while open.last().is_some_and(|&around| around >= indent) {
                open.pop();
            }
            let list = innermost(&mut pattern.lines, open.len());
            if list.len() == LINES {
                return Err(wrong(
                    "a sequence has more than 64 lines",
                    "split it into two patterns",
                ));
            }
            list.push(Line::parse(content));
            open.push(indent);
        }
        if let Some(empty) = patterns.iter().find(|pattern| pattern.lines.is_empty()) {
            let message = format!("pattern '{}' has no calls", empty.name);
            let error = TraceError::new(ErrorKind::Malformed, message).at(place.clone());
            return Err(error.hint("indent the calls below its name"));
        }
        if patterns.is_empty() {
            let error = TraceError::new(ErrorKind::Malformed, "there is no pattern");
            let hint = "begin with 'pattern NAME', and indent the calls below it";
            return Err(error.at(place.clone()).hint(hint));
        }
        Ok(patterns)
    }

    /// Finds the occurrences of the pattern: from left to right, as long as possible, and without overlap. The
    /// children before a recursive edge and the children after it are searched separately.
    ///
    /// # Errors
    /// Returns an error if too many lines of a sequence match the same calls, or the regular expression of a sequence
    /// cannot be built.
    pub fn find(&self, dag: &Dag, named: &NamedNodes<'_>) -> Result<TracePattern, TraceError> {
        let graph = &dag.graph;
        let sequence = Sequence::new(&self.lines, graph, named)?;
        let counts = dag.occurrences();
        let mut found = TracePattern {
            name: self.name.clone(),
            count: 0,
            occurrences: Vec::new(),
        };
        for node in graph.nodes().filter(|node| counts[node.index()] > 0) {
            let mut start = 0;
            for stretch in graph.stretches(node) {
                let step = length(graph, &stretch);
                for (from, to) in sequence.within(&stretch) {
                    let mut occurrence = occurrence_at(graph, &stretch, from, to);
                    occurrence.node = node.0;
                    occurrence.offset += start;
                    occurrence.levels = stretch.times;
                    occurrence.step = step;
                    occurrence.count = counts[node.index()].saturating_mul(stretch.times);
                    found.count = found.count.saturating_add(occurrence.count);
                    found.occurrences.push(occurrence);
                }
                start += stretch.times * step;
            }
        }
        Ok(found)
    }
}

impl TracePattern {
    /// Passes the location, the position and the number of events of each occurrence to `take`: by node, then by
    /// location and position.
    ///
    /// # Errors
    /// Returns an error if `take` does.
    pub fn positions<E>(
        &self,
        dag: &Dag,
        mut take: impl FnMut(LocationId, Position, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        for of_node in self.occurrences.chunk_by(|a, b| a.node == b.node) {
            let Some(node) = of_node.first().map(|one| NodeId(one.node)) else {
                continue;
            };
            let nodes = Occurrences::new(&dag.graph, |other| other == node);
            for root in &dag.roots {
                for found in nodes.positions(root.node) {
                    for occurrence in of_node {
                        for level in 0..occurrence.levels {
                            let at = found.position + occurrence.offset + level * occurrence.step;
                            take(root.location, Position(at), occurrence.events)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the list `depth` levels down, following the last line of each list.
fn innermost(lines: &mut Vec<Line>, depth: usize) -> &mut Vec<Line> {
    match lines.len().checked_sub(1) {
        Some(last) if depth > 0 => innermost(&mut lines[last].children, depth - 1),
        _ => lines,
    }
}

/// Returns the number of events of one repetition of a stretch.
fn length(graph: &Graph, stretch: &Stretch<'_>) -> u64 {
    let own = u64::from(stretch.begins) + u64::from(stretch.has_last);
    let children = stretch.edges.iter();
    children.fold(own, |sum, edge| {
        sum + edge.times() * graph.length(edge.node)
    })
}

/// Returns the occurrence of the children `from..to` of a stretch; their numbers count each repetition.
fn occurrence_at(graph: &Graph, stretch: &Stretch<'_>, from: u64, to: u64) -> PatternOccurrence {
    let mut found = PatternOccurrence {
        node: 0,
        order: 0,
        skip: 0,
        children: to - from,
        offset: 0,
        events: 0,
        count: 0,
        levels: 1,
        step: 0,
    };
    let (mut child, mut offset) = (0, u64::from(stretch.begins));
    for (order, edge) in (stretch.order..).zip(stretch.edges) {
        let (times, events) = (edge.times(), graph.length(edge.node));
        let end = child + times;
        if (child..end).contains(&from) {
            found.order = order as u32;
            found.skip = from - child;
            found.offset = offset + found.skip * events;
        }
        let within = to.min(end).saturating_sub(from.max(child));
        found.events += within * events;
        (child, offset) = (end, offset + times * events);
    }
    found
}

impl Line {
    fn parse(text: &str) -> Self {
        let (name, repetition) = match text.rsplit_once(char::is_whitespace) {
            Some((name, last)) if is_repetition(last) => (name.trim_end(), last),
            _ => (text, ""),
        };
        Self {
            name: Glob::new(name),
            repetition: repetition.to_owned(),
            children: Vec::new(),
        }
    }
}

/// Returns whether a text is a repetition: `*`, `+`, `?`, `{2}`, `{2,}`, `{2,5}`.
fn is_repetition(text: &str) -> bool {
    if matches!(text, "*" | "+" | "?") {
        return true;
    }
    let Some(range) = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
    else {
        return false;
    };
    let is_number = |text: &str| text.parse::<u16>().is_ok();
    match range.split_once(',') {
        None => is_number(range),
        Some((from, to)) => is_number(from) && (to.is_empty() || is_number(to)),
    }
}

/// A sequence of lines as a regular expression over the lines that children match.
struct Sequence {
    /// By node: the number of the set of lines that it matches.
    classes: Vec<u8>,
    /// The sequence at any place, and the sequence as the whole list.
    anywhere: Regex,
    alone: Regex,
}

impl Sequence {
    fn new(lines: &[Line], graph: &Graph, named: &NamedNodes<'_>) -> Result<Self, TraceError> {
        let mut matched_lines = vec![0u64; graph.len()];
        for (bit, line) in lines.iter().enumerate() {
            let children = if line.children.is_empty() {
                None
            } else {
                Some(Self::new(&line.children, graph, named)?)
            };
            for node in graph.nodes() {
                let fits = line.name.matches(&named.node(node))
                    && children
                        .as_ref()
                        .is_none_or(|sequence| sequence.is_all_of(graph, node));
                matched_lines[node.index()] |= u64::from(fits) << bit;
            }
        }
        let too_ambiguous = || {
            let message = "too many lines of a pattern match the same calls";
            TraceError::new(ErrorKind::Usage, message).hint("split it into several patterns")
        };
        let mut numbers: BTreeMap<u64, u8> = BTreeMap::new();
        let mut classes = Vec::with_capacity(matched_lines.len());
        for lines in matched_lines {
            let next = u8::try_from(numbers.len());
            let number = match numbers.get(&lines) {
                Some(&number) => number,
                None => next.map_err(|_| too_ambiguous())?,
            };
            numbers.insert(lines, number);
            classes.push(number);
        }
        let mut text = String::new();
        for (bit, line) in lines.iter().enumerate() {
            let mut class = String::new();
            for (&lines, number) in &numbers {
                if lines >> bit & 1 == 1 {
                    class += &format!("\\x{number:02x}");
                }
            }
            // A line that no node matches never fits.
            let class = if class.is_empty() {
                "^\\x00-\\xff".to_owned()
            } else {
                class
            };
            text += &format!("[{class}]{}", line.repetition);
        }
        let build = |text: &str| {
            let mut builder = RegexBuilder::new(text);
            let built = builder.unicode(false).build();
            built.map_err(|error| too_ambiguous().caused_by(error))
        };
        Ok(Self {
            classes,
            anywhere: build(&text)?,
            alone: build(&format!("\\A{text}\\z"))?,
        })
    }

    /// Appends a byte per child of a stretch: the number of the set of lines that it matches.
    fn bytes(&self, stretch: &Stretch<'_>, bytes: &mut Vec<u8>) {
        for edge in stretch.edges {
            let class = self.classes[edge.node.index()];
            bytes.resize(bytes.len() + edge.times() as usize, class);
        }
    }

    /// Returns whether the children of a node are this sequence, and nothing else.
    fn is_all_of(&self, graph: &Graph, node: NodeId) -> bool {
        let mut bytes = Vec::new();
        graph
            .stretches(node)
            .for_each(|stretch| self.bytes(&stretch, &mut bytes));
        self.alone.is_match(&bytes)
    }

    /// Returns the matches of the sequence among the children of a stretch, as ranges of their numbers.
    fn within(&self, stretch: &Stretch<'_>) -> Vec<(u64, u64)> {
        let mut bytes = Vec::new();
        self.bytes(stretch, &mut bytes);
        let found = self.anywhere.find_iter(&bytes);
        found
            .filter(|found| !found.is_empty())
            .map(|found| (found.start() as u64, found.end() as u64))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<Pattern>, String> {
        Pattern::parse(text, &Place::file("halo.pattern")).map_err(|error| {
            let line = error
                .place
                .line
                .map_or(String::new(), |line| format!("{line}: "));
            format!("{line}{error}")
        })
    }

    #[test]
    fn lines_nest_by_indentation() {
        let text = "# halo\npattern halo\n  exchange\n    MPI_Send {2}\n    MPI_Recv *\n  * ?\n";
        let patterns = parse(text).unwrap();
        let line = |name: &str, repetition: &str, children| Line {
            name: Glob::new(name),
            repetition: repetition.to_owned(),
            children,
        };
        let inner = vec![
            line("MPI_Send", "{2}", vec![]),
            line("MPI_Recv", "*", vec![]),
        ];
        let lines = vec![line("exchange", "", inner), line("*", "?", vec![])];
        assert_eq!(patterns[0].lines, lines);
        // A name may contain spaces, and may end like a repetition.
        assert_eq!(
            Line::parse("mpi_send peer=1 *"),
            line("mpi_send peer=1", "*", vec![])
        );
        assert_eq!(Line::parse("*"), line("*", "", vec![]));
    }

    #[test]
    fn texts_without_patterns_are_rejected() {
        assert_eq!(parse("").unwrap_err(), "there is no pattern");
        assert_eq!(
            parse("  call\n").unwrap_err(),
            "1: a call precedes the first pattern"
        );
        assert_eq!(
            parse("\npattern \n").unwrap_err(),
            "2: a pattern has no name"
        );
        assert_eq!(
            parse("pattern p\n").unwrap_err(),
            "pattern 'p' has no calls"
        );
    }
}
