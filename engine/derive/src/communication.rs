//! Writes the tables that need the events of all locations in chronological order: messages and collective operations.

use foldtrace_matching::{Census, Collectives, Communicators, Matching, Messages, RankRange};
use foldtrace_store::DerivedFolder;
use foldtrace_stream::memory::{Plan, waiting};
use foldtrace_stream::read::Progress;
use foldtrace_stream::timeline::{Passing, Timeline, TimelineEvent};
use foldtrace_trace::{Diagnostics, SymbolTable, TraceError, TraceReader};

use crate::collectives::CollectivesWriter;
use crate::messages::MessagesWriter;
use crate::rows::{Finished, RowWriter};
use crate::share::TaskShare;

/// The tables of messages and of collective operations.
#[derive(Default)]
pub(crate) struct Communication {
    /// The messages, with a file for each group of receivers of the task.
    pub messages: Option<Finished>,
    /// The collective operations.
    pub collectives: Option<Finished>,
    /// The problems: those of messages in the order of the groups of receivers.
    pub diagnostics: Diagnostics,
}

/// Writes the tables that are in the share of a task. `memory` limits the number of events that are buffered to put them into
/// chronological order.
///
/// # Errors
/// Returns an error if the store is damaged, the output cannot be written, or the work was stopped.
pub(crate) fn write(
    folder: DerivedFolder<'_>,
    share: &TaskShare,
    memory: Option<Plan>,
    progress: &Progress,
) -> Result<Communication, TraceError> {
    let mut written = Communication::default();
    if share.receivers.is_none() && !share.has_collectives {
        return Ok(written);
    }
    let store = folder.store;
    let census = Census::from_store(store, progress)?;
    let (definitions, symbols) = (store.definitions(), store.symbols());
    let communicators = Communicators::new(definitions, store.names(), &census, symbols);
    let mut messages = match &share.receivers {
        Some(receivers) => Some(MatchedTable {
            matching: Messages::new(store.names(), &communicators, &census, symbols)
                .with_receivers(receivers.ranks)
                .with_groups(&receivers.groups),
            writer: MessagesWriter::create(folder, receivers)?,
        }),
        None => None,
    };
    let mut collectives = None;
    if share.has_collectives {
        collectives = Some(MatchedTable {
            matching: Collectives::new(store.names(), &communicators, &census, symbols),
            writer: CollectivesWriter::create(folder)?,
        });
    }
    let is_matched = symbols.iter().map(|(_, symbol)| {
        Messages::needs(symbol.kind) && messages.is_some()
            || Collectives::needs(symbol.kind) && collectives.is_some()
    });
    let is_matched: Vec<bool> = is_matched.collect();
    let is_wanted = |event: Passing, _: &SymbolTable| is_matched[event.symbol.row()];
    let ranks = share.receivers.as_ref().map(|receivers| receivers.ranks);
    let divided = messages
        .as_ref()
        .filter(|_| collectives.is_none() && ranks != Some(RankRange::ALL));
    let concerned = divided.map(|messages| messages.matching.locations());
    let is_concerned =
        |location| (concerned.as_ref()).is_none_or(|concerned| concerned.contains(&location));
    let waiting = waiting(memory);
    let mut timeline = Timeline::of_locations(store, is_concerned, false, progress, waiting)?;
    while let Some(next) = timeline.next_of(is_wanted)? {
        if let Some(messages) = &mut messages {
            messages.take(&next, symbols)?;
        }
        if let Some(collectives) = &mut collectives {
            collectives.take(&next, symbols)?;
        }
    }
    if let Some(messages) = messages {
        written.messages = Some(messages.finish(&mut written.diagnostics)?);
    }
    if let Some(collectives) = collectives {
        written.collectives = Some(collectives.finish(&mut written.diagnostics)?);
    }
    Ok(written)
}

/// A kind of matching, with the writer of the table of its results.
struct MatchedTable<M, W> {
    matching: M,
    writer: W,
}

impl<M: Matching, W: RowWriter<Row = M::Match>> MatchedTable<M, W> {
    fn take(&mut self, next: &TimelineEvent, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.matching.take(next.location, &next.event, symbols);
        let mut found = self.matching.found();
        found.try_for_each(|row| self.writer.write(row))
    }

    fn finish(mut self, diagnostics: &mut Diagnostics) -> Result<Finished, TraceError> {
        let (last, problems) = self.matching.finish();
        diagnostics.merge(problems);
        last.into_iter()
            .try_for_each(|row| self.writer.write(row))?;
        self.writer.finish()
    }
}
