//! Parses the lines of a time-independent trace into events, one line at a time.

use std::collections::HashMap;
use std::path::PathBuf;

use foldtrace_input::{Dialect, Fault, Line, LineParser, Lines};
use foldtrace_trace::{
    Definitions, Demultiplexer, Diagnostic, Diagnostics, Input, LocationId, Place, Severity,
    SymbolTable, TraceError, ValueType,
};

use crate::action::{self, Effect};
use crate::definitions::TraceDefinitions;
use crate::files;
use crate::lexer::Lexer;
use crate::rank::{Attribute, Events, Rank};

/// Parses the lines of one rank, or of all ranks.
pub(crate) struct TiParser {
    definitions: TraceDefinitions,
    events: Events,
    ranks: HashMap<u64, Rank>,
    file_rank: Option<FileRank>,
    /// The words of an action, separated by single blanks.
    text: String,
}

/// The rank whose actions a file contains, unless it contains those of all ranks.
struct FileRank {
    rank: u64,
    ranks: u64,
    file: PathBuf,
    /// The number of lines of other ranks, and the number of the first such line.
    others: u64,
    first_other: u64,
}

impl TiParser {
    /// Creates a parser for the actions of all ranks.
    fn for_all_ranks() -> Self {
        Self {
            definitions: TraceDefinitions::new(),
            events: Events::default(),
            ranks: HashMap::new(),
            file_rank: None,
            text: String::new(),
        }
    }

    /// Creates a parser for the actions of one of `ranks` ranks, which are in `file`.
    pub(crate) fn for_rank(rank: u64, ranks: u64, file: PathBuf) -> Self {
        Self {
            definitions: TraceDefinitions::for_rank(rank, ranks),
            file_rank: Some(FileRank {
                rank,
                ranks,
                file,
                others: 0,
                first_other: 0,
            }),
            ..Self::for_all_ranks()
        }
    }

    /// Returns whether a line belongs to a rank that the file must not contain, and counts such lines.
    fn skips(&mut self, rank: u64, line: u64) -> bool {
        let Some(own) = self.file_rank.as_mut().filter(|own| own.rank != rank) else {
            return false;
        };
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
        let input = files::single(input)?;
        Ok((Self::for_all_ranks(), Lines::open(input)?))
    }

    fn take_other(&mut self, line: Line<'_>) -> Result<bool, Fault> {
        let word = Lexer::new(line.bytes).next();
        Ok(word.is_empty() || word.bytes.starts_with(b"#"))
    }

    fn take(&mut self, line: Line<'_>) -> Result<(), Fault> {
        if self.take_other(line)? {
            return Ok(());
        }
        let mut words = Lexer::new(line.bytes);
        let number = words.next().rank()?;
        let name = words.next();
        let Ok(text) = std::str::from_utf8(&line.bytes[name.at..]) else {
            return Err(Fault::expected("text", &line.bytes[name.at..], name.at));
        };
        let found = action::find(name.bytes);
        let is_a_name = name.bytes.first().is_some_and(u8::is_ascii_alphabetic);
        // The name in an incomplete last line may be truncated.
        if found.is_none() && !(is_a_name && line.is_whole) {
            return Err(Fault::expected("an action", name.bytes, name.at)
                .hint("each line contains a rank and its action, as in '0 compute 1000'"));
        }
        if self.skips(number, line.number) {
            return Ok(());
        }
        let effect = found.map_or(Effect::Call, |(_, action)| action.effect);
        let attribute = match self.definitions.amount_attribute(effect) {
            Some(id) => Attribute {
                id,
                value_type: ValueType::Double,
                value: words.clone().next().amount("an amount")?.to_bits(),
            },
            None => {
                self.text.clear();
                let mut spelling = text.split_ascii_whitespace();
                let name = spelling.next().unwrap_or_default();
                let replayed = found.filter(|(_, action)| action.is_replayed);
                self.text
                    .push_str(replayed.map_or(name, |(_, action)| action.name));
                for word in spelling {
                    self.text.push(' ');
                    self.text.push_str(word);
                }
                Attribute {
                    id: self.definitions.action,
                    value_type: ValueType::String,
                    value: self.definitions.minter.string(&self.text),
                }
            }
        };
        let region = match found {
            Some((index, _)) => self.definitions.region(index),
            None => {
                let name = text.split_ascii_whitespace().next();
                self.definitions.minter.region(name.unwrap_or_default())
            }
        };
        let ranks = match &self.file_rank {
            Some(own) => Some(own.ranks),
            None => {
                self.definitions.define_ranks_up_to(number);
                None
            }
        };
        let events = &mut self.events;
        let rank = self.ranks.entry(number).or_insert_with(|| {
            let slot = events.demultiplexer.slot(LocationId(number));
            Rank::new(number, slot, ranks)
        });
        rank.execute(effect, words, region, &attribute, events)
    }

    fn finish(&mut self, diagnostics: &mut Diagnostics) {
        let mut ranks: Vec<_> = self.ranks.drain().collect();
        ranks.sort_unstable_by_key(|&(number, _)| number);
        for (_, mut rank) in ranks {
            rank.finish(&mut self.events);
        }
        match &self.file_rank {
            None => self.definitions.define_world(),
            Some(own) if own.others > 0 => {
                let message = format!("expected only actions of rank {}, found others", own.rank);
                let diagnostic = Diagnostic::new(Severity::Loss, "ti.other_rank", message)
                    .at(Place::file(&own.file).line(own.first_other))
                    .hint("a replay also skips the actions of other ranks");
                diagnostics.report_many(diagnostic, own.others);
            }
            Some(_) => {}
        }
    }

    fn take_definitions(&mut self) -> Definitions {
        self.definitions.minter.take()
    }

    fn events(&mut self) -> &mut Demultiplexer {
        &mut self.events.demultiplexer
    }

    fn symbols(&self) -> &SymbolTable {
        &self.events.symbols
    }
}
