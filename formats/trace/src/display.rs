//! Formats events as text: the lines that `print`, the loop models and the text format share.
//!
//! Messages and collectives are written as in Ketterlin et al., section II.B: `0 send 1 17`, `1 recv 0 17` (the
//! second number is the receiver, which executes the event), `0 sync MPI_Allreduce 0-15`. All other events are local:
//! `0 local enter main`. The grammar is in `schemas/text.md`.

use std::fmt::{self, Write as _};

use crate::{
    AttributeColumns, COLLECTIVES, DefinitionKind, EventBatch, EventKind, EventRef, LocationId,
    LocationLabel, MetricColumns, Names, Operand, Quantity, Symbol, SymbolTable, UNDEFINED,
};

/// A symbol at a location, as text.
#[derive(Clone, Copy, Debug)]
pub struct SymbolText<'a> {
    /// The names of ids.
    pub names: &'a Names,
    /// The location that executes the event.
    pub location: LocationId,
    /// The symbol.
    pub symbol: Symbol,
    /// Whether the text must identify the exact ids, or only be readable.
    pub exact: bool,
    /// A text to use instead of the location's label, for a text that applies to several locations.
    pub label: Option<&'a str>,
    /// Texts that replace the operands in some slots, for a model that has a function of its loop indices instead of
    /// a number.
    pub functions: &'a [(usize, String)],
}

/// A part of the text of a symbol.
#[derive(Clone, Copy)]
enum Part<'a> {
    Text(&'a str),
    Number(u64),
    Location(LocationLabel),
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Location(label) => label.fmt(f),
        }
    }
}

impl<'a> SymbolText<'a> {
    /// Creates the readable text of a symbol at `location`.
    #[must_use]
    pub fn new(names: &'a Names, location: LocationId, symbol: Symbol) -> Self {
        Self {
            names,
            location,
            symbol,
            exact: false,
            label: None,
            functions: &[],
        }
    }

    fn label(&self) -> Part<'a> {
        let own = || Part::Location(self.names.location_label(self.location));
        self.label.map_or_else(own, Part::Text)
    }

    fn operand(&self, operand: Operand) -> Option<Part<'a>> {
        let slot = self.symbol.kind.slot(operand)?;
        if let Some((_, text)) = self.functions.iter().find(|(s, _)| *s == slot) {
            return Some(Part::Text(text));
        }
        let value = self.symbol.operands[slot];
        (value != UNDEFINED).then_some(Part::Number(value))
    }

    fn required(&self, operand: Operand) -> Part<'a> {
        self.operand(operand).unwrap_or(Part::Text("*"))
    }

    fn communicator(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.symbol.get(Operand::Communicator);
        if id.is_none() || id != self.names.world() {
            match id {
                Some(id) => write!(f, " comm={id}")?,
                None => f.write_str(" comm=*")?,
            }
        }
        Ok(())
    }

    fn collective(&self, f: &mut fmt::Formatter<'_>, verb: &str) -> fmt::Result {
        let code = self.symbol.get(Operand::Operation);
        write!(f, "{} {verb} ", self.label())?;
        match code.and_then(|code| COLLECTIVES.name(code)) {
            Some(name) => f.write_str(name)?,
            None => write!(f, "{}", self.required(Operand::Operation))?,
        }
        let communicator = self.symbol.get(Operand::Communicator);
        match communicator.and_then(|id| self.names.members(id)) {
            Some(members) if !members.is_empty() => write!(f, " {}", format_set(members))?,
            _ => f.write_str(" *")?,
        }
        self.communicator(f)?;
        if let Some(root) = self.operand(Operand::Root) {
            write!(f, " root={root}")?;
        }
        Ok(())
    }

    /// Writes a local event in the trace's own words, quoted if they could be mistaken for something else.
    fn description(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(id) = self.symbol.get(Operand::String) else {
            return f.write_str(" local");
        };
        let text = self.names.string(id);
        if text.is_empty() {
            return write!(f, " local string={id}");
        }
        let is_kind = |text: &str| {
            text.split(' ')
                .next()
                .and_then(EventKind::from_name)
                .is_some()
        };
        let plain = |c: char| !c.is_control() && !"\"=#\\".contains(c);
        if text.chars().all(plain) && text.trim() == text && !is_kind(text) {
            write!(f, " {text}")?;
        } else {
            f.write_char(' ')?;
            quote(f, text)?;
        }
        // Several strings may have this text.
        if self.exact {
            write!(f, " string={id}")
        } else {
            Ok(())
        }
    }

    fn local(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.symbol.kind;
        write!(f, "{} local", self.label())?;
        if kind == EventKind::Local {
            return self.description(f);
        }
        write!(f, " {kind}")?;
        for &operand in kind.operands() {
            let Some(text) = self.operand(operand) else {
                continue;
            };
            let id = self.symbol.get(operand).unwrap_or(UNDEFINED);
            match operand {
                Operand::Region => {
                    let name = self.names.name(DefinitionKind::Region, id).unwrap_or("");
                    if !name.is_empty() {
                        write!(f, " {}", Quoted(name))?;
                    }
                    let leads_back = !name.is_empty() && self.names.region_called(name) == Some(id);
                    if name.is_empty() || (self.exact && !leads_back) {
                        write!(f, " region={id}")?;
                    }
                }
                Operand::Metric if !self.exact => match self.names.title(&self.symbol) {
                    Some(title) => write!(f, " {}", Quoted(title))?,
                    None => write!(f, " {operand}={text}")?,
                },
                _ => write!(f, " {operand}={text}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for SymbolText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.symbol.kind;
        let me = || self.label();
        match kind {
            EventKind::MpiSend | EventKind::MpiIsend => {
                let verb = if kind == EventKind::MpiSend {
                    "send"
                } else {
                    "isend"
                };
                let (peer, tag) = (self.required(Operand::Peer), self.required(Operand::Tag));
                write!(f, "{} {verb} {peer} {tag}", me())?;
                self.communicator(f)
            }
            EventKind::MpiRecv | EventKind::MpiIrecv => {
                let verb = if kind == EventKind::MpiRecv {
                    "recv"
                } else {
                    "irecv"
                };
                let (peer, tag) = (self.required(Operand::Peer), self.required(Operand::Tag));
                write!(f, "{peer} {verb} {} {tag}", me())?;
                self.communicator(f)
            }
            EventKind::MpiCollectiveEnd => self.collective(f, "sync"),
            EventKind::NonBlockingCollectiveComplete => self.collective(f, "isync"),
            _ => self.local(f),
        }
    }
}

/// The text of a symbol without its location: the name of the callee, or the kind of event and its operands.
#[derive(Clone, Copy, Debug)]
pub struct LabelText<'a> {
    /// The names of ids.
    pub names: &'a Names,
    /// The symbol.
    pub symbol: Symbol,
}

impl fmt::Display for LabelText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { names, symbol } = *self;
        let is_call = matches!(
            symbol.kind,
            EventKind::Enter | EventKind::CallingContextEnter
        );
        if is_call {
            let region = names.callee(&symbol);
            let name = region.and_then(|id| names.name(DefinitionKind::Region, id));
            match (name.filter(|name| !name.is_empty()), region) {
                (Some(name), _) => return Printable(name).fmt(f),
                (None, Some(id)) => return write!(f, "region {id}"),
                (None, None) => {}
            }
        }
        write!(f, "{}", symbol.kind)?;
        let title = names.title(&symbol);
        if let Some(title) = title {
            write!(f, " {}", Quoted(title))?;
        }
        for &operand in symbol.kind.operands() {
            let is_in_title = matches!(
                operand,
                Operand::Region
                    | Operand::String
                    | Operand::Operation
                    | Operand::Parameter
                    | Operand::Metric
            );
            let value = symbol.get(operand);
            let is_world = operand == Operand::Communicator && value == names.world();
            if let Some(value) = value
                && !(is_world || (is_in_title && title.is_some()))
            {
                write!(f, " {operand}={value}")?;
            }
        }
        Ok(())
    }
}

/// An event with all its data, as text from which it can be read back.
#[derive(Clone, Copy, Debug)]
pub struct EventText<'a> {
    /// The names of ids.
    pub names: &'a Names,
    /// The location of the event.
    pub location: LocationId,
    /// The event.
    pub event: EventRef,
    /// Its symbol.
    pub symbol: Symbol,
    /// The columns with its values, if it is a metric event.
    pub metrics: &'a MetricColumns,
    /// The columns with its attributes.
    pub attributes: &'a AttributeColumns,
}

impl<'a> EventText<'a> {
    /// Creates the text of an event of a batch; `symbols` is the table of the stream that filled the batch.
    #[must_use]
    pub fn new(
        names: &'a Names,
        batch: &'a EventBatch,
        event: EventRef,
        symbols: &SymbolTable,
    ) -> Self {
        Self {
            names,
            location: batch.location,
            event,
            symbol: symbols.symbol(event.symbol),
            metrics: &batch.metrics,
            attributes: &batch.attributes,
        }
    }
}

impl fmt::Display for EventText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            names,
            location,
            event,
            symbol,
            metrics: m,
            attributes: a,
        } = *self;
        let text = SymbolText {
            exact: true,
            ..SymbolText::new(names, location, symbol)
        };
        write!(f, "{text} time={}", event.time)?;
        for &quantity in symbol.kind.quantities() {
            let value = event.quantities[quantity as usize];
            if quantity == Quantity::Value && symbol.kind.has_signed_value() {
                write!(f, " {quantity}={}", value as i64)?;
            } else if value != UNDEFINED || quantity == Quantity::Value {
                write!(f, " {quantity}={value}")?;
            }
        }
        for row in m.rows(event.index) {
            write!(
                f,
                " value.{}={}:{}",
                m.member[row],
                m.value_type[row].name(),
                m.value[row]
            )?;
        }
        for row in a.rows(event.index) {
            write!(
                f,
                " attribute.{}={}:{}",
                a.attribute[row],
                a.value_type[row].name(),
                a.value[row]
            )?;
        }
        Ok(())
    }
}

/// A name with control characters as escapes such as `\u{1b}`, because a terminal would interpret them and
/// pictures cannot contain them. All other characters are unchanged.
#[derive(Clone, Copy, Debug)]
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(char::is_control) {
            let (plain, control) = rest.split_at(at);
            f.write_str(plain)?;
            let mut chars = control.chars();
            if let Some(c) = chars.next() {
                write!(f, "{}", c.escape_unicode())?;
            }
            rest = chars.as_str();
        }
        f.write_str(rest)
    }
}

/// A name as one word, in double quotes if it has spaces, quotes, equals signs or other special characters.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(
    /// The name.
    pub &'a str,
);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| !c.is_whitespace() && !c.is_control() && !"\"=#\\".contains(c);
        if !self.0.is_empty() && self.0.chars().all(plain) {
            return f.write_str(self.0);
        }
        quote(f, self.0)
    }
}

fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "{}", c.escape_unicode())?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

/// Formats a set of ranks as ranges in the given order: `0-3,8`.
#[must_use]
pub fn format_set(members: &[u64]) -> String {
    let mut text = String::new();
    let mut rest = members;
    while let Some(&first) = rest.first() {
        let run = rest
            .iter()
            .enumerate()
            .take_while(|&(i, &m)| first.checked_add(i as u64) == Some(m))
            .count();
        let separator = if text.is_empty() { "" } else { "," };
        let last = rest[run - 1];
        let _ = if run == 1 {
            write!(text, "{separator}{first}")
        } else {
            write!(text, "{separator}{first}-{last}")
        };
        rest = &rest[run..];
    }
    text
}

/// Formats labels of locations, as in `0-3,8` if they are ranks.
#[must_use]
pub fn format_labels(labels: &[String]) -> String {
    let ranks: Option<Vec<u64>> = labels.iter().map(|label| label.parse().ok()).collect();
    ranks.map_or_else(|| labels.join(","), |ranks| format_set(&ranks))
}

/// Parses a set in the format of [`format_set`] and returns its members; `None` if the text is not such a set or has
/// more than 2^24 members.
#[must_use]
pub fn parse_set(text: &str) -> Option<Vec<u64>> {
    const LIMIT: u64 = 1 << 24;
    let mut members = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || last - first >= LIMIT || members.len() as u64 >= LIMIT {
            return None;
        }
        members.extend(first..=last);
    }
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sets_come_back(members in prop::collection::vec(0u64..40, 1..20)) {
            prop_assert_eq!(parse_set(&format_set(&members)), Some(members));
        }
    }

    #[test]
    fn names_are_quoted_where_a_reader_would_stumble() {
        assert_eq!(Quoted("mpi_send_").to_string(), "mpi_send_");
        assert_eq!(
            Quoted("int main(int, char**)").to_string(),
            "\"int main(int, char**)\""
        );
        assert_eq!(Quoted("a\"b\\\n").to_string(), "\"a\\\"b\\\\\\n\"");
        assert_eq!(Quoted("").to_string(), "\"\"");
    }
}
