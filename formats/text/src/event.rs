//! The grammar of an event line, without name resolution.
//!
//! A line is parsed into a kind, operands by slot, quantities and texts that are resolved later, so format
//! recognition and reading share one grammar.

use std::fmt;

use foldtrace_input::{Fault, show};
use foldtrace_notation::{
    EventField, LineWords, Word, expected, number, number_or_unknown, parse_field,
};
use foldtrace_trace::{
    COLLECTIVES, Carried, EventKind, MAX_OPERANDS, Operand, Quantity, UNDEFINED, ValueType,
};

const VERBS: &str = "send, recv, isend, irecv, sync, isync or local";

/// The location of an event, as written in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// A thread of a process.
    Thread(u64, u64),
    /// A location, by its id.
    Id(u64),
}

/// The group of a collective operation, as written in the line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Group<'a> {
    /// None: the event is not a collective operation.
    None,
    /// `*`: all processes.
    All,
    /// A set of ranks.
    Set(Word<'a>),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(rank, 0) => write!(f, "{rank}"),
            Self::Thread(rank, thread) => write!(f, "{rank}.{thread}"),
            Self::Id(id) => write!(f, "@{id}"),
        }
    }
}

/// A parsed event line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    pub label: Label,
    pub kind: EventKind,
    /// Operands by slot of the kind.
    pub operands: [u64; MAX_OPERANDS],
    given: u8,
    pub quantities: [u64; Quantity::COUNT],
    quantities_given: u8,
    pub time: Option<u64>,
    pub group: Group<'a>,
    /// Whether the event is a message or a collective operation without `comm=`.
    pub in_world: bool,
    /// The name of a region, or the text of a local event.
    pub name: Option<Word<'a>>,
    /// Offset of the field `time=`, if no quantity precedes it: the part before it then determines the symbol.
    pub symbol_end: Option<usize>,
}

impl Event<'_> {
    fn new(label: Label, kind: EventKind) -> Self {
        Self {
            label,
            kind,
            operands: [UNDEFINED; MAX_OPERANDS],
            given: 0,
            quantities: [UNDEFINED; Quantity::COUNT],
            quantities_given: 0,
            time: None,
            group: Group::None,
            in_world: false,
            name: None,
            symbol_end: None,
        }
    }

    /// Sets an operand that the kind has. Returns whether it was already set.
    fn set(&mut self, operand: Operand, value: u64) -> bool {
        let Some(slot) = self.kind.slot(operand) else {
            return false;
        };
        self.operands[slot] = value;
        let bit = 1 << slot;
        let before = self.given & bit != 0;
        self.given |= bit;
        before
    }

    /// Returns whether the line contains `operand`, even as `*`.
    pub(crate) fn has(&self, operand: Operand) -> bool {
        self.kind
            .slot(operand)
            .is_some_and(|slot| self.given & (1 << slot) != 0)
    }
}

/// Parses an event line. `carried` is cleared first.
pub(crate) fn parse<'a>(line: &'a [u8], carried: &mut Carried) -> Result<Event<'a>, Fault> {
    carried.clear();
    let mut words = LineWords::new(line, 0);
    let first = required_word(&mut words, "a location")?;
    let verb = required_word(&mut words, VERBS)?;
    let mut event = match verb.bytes {
        b"send" => message(&mut words, EventKind::MpiSend, first)?,
        b"isend" => message(&mut words, EventKind::MpiIsend, first)?,
        b"recv" => message(&mut words, EventKind::MpiRecv, first)?,
        b"irecv" => message(&mut words, EventKind::MpiIrecv, first)?,
        b"sync" => collective(&mut words, EventKind::MpiCollectiveEnd, first)?,
        b"isync" => collective(&mut words, EventKind::NonBlockingCollectiveComplete, first)?,
        b"local" => local(&mut words, label(first)?)?,
        _ => {
            // A line that does not begin with a location is not an event line.
            label(first)?;
            return Err(expected(VERBS, verb)
                .hint("an event has the form LOCATION VERB …, as in '0 send 1 17'"));
        }
    };
    while let Some(word) = words.next()? {
        take_field(&mut event, word, carried)?;
    }
    event.in_world &= !event.has(Operand::Communicator);
    Ok(event)
}

fn required_word<'a>(words: &mut LineWords<'a>, expected: &str) -> Result<Word<'a>, Fault> {
    words.next()?.ok_or_else(|| {
        Fault::new(
            words.at(),
            format!("expected {expected}, found the end of the line"),
        )
        .hint(
            "examples of events are '0 send 1 17', '0 sync MPI_Barrier 0-3', '0 local enter main'",
        )
    })
}

fn label(word: Word<'_>) -> Result<Label, Fault> {
    let bytes = word.bytes;
    let label = if let Some(id) = bytes.strip_prefix(b"@") {
        number(id).map(Label::Id)
    } else if let Some(dot) = memchr::memchr(b'.', bytes) {
        number(&bytes[..dot])
            .zip(number(&bytes[dot + 1..]))
            .map(|(rank, thread)| Label::Thread(rank, thread))
    } else {
        number(bytes).map(|rank| Label::Thread(rank, 0))
    };
    label.ok_or_else(|| {
        expected("a location", word)
            .hint("a location is RANK, RANK.THREAD or @ID, as in '0', '3.1', '@70'")
    })
}

fn message<'a>(
    words: &mut LineWords<'a>,
    kind: EventKind,
    first: Word<'a>,
) -> Result<Event<'a>, Fault> {
    let second = required_word(words, "a rank")?;
    // In a receive, the receiver comes after the verb.
    let (me, peer) = if kind.is_send() {
        (first, second)
    } else {
        (second, first)
    };
    let mut event = Event::new(label(me)?, kind);
    let peer = number_or_unknown(peer.bytes).ok_or_else(|| {
        expected("the rank of the other process", peer).hint(
            "rank 0 executes '0 send 1 17', rank 1 executes '0 recv 1 17'; * is an unknown peer",
        )
    })?;
    event.set(Operand::Peer, peer);
    let word = required_word(words, "a tag")?;
    let tag = tag(word.bytes).ok_or_else(|| {
        expected("a tag", word)
            .hint("a tag is a number, or letters and a number, as in '17' or 'tag17'")
    })?;
    event.set(Operand::Tag, tag);
    event.in_world = true;
    Ok(event)
}

fn tag(bytes: &[u8]) -> Option<u64> {
    let letters = bytes
        .iter()
        .take_while(|b| b.is_ascii_alphabetic() || **b == b'_')
        .count();
    if letters > 0 {
        number(&bytes[letters..])
    } else {
        number_or_unknown(bytes)
    }
}

fn collective<'a>(
    words: &mut LineWords<'a>,
    kind: EventKind,
    me: Word<'a>,
) -> Result<Event<'a>, Fault> {
    let mut event = Event::new(label(me)?, kind);
    let word = required_word(words, "the name of a collective operation")?;
    let by_number = number_or_unknown(word.bytes);
    let by_name = || COLLECTIVES.code(std::str::from_utf8(word.bytes).ok()?);
    let operation = by_number.or_else(by_name).ok_or_else(|| {
        expected("the name of a collective operation", word).hint(
            "operations have the names of MPI, as in 'MPI_Allreduce'; write others as a number or *",
        )
    })?;
    event.set(Operand::Operation, operation);
    let word = required_word(words, "a group")?;
    event.group = match word.bytes {
        b"*" => Group::All,
        _ if word
            .bytes
            .iter()
            .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b',')) =>
        {
            Group::Set(word)
        }
        _ => {
            return Err(expected("a group", word)
                .hint("a group is a set of ranks, as in '0-3,8', or * for all"));
        }
    };
    event.in_world = true;
    Ok(event)
}

fn local<'a>(words: &mut LineWords<'a>, me: Label) -> Result<Event<'a>, Fault> {
    let word = required_word(words, "a kind of event or a description")?;
    let kind = std::str::from_utf8(word.bytes)
        .ok()
        .and_then(EventKind::from_name);
    let Some(kind) = kind else {
        let mut event = Event::new(me, EventKind::Local);
        event.name = Some(if word.is_quoted() {
            word
        } else {
            free_text(words, word)
        });
        return Ok(event);
    };
    let mut event = Event::new(me, kind);
    if kind.slot(Operand::Region).is_some() {
        let mut ahead = words.clone();
        if let Some(name) = ahead.next()?
            && name.key_value().is_none()
        {
            event.name = Some(name);
            *words = ahead;
        }
    }
    Ok(event)
}

/// Returns the free text of a local event: everything up to the first field.
fn free_text<'a>(words: &mut LineWords<'a>, first: Word<'a>) -> Word<'a> {
    let mut end = first.at + first.bytes.len();
    let mut ahead = words.clone();
    while let Some(word) = ahead.next_raw() {
        if is_local_field(word.bytes) {
            break;
        }
        end = word.at + word.bytes.len();
        *words = ahead.clone();
    }
    Word {
        bytes: &words.line()[first.at..end],
        at: first.at,
    }
}

fn is_local_field(word: &[u8]) -> bool {
    let numbered = |prefix: &[u8]| {
        word.strip_prefix(prefix)
            .is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit))
    };
    word.starts_with(b"time=")
        || word.starts_with(b"string=")
        || numbered(b"value.")
        || numbered(b"attribute.")
}

/// Returns whether `text`, written without quotes after `local`, is read back as the same description.
pub(crate) fn is_free_text(text: &str) -> bool {
    if text.chars().any(char::is_control) || text.trim_matches(' ') != text {
        return false;
    }
    let mut words = text.split(' ');
    let Some(first) = words.next() else {
        return false;
    };
    !first.is_empty()
        && !first.starts_with(['"', '#'])
        && EventKind::from_name(first).is_none()
        && !words.any(|word| word.starts_with('#') || is_local_field(word.as_bytes()))
}

fn take_field(event: &mut Event<'_>, word: Word<'_>, carried: &mut Carried) -> Result<(), Fault> {
    let twice = |key: &[u8]| {
        Fault::new(
            word.at,
            format!("expected one field {}, found a second one", show(key)),
        )
    };
    let is_first = match word.key_value() {
        Some((b"time", value)) => {
            let time = number(value.bytes)
                .ok_or_else(|| expected("a number of at most 64 bits", value))?;
            if event.quantities_given == 0
                && carried.metrics.is_empty()
                && carried.attributes.is_empty()
            {
                event.symbol_end = Some(word.at);
            }
            event.time.replace(time).is_none()
        }
        _ => match parse_field(event.kind, word)? {
            EventField::Metric(member, value_type, bits) => {
                carried.metrics.push((member, value_type, bits));
                true
            }
            EventField::Attribute(id, value_type, bits) => {
                carried.attributes.push((id, value_type, bits));
                true
            }
            EventField::Quantity(quantity, bits) => {
                event.quantities[quantity as usize] = bits;
                let is_first = event.quantities_given & quantity.bit() == 0;
                event.quantities_given |= quantity.bit();
                is_first
            }
            EventField::Operand(operand, value) => {
                // Operands after the time belong to the symbol, so the part before the time does not determine it.
                event.symbol_end = None;
                !event.set(operand, value)
            }
        },
    };
    match word.key_value() {
        Some((key, _)) if !is_first => Err(twice(key)),
        _ => Ok(()),
    }
}

/// Parses the time, the quantities and the carried values of a line whose symbol is known, starting after `time=`.
/// Returns `None` if the line contains anything else; the caller must then use [`parse`].
#[inline]
pub(crate) fn parse_tail(mut rest: &[u8], kind: EventKind, carried: &mut Carried) -> Option<u64> {
    let time = leading_number(&mut rest)?;
    let mut given = 0u8;
    while let Some((&blank, after)) = rest.split_first() {
        if blank != b' ' {
            return None;
        }
        rest = after;
        let (quantity, length) = match rest {
            [b'b', b'y', b't', b'e', b's', b'=', ..] => (Quantity::Bytes, 6),
            [b'b', ..] if rest.starts_with(b"bytes_received=") => (Quantity::BytesReceived, 15),
            [b'r', ..] if rest.starts_with(b"request=") => (Quantity::Request, 8),
            [b'v', b'a', b'l', b'u', b'e', b'=', ..] => (Quantity::Value, 6),
            [b'o', ..] if rest.starts_with(b"offset=") => (Quantity::Offset, 7),
            [b'v', ..] => {
                rest = rest.strip_prefix(b"value.")?;
                let member = u32::try_from(leading_number(&mut rest)?).ok()?;
                let (value_type, bits) = leading_typed(&mut rest)?;
                carried.metrics.push((member, value_type, bits));
                continue;
            }
            [b'a', ..] => {
                rest = rest.strip_prefix(b"attribute.")?;
                let id = leading_number(&mut rest)?;
                let (value_type, bits) = leading_typed(&mut rest)?;
                carried.attributes.push((id, value_type, bits));
                continue;
            }
            _ => return None,
        };
        let bit = 1 << quantity as u8;
        if given & bit != 0 || !kind.quantities().contains(&quantity) {
            return None;
        }
        given |= bit;
        rest = &rest[length..];
        carried.quantities[quantity as usize] = leading_number(&mut rest)?;
    }
    Some(time)
}

#[inline]
fn leading_number(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    let mut length = 0;
    while let Some(digit) = rest.get(length).map(|b| b.wrapping_sub(b'0'))
        && digit <= 9
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        length += 1;
    }
    // Up to 19 digits cannot overflow.
    if length > 19 {
        value = number(&rest[..length])?;
    }
    *rest = &rest[length..];
    (length > 0).then_some(value)
}

fn leading_typed(rest: &mut &[u8]) -> Option<(ValueType, u64)> {
    let colon = memchr::memchr(b':', rest)?;
    let name = std::str::from_utf8(rest[..colon].strip_prefix(b"=")?).ok()?;
    let value_type = ValueType::from_name(name)?;
    *rest = &rest[colon + 1..];
    Some((value_type, leading_number(rest)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(line: &str) -> Event<'_> {
        parse(line.as_bytes(), &mut Carried::default()).unwrap()
    }

    #[test]
    fn the_paper_s_lines() {
        let send = event("0 send 1 tag3000");
        assert_eq!(
            (send.label, send.kind),
            (Label::Thread(0, 0), EventKind::MpiSend)
        );
        assert_eq!(send.operands[..3], [1, UNDEFINED, 3000]);
        let recv = event("1 recv 0 tag3003");
        assert_eq!(
            recv.label,
            Label::Thread(0, 0),
            "the receiver executes the event"
        );
        assert_eq!(recv.operands[..3], [1, UNDEFINED, 3003]);
        let sync = event("0 sync MPI_Allreduce 0-15");
        assert_eq!(sync.operands[0], 11);
        assert!(matches!(sync.group, Group::Set(set) if set.bytes == b"0-15"));
        let local = event("0 local call MPI_Isend");
        assert_eq!(local.name.unwrap().bytes, b"call MPI_Isend");
    }

    #[test]
    fn descriptions_end_at_fields_and_comments() {
        assert_eq!(
            event("0 local a  b=c time=5").name.unwrap().bytes,
            b"a  b=c"
        );
        assert_eq!(
            event("0 local it's \"so\" # note").name.unwrap().bytes,
            b"it's \"so\""
        );
        assert_eq!(
            event("0 local \"enter time=5\"")
                .name
                .unwrap()
                .text()
                .unwrap(),
            "enter time=5"
        );
    }

    #[test]
    fn the_symbol_ends_before_the_time_only_if_it_is_complete() {
        assert_eq!(
            event("0 send 1 2 comm=3 time=4 bytes=5").symbol_end,
            Some(18)
        );
        assert_eq!(event("0 send 1 2 bytes=5 time=4").symbol_end, None);
        assert_eq!(event("0 send 1 2 time=4 comm=5").symbol_end, None);
    }

    proptest! {
        #[test]
        fn free_texts_come_back(
            // Most random texts are not free texts, so `prop_assume!` would reject too many.
            text in "[ a-e=\"#\t]{0,12}|enter.{0,5}|a time=.{0,3}"
                .prop_filter("a free text", |text| is_free_text(text))
        ) {
            let line = format!("0 local {text} time=7");
            let event = event(&line);
            prop_assert_eq!(event.kind, EventKind::Local);
            prop_assert_eq!(event.name.unwrap().bytes, text.as_bytes());
        }

        #[test]
        fn both_parsers_of_fields_agree(
            tail in "[0-9]{1,21}( (bytes|bytes_received|request|value|offset)=[0-9*-]{1,21}| value.[0-9]=(int8|x):[0-9]{1,2}){0,3}"
        ) {
            let line = format!("0 local io_seek time={tail}");
            let (mut full, mut fast) = (Carried::default(), Carried::default());
            let time = parse_tail(tail.as_bytes(), EventKind::IoSeek, &mut fast);
            if let Some(time) = time {
                let event = parse(line.as_bytes(), &mut full).unwrap();
                prop_assert_eq!(event.time, Some(time));
                prop_assert_eq!(event.quantities, fast.quantities);
                prop_assert_eq!(full.metrics, fast.metrics);
            }
        }
    }
}
