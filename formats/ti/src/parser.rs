//! Parses the lines of a time-independent trace into events, one line at a time.

use std::collections::HashMap;
use std::path::PathBuf;

use foldtrace_input::{Dialect, Fault, Line, LineParser, Lines};
use foldtrace_trace::{
    Definitions, Demultiplexer, Diagnostic, Diagnostics, Input, LocationId, Place, Severity,
    SymbolTable, TraceError, ValueType,
};

use crate::action::{self, Meaning};
use crate::definitions::Known;
use crate::files;
use crate::rank::{Attribute, Events, Rank};
use crate::words::Words;

/// Parses the lines of one rank, or of all ranks.
pub(crate) struct TiParser {
    known: Known,
    events: Events,
    ranks: HashMap<u64, Rank>,
    own: Option<Own>,
    /// The words of an action, separated by single blanks.
    text: String,
}

/// The rank whose actions a file contains, unless it contains those of all ranks.
struct Own {
    rank: u64,
    ranks: u64,
    file: PathBuf,
    /// The number of lines of other ranks, and the number of the first such line.
    others: u64,
    first_other: u64,
}

impl TiParser {
    /// Creates a parser for the actions of all ranks.
    fn of_all() -> Self {
        Self {
            known: Known::new(),
            events: Events::default(),
            ranks: HashMap::new(),
            own: None,
            text: String::new(),
        }
    }

    /// Creates a parser for the actions of one of `ranks` ranks, which are in `file`.
    pub(crate) fn of_rank(rank: u64, ranks: u64, file: PathBuf) -> Self {
        Self {
            known: Known::of_rank(rank, ranks),
            own: Some(Own {
                rank,
                ranks,
                file,
                others: 0,
                first_other: 0,
            }),
            ..Self::of_all()
        }
    }

    /// Returns whether a line belongs to a rank that is not read, and counts the line if so.
    fn passes_over(&mut self, rank: u64, line: u64) -> bool {
        let Some(own) = &mut self.own else {
            return false;
        };
        if rank == own.rank {
            return false;
        }
        if own.others == 0 {
            own.first_other = line;
        }
        own.others += 1;
        true
    }
}

impl LineParser for TiParser {
    const DIALECT: Dialect = Dialect {
        bad_line: (Severity::Loss, "ti.bad_line"),
        // Times are sums of amounts, so they never decrease.
        time_backwards: None,
        unreadable: (Severity::Loss, "ti.unreadable"),
    };

    fn open(input: Input) -> Result<(Self, Lines), TraceError> {
        let input = files::shared(input)?;
        Ok((Self::of_all(), Lines::open(input)?))
    }

    fn take_other(&mut self, line: Line<'_>) -> Result<bool, Fault> {
        let word = Words::of(line.bytes).next();
        Ok(word.is_empty() || word.bytes.starts_with(b"#"))
    }

    fn take(&mut self, line: Line<'_>) -> Result<(), Fault> {
        if self.take_other(line)? {
            return Ok(());
        }
        let mut words = Words::of(line.bytes);
        let number = words.next().rank()?;
        let name = words.next();
        let Ok(text) = std::str::from_utf8(&line.bytes[name.at..]) else {
            return Err(Fault::expected("text", &line.bytes[name.at..], name.at));
        };
        let known = action::find(name.bytes);
        let is_a_name = name.bytes.first().is_some_and(u8::is_ascii_alphabetic);
        // The name in an incomplete last line may be truncated.
        if known.is_none() && !(is_a_name && line.is_whole) {
            return Err(Fault::expected("an action", name.bytes, name.at)
                .hint("a line says which rank does what: '0 compute 1000'"));
        }
        if self.passes_over(number, line.number) {
            return Ok(());
        }
        let meaning = known.map_or(Meaning::Call, |(_, action)| action.meaning);
        let attribute = match self.known.amount(meaning) {
            Some(id) => Attribute {
                id,
                value_type: ValueType::Double,
                value: words.clone().next().amount("an amount")?.to_bits(),
            },
            None => {
                self.text.clear();
                let mut spelled = text.split_ascii_whitespace();
                let name = spelled.next().unwrap_or_default();
                let replayed = known.filter(|(_, action)| action.is_replayed);
                self.text
                    .push_str(replayed.map_or(name, |(_, action)| action.name));
                for word in spelled {
                    self.text.push(' ');
                    self.text.push_str(word);
                }
                Attribute {
                    id: self.known.action,
                    value_type: ValueType::String,
                    value: self.known.minter.string(&self.text),
                }
            }
        };
        let region = match known {
            Some((index, _)) => self.known.region(index),
            None => {
                let name = text.split_ascii_whitespace().next();
                self.known.minter.region(name.unwrap_or_default())
            }
        };
        let ranks = match &self.own {
            Some(own) => Some(own.ranks),
            None => {
                self.known.rank(number);
                None
            }
        };
        let events = &mut self.events;
        let rank = self.ranks.entry(number).or_insert_with(|| {
            let slot = events.demultiplexer.slot(LocationId(number));
            Rank::new(number, slot, ranks)
        });
        rank.act(meaning, words, region, &attribute, events)
    }

    fn finish(&mut self, diagnostics: &mut Diagnostics) {
        let mut ranks: Vec<_> = self.ranks.drain().collect();
        ranks.sort_unstable_by_key(|&(number, _)| number);
        for (_, mut rank) in ranks {
            rank.finish(&mut self.events);
        }
        match &self.own {
            None => self.known.world(),
            Some(own) if own.others > 0 => {
                let message = format!("expected actions of rank {} alone", own.rank);
                let diagnostic = Diagnostic::new(Severity::Loss, "ti.other_rank", message)
                    .at(Place::file(&own.file).line(own.first_other))
                    .hint("a replay passes over what is not of the rank either");
                diagnostics.report_many(diagnostic, own.others);
            }
            Some(_) => {}
        }
    }

    fn take_definitions(&mut self) -> Definitions {
        self.known.minter.take()
    }

    fn events(&mut self) -> &mut Demultiplexer {
        &mut self.events.demultiplexer
    }

    fn symbols(&self) -> &SymbolTable {
        &self.events.symbols
    }
}
