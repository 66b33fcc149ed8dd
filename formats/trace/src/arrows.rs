//! Matches sends with receives, for formats that draw messages as arrows.
//!
//! The n-th send from one process to another with a tag matches the n-th receive there. Each end gets its number when
//! it is seen, so that no end has to wait for the other and they can come in any order. This is enough for a picture:
//! communicators are ignored, and an end without a counterpart gets a number as well. A store's derived table of
//! messages is more accurate.

use indexmap::IndexMap;

use crate::{EventKind, LocationId, Names, Operand, Ranks, Symbol, UNDEFINED};

/// An end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// An id that only the two ends of the same message share.
    pub id: u64,
    /// Rank of the sender in the program.
    pub sender: u64,
    /// Rank of the receiver in the program.
    pub receiver: u64,
    /// Whether this is the sending end.
    pub is_send: bool,
}

/// Numbers the messages of a trace.
#[derive(Clone, Debug, Default)]
pub struct Arrows {
    /// Receives and sends so far, by sender, receiver and tag.
    channels: IndexMap<(u64, u64, u64), [u64; 2]>,
}

impl Arrows {
    /// The number of bits of an id that count the messages of a channel.
    const NUMBER: u32 = 40;

    /// Returns the end of a message that an event represents; `None` if the event is no such end or its processes are
    /// unknown.
    pub fn end(
        &mut self,
        location: LocationId,
        symbol: &Symbol,
        names: &Names,
        ranks: &Ranks,
    ) -> Option<Arrow> {
        let is_send = symbol.kind.is_send();
        if !is_send && !symbol.kind.is_receive() && symbol.kind != EventKind::MpiProbe {
            return None;
        }
        let (own, _) = names.rank(location)?;
        let communicator = symbol.get(Operand::Communicator);
        let peer = ranks.rank(communicator, symbol.get(Operand::Peer)?, Some(own));
        let tag = symbol.get(Operand::Tag).unwrap_or(UNDEFINED);
        let (sender, receiver) = if is_send { (own, peer) } else { (peer, own) };
        let entry = self.channels.entry((sender, receiver, tag));
        let channel = entry.index() as u64;
        let count = &mut entry.or_default()[usize::from(is_send)];
        *count += 1;
        Some(Arrow {
            id: (channel << Self::NUMBER) + *count,
            sender,
            receiver,
            is_send,
        })
    }

    /// Returns the ends whose counterpart has not been seen so far.
    pub fn unmatched(&self) -> impl Iterator<Item = Arrow> {
        let channels = (0u64..).zip(&self.channels);
        channels.flat_map(|(channel, (&(sender, receiver, _), &[received, sent]))| {
            (received.min(sent) + 1..=received.max(sent)).map(move |number| Arrow {
                id: (channel << Self::NUMBER) + number,
                sender,
                receiver,
                is_send: sent > received,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Minter;

    #[test]
    fn both_ends_get_one_id_in_any_order() {
        let mut minter = Minter::default();
        let locations = ["a", "b"].map(|name| {
            let process = minter.process(name);
            minter.location(name, process)
        });
        let world = minter.world(&locations);
        let definitions = minter.take();
        let names = Names::new(&definitions);
        let ranks = Ranks::new(&definitions, &names);
        let send = Symbol::new(EventKind::MpiIsend, &[1, world, 7]);
        let receive = Symbol::new(EventKind::MpiRecv, &[0, world, 7]);
        let mut arrows = Arrows::default();
        let mut end =
            |location: usize, symbol| arrows.end(locations[location], symbol, &names, &ranks);
        let received = [end(1, &receive), end(1, &receive)].map(Option::unwrap);
        let sent = [end(0, &send), end(0, &send)].map(Option::unwrap);
        assert_eq!(received.map(|end| end.id), sent.map(|end| end.id));
        assert_ne!(sent[0].id, sent[1].id);
        assert_eq!((sent[0].sender, sent[0].receiver), (0, 1));
        assert!(sent[0].is_send && !received[0].is_send);
        let enter = Symbol::new(EventKind::Enter, &[0]);
        assert_eq!(end(0, &enter), None);
        let lost = end(0, &send);
        assert!(arrows.unmatched().eq(lost));
    }
}
