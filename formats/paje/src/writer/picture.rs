//! The parts of a trace that other programs show: containers, values with names and colours, variables, and times.
//!
//! Each object is written when it is first needed, and defined objects before the first event.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use foldtrace_notation::{push_fields, push_number};
use foldtrace_trace::{
    Arrow, Arrows, AttributeColumns, Clock, DefinitionKind, Definitions, EventKind, EventRef,
    LocationId, MetricColumns, Names, Operand, Position, Quantity, Ranks, Symbol, SymbolId,
    SymbolTable, Timestamp, UNDEFINED, leave_of,
};

use super::prologue::{Code, push_types};
use super::{push_alias, push_words};
use crate::time::TimeScale;

/// A location: the alias of its container, and its open calls.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub alias: Vec<u8>,
    /// The symbols that entered the open calls, outermost first.
    pub open: Vec<SymbolId>,
}

/// The form in which a symbol is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Enter,
    Leave,
    Message,
    Metric,
    Event,
}

/// The time of the lines. It never decreases, even if the times of events do.
#[derive(Debug)]
pub(super) struct ShownTime {
    scale: TimeScale,
    latest: Option<Timestamp>,
    text: Vec<u8>,
    is_exact: bool,
}

impl Default for ShownTime {
    fn default() -> Self {
        Self {
            scale: TimeScale::from_clock(&Clock::default()),
            latest: None,
            text: b"0".to_vec(),
            is_exact: false,
        }
    }
}

impl ShownTime {
    /// Advances to the time of an event. Returns whether the text identifies its ticks.
    pub(super) fn show(&mut self, time: Timestamp) -> bool {
        if self.latest.is_some_and(|latest| time <= latest) {
            return self.is_exact && self.latest == Some(time);
        }
        self.latest = Some(time);
        let before = self.text.len();
        self.is_exact = self.scale.push(&mut self.text, time.0).is_some();
        if self.text.len() > before {
            self.text.drain(..before);
        }
        self.is_exact
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }
}

/// The objects drawn so far.
#[derive(Debug, Default)]
pub(super) struct Picture {
    pub time: ShownTime,
    names: Names,
    ranks: Ranks,
    /// The members of metric classes, and the class of each metric instance.
    classes: HashMap<u64, Vec<u64>>,
    instances: HashMap<u64, u64>,
    contexts: HashMap<u64, u64>,
    has_begun: bool,
    processes: HashSet<Option<u64>>,
    lanes: HashMap<LocationId, Lane, FixedState>,
    roles: Vec<Option<Role>>,
    /// The symbols with values that share their rows with others.
    tagged: HashSet<SymbolId, FixedState>,
    /// The aliases of variable types, by metric and member.
    variables: HashMap<(u64, u32), String, FixedState>,
}

impl Picture {
    /// Updates the names after new definitions. `definitions` contains all definitions so far.
    pub(super) fn define(&mut self, definitions: &Definitions) {
        self.names = Names::new(definitions);
        self.ranks = Ranks::new(definitions, &self.names);
        let lists = definitions.records(DefinitionKind::MetricClass);
        self.classes = lists
            .map(|class| (class.get(0), class.list().to_vec()))
            .collect();
        let pairs = |kind, field| {
            let records = definitions.records(kind);
            records
                .map(move |record| (record.get(0), record.get(field)))
                .collect()
        };
        self.instances = pairs(DefinitionKind::MetricInstance, 1);
        self.contexts = pairs(DefinitionKind::CallingContext, 1);
        if !self.has_begun {
            self.time.scale = TimeScale::from_clock(&definitions.clock());
        }
    }

    /// Writes the types, and the containers of all defined locations.
    pub(super) fn begin(&mut self, out: &mut Vec<u8>, first: Timestamp) {
        if self.has_begun {
            return;
        }
        self.has_begun = true;
        self.time.show(first);
        push_types(out);
        self.container(out, "M", "M", "0", "program");
        let processes = self.names.processes().iter();
        let locations: Vec<_> = processes
            .flat_map(|process| process.locations.clone())
            .collect();
        for location in locations {
            let lane = self.take_lane(out, location);
            self.put_lane(location, lane);
        }
    }

    fn container(
        &self,
        out: &mut Vec<u8>,
        alias: &str,
        type_alias: &str,
        parent: &str,
        name: &str,
    ) {
        push_number(out, Code::Container as u64);
        let words = [alias, type_alias, parent].map(str::as_bytes);
        push_words(out, &[self.time.text()]);
        push_words(out, &words);
        push_text(out, name);
        out.push(b'\n');
    }

    /// Returns the alias of the container of a process, or of locations without a process, and creates it if
    /// necessary.
    fn process(&mut self, out: &mut Vec<u8>, rank: Option<u64>) -> String {
        let (alias, name) = match rank {
            Some(rank) => (format!(":p{rank}"), format!("rank {rank}")),
            None => (":p".to_owned(), "no process".to_owned()),
        };
        if self.processes.insert(rank) {
            self.container(out, &alias, "P", "M", &name);
        }
        alias
    }

    /// Takes the lane of a location out. [`put_lane`](Self::put_lane) puts it back.
    pub(super) fn take_lane(&mut self, out: &mut Vec<u8>, location: LocationId) -> Lane {
        if let Some(lane) = self.lanes.get_mut(&location) {
            return std::mem::take(lane);
        }
        let rank = self.names.rank(location);
        let process = self.process(out, rank.map(|(rank, _)| rank));
        let alias = format!(":l{location}");
        let label = match rank {
            Some((rank, thread)) => format!("{rank}.{thread}"),
            None => format!("@{location}"),
        };
        let own_name = self.names.name(DefinitionKind::Location, location.0);
        let name = match own_name {
            Some(own_name) if !own_name.is_empty() => format!("{label} {own_name}"),
            _ => label,
        };
        push_number(out, Code::ContainerOfLocation as u64);
        push_words(
            out,
            &[self.time.text(), alias.as_bytes(), b"T", process.as_bytes()],
        );
        push_text(out, &name);
        out.push(b' ');
        push_number(out, location.0);
        out.push(b'\n');
        Lane {
            alias: alias.into_bytes(),
            open: Vec::new(),
        }
    }

    pub(super) fn put_lane(&mut self, location: LocationId, lane: Lane) {
        self.lanes.insert(location, lane);
    }

    /// Creates a container for the missing ends of links, and returns its alias.
    pub(super) fn container_of_missing_ends(&self, out: &mut Vec<u8>) -> &'static [u8] {
        self.container(out, ":x", "P", "M", "unmatched messages");
        self.container(out, ":y", "T", ":x", "nobody");
        b":y"
    }

    /// Returns the form in which a symbol is drawn. Its value is written when it is first seen.
    #[inline]
    pub(super) fn role(&mut self, out: &mut Vec<u8>, id: SymbolId, symbols: &SymbolTable) -> Role {
        let is_new = symbols.is_tagged(id) && self.tagged.insert(id);
        if let Some(&Some(role)) = self.roles.get(id.row())
            && !is_new
        {
            return role;
        }
        let symbol = symbols.symbol(id);
        let role = match symbol.kind {
            _ if leave_of(symbol).is_some() => Role::Enter,
            EventKind::Leave | EventKind::CallingContextLeave => Role::Leave,
            EventKind::Metric => Role::Metric,
            kind if kind.is_send() || kind.is_receive() || kind == EventKind::MpiProbe => {
                Role::Message
            }
            _ => Role::Event,
        };
        self.value(out, id, &symbol, role);
        if self.roles.len() <= id.row() {
            self.roles.resize(symbols.len(), None);
        }
        self.roles[id.row()] = Some(role);
        role
    }

    fn value(&self, out: &mut Vec<u8>, id: SymbolId, symbol: &Symbol, role: Role) {
        push_number(out, Code::EntityValue as u64);
        push_alias(out, id);
        let type_alias = if role == Role::Enter { b"S" } else { b"E" };
        push_words(out, &[type_alias]);
        let name = self.display_name(symbol);
        push_text(out, &name);
        push_color(out, &name);
        out.extend_from_slice(b" \"");
        out.extend_from_slice(symbol.kind.name().as_bytes());
        let event = EventRef {
            index: 0,
            position: Position(0),
            time: Timestamp(0),
            symbol: id,
            quantities: [UNDEFINED; Quantity::COUNT],
        };
        let (metrics, attributes) = (MetricColumns::default(), AttributeColumns::default());
        push_fields(out, symbol, &event, &metrics, &attributes);
        out.extend_from_slice(b"\"\n");
    }

    /// Returns the displayed name: the entered region, the text in the source, or the kind.
    fn display_name(&self, symbol: &Symbol) -> String {
        let context = symbol.get(Operand::CallingContext);
        let region = context.and_then(|context| self.contexts.get(&context));
        let of_region = |&region| self.names.name(DefinitionKind::Region, region);
        let name = match symbol.kind {
            EventKind::Enter | EventKind::Local => self.names.called(symbol),
            EventKind::CallingContextEnter => region.and_then(of_region),
            _ => None,
        };
        match name.filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => symbol.kind.name().to_owned(),
        }
    }

    /// Writes the variable type of a metric member when it is first seen.
    pub(super) fn declare_variable(&mut self, out: &mut Vec<u8>, symbol: &Symbol, member: u32) {
        let metric = symbol.get(Operand::Metric).unwrap_or(UNDEFINED);
        if self.variables.contains_key(&(metric, member)) {
            return;
        }
        let alias = format!("V{metric}.{member}");
        let class = self.instances.get(&metric).unwrap_or(&metric);
        let members = self.classes.get(class);
        let id = members.and_then(|members| members.get(member as usize));
        let name = id.and_then(|&id| self.names.name(DefinitionKind::MetricMember, id));
        let name = name.filter(|name| !name.is_empty()).unwrap_or(&alias);
        push_number(out, Code::VariableType as u64);
        push_words(out, &[alias.as_bytes(), b"T"]);
        push_text(out, name);
        push_color(out, name);
        out.push(b'\n');
        self.variables.insert((metric, member), alias);
    }

    /// Returns the alias of the declared variable type of a metric member.
    pub(super) fn variable(&self, symbol: &Symbol, member: u32) -> &[u8] {
        let metric = symbol.get(Operand::Metric).unwrap_or(UNDEFINED);
        let alias = self.variables.get(&(metric, member));
        alias.map_or(&[], String::as_bytes)
    }

    /// Returns the end of a link for an event, if its other end can be known.
    pub(super) fn arrow(
        &self,
        arrows: &mut Arrows,
        location: LocationId,
        symbol: &Symbol,
    ) -> Option<Arrow> {
        arrows.end(location, symbol, &self.names, &self.ranks)
    }
}

/// Appends a text in quotes. Unsupported characters are replaced; the definitions contain the original text.
fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(b" \"");
    let mut utf8 = [0; 4];
    for c in text.chars() {
        let c = match c {
            '"' => '\'',
            c if c.is_control() => ' ',
            c => c,
        };
        out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
    }
    out.push(b'"');
}

/// Appends a colour that depends only on the name.
fn push_color(out: &mut Vec<u8>, name: &str) {
    const HASHER: FixedState = FixedState::with_seed(0x636f_6c6f);
    let mut hasher = HASHER.build_hasher();
    hasher.write(name.as_bytes());
    let hash = hasher.finish();
    // Bright colours that are seldom grey: each component is between 0.20 and 0.95.
    let part = |shift: u32| 20 + (hash >> shift) % 76;
    let color = format!(" \"0.{} 0.{} 0.{}\"", part(0), part(16), part(32));
    out.extend_from_slice(color.as_bytes());
}
