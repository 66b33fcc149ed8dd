//! Reads annotations in the text of a global model, as in figure 8 of RR-8562.
//!
//! The text is the output of `foldtrace loops STORE --global`, with annotations between its lines:
//! `get "before" {0,1,5}.time ->` applies to the construct after it, and an annotation with `<-` to the construct
//! before it. All other lines are compared with the model, so that a text of another store, or of another selection
//! of events, is detected.

use std::path::Path;

use foldtrace_fold::merge::{Construct, System};
use foldtrace_program::global::ProgramLabels;
use foldtrace_trace::{ErrorKind, Place, Remedy, TraceError};

use super::request::{At, Attribute, Get, Instances, Number, Print, Request};

/// Reads the annotations in a text of a model; `path` is the file that it comes from.
///
/// # Errors
/// If an annotation is malformed or the text does not match the model.
pub fn annotated(text: &str, path: &Path, words: ProgramLabels<'_>) -> Result<Request, TraceError> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let is_empty = |line: &str| line.is_empty() || line.starts_with("//");
    let mut reader = Reader {
        lines: lines
            .filter(|(_, line)| !is_empty(line))
            .collect::<Vec<_>>()
            .into_iter(),
        line: text.lines().count().max(1) as u64,
        path,
        words,
        request: Request::default(),
        leads: Vec::new(),
    };
    reader.system(&words.program.model.system, &mut Vec::new())?;
    let Reader { request, .. } = reader;
    if request.gets.is_empty() {
        let message = format!("{} has no annotations", path.display());
        return Err(TraceError::new(ErrorKind::Malformed, message)
            .at(Place::file(path))
            .hint(GET));
    }
    Ok(request)
}

const GET: &str = "an annotation looks like this: get \"before\" {0,1,5}.time ->";
const OMITTED: &str = "'...' replaces omitted constructs";

struct Reader<'a> {
    lines: std::vec::IntoIter<(u64, &'a str)>,
    /// The number of the current line.
    line: u64,
    path: &'a Path,
    words: ProgramLabels<'a>,
    request: Request,
    /// Whether each annotation applies to the construct after it.
    leads: Vec<bool>,
}

impl<'a> Reader<'a> {
    fn error(&self, message: impl Into<String>, hint: &str) -> TraceError {
        TraceError::new(ErrorKind::Malformed, message)
            .at(Place::file(self.path).line(self.line))
            .hint(hint)
    }

    /// Returns the error for a text that is not that of the model.
    fn differs(&self, message: impl Into<String>) -> TraceError {
        self.error(message, OMITTED).remedy(Remedy::AnnotateModel)
    }

    fn next(&mut self) -> Option<&'a str> {
        let (line, text) = self.lines.next()?;
        self.line = line;
        Some(text)
    }

    /// Reads a system up to its end; `path` is the number of the loop whose body it is.
    fn system(&mut self, system: &System, path: &mut Vec<usize>) -> Result<(), TraceError> {
        let constructs = &system.constructs;
        let (mut index, mut is_elided) = (0, false);
        let mut previous: Option<Number> = None;
        let mut waiting: Vec<usize> = Vec::new();
        loop {
            let line = self.next();
            let is_end = match line {
                None => true,
                Some(line) => !path.is_empty() && is_text(line, "done"),
            };
            if is_end {
                if !waiting.is_empty() {
                    return Err(self.error(
                        "no construct follows the annotation",
                        "'<-' annotates the construct before it",
                    ));
                }
                if line.is_none() && !path.is_empty() {
                    return Err(self.differs("expected 'done', found the end of the text"));
                }
                return match constructs.get(index) {
                    Some(expected) if !is_elided => {
                        let expected = self.text(expected, path.len());
                        let found = line.map_or("the end of the text", |_| "'done'");
                        Err(self.differs(format!("expected '{expected}', found {found}")))
                    }
                    _ => Ok(()),
                };
            }
            let line = line.unwrap_or_default();
            if line == "..." {
                (is_elided, previous) = (true, None);
            } else if let Some(get) = line.strip_prefix("get ") {
                if self.get(get)? {
                    waiting.push(self.request.gets.len() - 1);
                } else {
                    let Some(previous) = previous.clone() else {
                        return Err(self.error(
                            "no construct directly precedes the annotation",
                            "'->' annotates the construct after it",
                        ));
                    };
                    self.attach(self.request.gets.len() - 1, previous);
                }
            } else if let Some(names) = line.strip_prefix("print ") {
                self.print(names)?;
            } else {
                let last = if is_elided {
                    constructs.len()
                } else {
                    constructs.len().min(index + 1)
                };
                let found = (index..last).find(|&index| {
                    path.push(index + 1);
                    let is_this = self.is_construct(line, &constructs[index], path);
                    path.pop();
                    is_this
                });
                let Some(found) = found else {
                    let expected = match constructs.get(index) {
                        _ if is_elided => "one of the remaining constructs".to_owned(),
                        Some(construct) => format!("'{}'", self.text(construct, path.len())),
                        None if path.is_empty() => "the end of the text".to_owned(),
                        None => "'done'".to_owned(),
                    };
                    return Err(self.differs(format!("expected {expected}, found '{line}'")));
                };
                path.push(found + 1);
                let number = Number(path.clone());
                for get in waiting.drain(..) {
                    self.attach(get, number.clone());
                }
                if let Some((_, body)) = constructs[found].as_loop() {
                    self.system(body, path)?;
                }
                path.pop();
                (index, is_elided, previous) = (found + 1, false, Some(number));
            }
        }
    }

    fn attach(&mut self, get: usize, construct: Number) {
        if let Some(get) = self.request.gets.get_mut(get) {
            get.construct = construct;
        }
    }

    /// Returns the first line of the text of a construct.
    fn text(&self, construct: &Construct, depth: usize) -> String {
        match construct.as_loop() {
            Some((count, _)) => format!("for i{depth} = 0 to {}", count.saturating_sub(1)),
            None => self.words.construct(construct, depth),
        }
    }

    /// Returns whether a line is the given construct; its number has to match if the line has one.
    fn is_construct(&self, line: &str, construct: &Construct, path: &[usize]) -> bool {
        let text = self.text(construct, path.len() - 1);
        let Some(comment) = line.strip_prefix(&*text).map(str::trim_start) else {
            return false;
        };
        let Some(comment) = comment.strip_prefix("//").map(str::trim_start) else {
            return comment.is_empty();
        };
        let number = comment.strip_prefix('[').and_then(|c| c.split_once(']'));
        number.is_none_or(|(number, _)| number == Number(path.to_vec()).to_string())
    }

    /// Adds an annotation and returns whether it applies to the construct after it.
    fn get(&mut self, text: &str) -> Result<bool, TraceError> {
        let malformed = |reader: &Self, expected: &str| {
            reader.error(format!("expected {expected}, found '{text}'"), GET)
        };
        let rest = text
            .trim_start()
            .strip_prefix('"')
            .and_then(|t| t.split_once('"'));
        let Some((label, rest)) = rest else {
            return Err(malformed(self, "a label in quotes"));
        };
        let rest = rest
            .trim_start()
            .strip_prefix('{')
            .and_then(|t| t.split_once("}."));
        let Some((processes, rest)) = rest else {
            return Err(malformed(self, "processes in braces, followed by a dot"));
        };
        let mut parts = rest.split_whitespace();
        let attributes = parts.next().unwrap_or_default();
        let mut get = Get {
            label: label.to_owned(),
            construct: Number(Vec::new()),
            instances: Instances::Construct,
            at: At::First,
            processes: Vec::new(),
        };
        let mut at = None;
        let leads = loop {
            match parts.next() {
                Some("iterations") => get.instances = Instances::Iterations,
                Some("->") => break true,
                Some("<-") => break false,
                Some(word) if At::from_name(word).is_some() => at = At::from_name(word),
                None => return Err(malformed(self, "'->' or '<-' at the end")),
                Some(word) => {
                    let parts = At::ALL.map(At::name).join("', '");
                    let message =
                        format!("expected 'iterations', '{parts}', '->' or '<-', found '{word}'");
                    return Err(self.error(message, GET));
                }
            }
        };
        if parts.next().is_some_and(|rest| !rest.starts_with("//")) {
            return Err(malformed(self, "nothing after the arrow"));
        }
        get.at = at.unwrap_or(if leads { At::First } else { At::After });
        let place = Place::file(self.path).line(self.line);
        let here = |error: TraceError| error.at(place.clone());
        if processes.trim() != "*" {
            get.processes = Get::parse_processes(self.words.names, processes).map_err(here)?;
        }
        let attributes = Attribute::parse_list(attributes).map_err(here)?;
        self.request.add_attributes(&attributes);
        self.request.gets.push(get);
        self.leads.push(leads);
        Ok(leads)
    }

    /// Adds a record of several annotations, named by their labels, or by `start` and `end` for the last annotation
    /// with `->` and with `<-`.
    fn print(&mut self, names: &str) -> Result<(), TraceError> {
        let names = names.split("//").next().unwrap_or_default();
        let names = names.split(',').map(|name| name.trim().trim_matches('"'));
        let mut parts = Vec::new();
        for name in names {
            let gets = &self.request.gets;
            let called = gets.iter().rposition(|get| get.label == name);
            let found = called.or_else(|| match name {
                "start" => self.leads.iter().rposition(|leads| *leads),
                "end" => self.leads.iter().rposition(|leads| !leads),
                _ => None,
            });
            let Some(found) = found else {
                let message = format!("no previous annotation has the label '{name}'");
                let hint = "print labels separated by commas, or start,end for the last annotations with '->' and '<-'";
                return Err(self.error(message, hint));
            };
            parts.push((name.to_owned(), found));
        }
        let names =
            |parts: &[(String, usize)]| parts.iter().map(|p| p.0.clone()).collect::<Vec<_>>();
        let first = self.request.prints.first().map(|print| names(&print.parts));
        if first.is_some_and(|first| first != names(&parts)) {
            let message = "this 'print' has other labels than the first one, but all rows of a table have the same columns";
            return Err(self.error(message, "extract them separately"));
        }
        let mut seen = names(&parts);
        seen.sort();
        seen.dedup();
        if seen.len() < parts.len() {
            return Err(self.error("a 'print' has the same label twice", "name each label once"));
        }
        self.request.prints.push(Print { parts });
        Ok(())
    }
}

/// Returns whether a line is the given text, except for a comment.
fn is_text(line: &str, text: &str) -> bool {
    let rest = line.strip_prefix(text).map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("//"))
}
