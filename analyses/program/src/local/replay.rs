//! Replays the events of a model line by line, without the trace.

use std::io::{self, Write};
use std::path::Path;

use foldtrace_store::StoreReader;
use foldtrace_trace::{ErrorKind, LocationId, Place, Remedy, SymbolText, TraceError};

use super::{ConstructJson, LoopsJson};
use crate::json::{EventJson, NumberJson};

/// A model read back from JSON, ready to be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedLocation {
    /// The id of the location.
    pub location: u64,
    /// The name of the location as users know it.
    pub label: String,
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    /// An event: its line, split at the functions of the loop indices.
    Event {
        pieces: Vec<String>,
        functions: Vec<Affine>,
    },
    Loop {
        count: Affine,
        body: Vec<Node>,
    },
}

/// An affine function of the indices of the enclosing loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    /// The value when all indices are zero.
    pub base: i64,
    /// The depths of loops, and the growth of the value with their indices.
    pub steps: Vec<(usize, i64)>,
}

impl Affine {
    fn at(&self, indices: &[i64]) -> i64 {
        self.steps
            .iter()
            .fold(self.base, |sum, &(depth, coefficient)| {
                let index = indices.get(depth).copied().unwrap_or(0);
                sum.wrapping_add(coefficient.wrapping_mul(index))
            })
    }

    /// Returns the lowest and the highest value in loops with these numbers of iterations, clamped to `i64`.
    pub fn extremes(&self, counts: &[i64]) -> [i64; 2] {
        let growths = self.steps.iter().map(|&(depth, coefficient)| {
            let last = counts.get(depth).map_or(0, |count| count.saturating_sub(1));
            coefficient.saturating_mul(last)
        });
        let growths: Vec<i64> = growths.collect();
        [i64::min, i64::max].map(|extreme| {
            let furthest = growths.iter().map(|&growth| extreme(growth, 0));
            furthest.fold(self.base, i64::saturating_add)
        })
    }

    /// Parses a function such as `3-i2+644*i0`.
    fn parse(text: &str) -> Option<Self> {
        let mut affine = Self {
            base: 0,
            steps: Vec::new(),
        };
        let spaced = text.replace('-', "+-");
        for term in spaced.split('+').filter(|term| !term.is_empty()) {
            let (sign, term) = term.strip_prefix('-').map_or((1, term), |term| (-1, term));
            match term.split_once('i') {
                None => affine.base += sign * term.parse::<i64>().ok()?,
                Some((factor, depth)) => {
                    let factor: i64 = match factor.strip_suffix('*') {
                        Some(factor) => factor.parse().ok()?,
                        None if factor.is_empty() => 1,
                        None => return None,
                    };
                    affine.steps.push((depth.parse().ok()?, sign * factor));
                }
            }
        }
        Some(affine)
    }

    pub fn from_json(number: &NumberJson) -> Option<Self> {
        match number {
            NumberJson::Constant(number) => Some(Self {
                base: number.as_i64()?,
                steps: Vec::new(),
            }),
            NumberJson::Function(text) => Self::parse(text),
        }
    }
}

/// Reads a model in the format of `loops --format json`.
///
/// # Errors
/// If `bytes` are not such a model; the message names `path`.
pub fn read_model(path: &Path, bytes: &[u8]) -> Result<Vec<ReplayedLocation>, TraceError> {
    let malformed = |message: String| {
        TraceError::new(ErrorKind::Malformed, message)
            .at(Place::file(path))
            .remedy(Remedy::WriteModels)
    };
    let locations: Vec<LoopsJson> = serde_json::from_slice(bytes).map_err(|error| {
        malformed(format!("{} is not a model", path.display())).caused_by(error)
    })?;
    locations
        .into_iter()
        .map(|location| {
            let nodes = sequence(&location.model, 0).map_err(|problem| {
                malformed(format!(
                    "the model of location {} has {problem}",
                    location.location
                ))
            })?;
            Ok(ReplayedLocation {
                location: location.location,
                label: location.label,
                nodes,
            })
        })
        .collect()
}

/// Maximum nesting depth of loops; a deeper model could overflow the stack.
pub(crate) const MAX_DEPTH: usize = 200;

fn sequence(constructs: &[ConstructJson], depth: usize) -> Result<Vec<Node>, String> {
    if depth > MAX_DEPTH {
        return Err(format!("loops nested deeper than {MAX_DEPTH}"));
    }
    let nodes = constructs.iter().map(|construct| match construct {
        ConstructJson {
            repeated: Some(repeated),
            ..
        } => {
            let count = Affine::from_json(&repeated.count);
            Ok(Node::Loop {
                count: count.ok_or("a loop without a count that is a number or affine")?,
                body: sequence(&repeated.body, depth + 1)?,
            })
        }
        ConstructJson {
            event: Some(event), ..
        } => event_node(event)
            .ok_or_else(|| "an event with an operand that is not affine".to_owned()),
        _ => Err("a construct that is neither an event nor a loop".to_owned()),
    });
    nodes.collect()
}

fn event_node(event: &EventJson) -> Option<Node> {
    let mut rest = &*event.text;
    let (mut pieces, mut functions) = (Vec::new(), Vec::new());
    let functions_of_operands = event.operands.iter().filter_map(|(operand, number)| {
        let NumberJson::Function(text) = number else {
            return None;
        };
        Some(Affine::parse(text).map(|function| (format!("{{{operand}}}"), function)))
    });
    let holes: Vec<_> = functions_of_operands.collect::<Option<_>>()?;
    loop {
        let next = holes
            .iter()
            .filter_map(|(hole, f)| Some((rest.find(hole.as_str())?, hole, f)));
        let Some((at, hole, function)) = next.min_by_key(|(at, _, _)| *at) else {
            break;
        };
        pieces.push(rest[..at].to_owned());
        functions.push(function.clone());
        rest = &rest[at + hole.len()..];
    }
    pieces.push(rest.to_owned());
    Some(Node::Event { pieces, functions })
}

/// Writes the events of the model, each after its position.
///
/// # Errors
/// If `output` cannot be written.
pub fn replay(location: &ReplayedLocation, output: &mut impl Write) -> io::Result<()> {
    walk(&location.nodes, &mut Vec::new(), &mut 0, output)
}

fn walk(
    nodes: &[Node],
    indices: &mut Vec<i64>,
    position: &mut u64,
    output: &mut impl Write,
) -> io::Result<()> {
    for node in nodes {
        match node {
            Node::Event { pieces, functions } => {
                write!(output, "{position}\t{}", pieces[0])?;
                for (function, piece) in functions.iter().zip(&pieces[1..]) {
                    write!(output, "{}{piece}", function.at(indices))?;
                }
                writeln!(output)?;
                *position += 1;
            }
            Node::Loop { count, body } => {
                for index in 0..count.at(indices) {
                    indices.push(index);
                    walk(body, indices, position, output)?;
                    indices.pop();
                }
            }
        }
    }
    Ok(())
}

/// Writes the events that the stored models of `locations` expand to.
///
/// # Errors
/// If a model is damaged, or `out` fails.
pub fn replay_stored(
    store: &StoreReader,
    locations: &[LocationId],
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let (names, symbols) = (store.names(), store.symbols());
    for stored in store.models_of(locations.to_vec())? {
        let stored = stored?;
        // There are few symbols and many events, so each symbol is formatted once.
        let mut texts: Vec<Option<String>> = vec![None; symbols.len()];
        let mut events = 0;
        for (position, symbol) in stored.model.expand(symbols).enumerate() {
            let text = SymbolText {
                exact: true,
                ..SymbolText::new(names, stored.location, symbols.symbol(symbol))
            };
            if symbols.is_tagged(symbol) {
                writeln!(out, "{position}\t{text}")?;
            } else {
                let text = texts[symbol.row()].get_or_insert_with(|| text.to_string());
                writeln!(out, "{position}\t{text}")?;
            }
            events += 1;
        }
        if events != stored.model.events {
            let (location, expected) = (stored.location, stored.model.events);
            let message = format!(
                "the model expands to {events} events, but location {location} has {expected}"
            );
            return Err(TraceError::new(ErrorKind::Malformed, message)
                .at(Place::file(store.path()).location(location))
                .remedy(Remedy::Verify)
                .into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_read_as_they_are_written() {
        let affine = |base, steps: &[(usize, i64)]| {
            Some(Affine {
                base,
                steps: steps.to_vec(),
            })
        };
        assert_eq!(
            Affine::parse("3-i2+644*i0"),
            affine(3, &[(2, -1), (0, 644)])
        );
        assert_eq!(Affine::parse("-5"), affine(-5, &[]));
        assert_eq!(Affine::parse("i0-1"), affine(-1, &[(0, 1)]));
        assert_eq!(Affine::parse("-2*i1"), affine(0, &[(1, -2)]));
        assert_eq!(Affine::parse("x"), None);
    }
}
