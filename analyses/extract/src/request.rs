//! Describes what to extract, as requested by users.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::str::FromStr;

use foldtrace_store::Field;
use foldtrace_stream::select;
use foldtrace_trace::{ErrorKind, LocationId, Names, Quantity, Remedy, TraceError, parse_set};

/// The number of a construct, such as `3.1`: the numbers of the enclosing loops and its own, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(pub Vec<usize>);

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, index) in self.0.iter().enumerate() {
            let dot = if depth > 0 { "." } else { "" };
            write!(f, "{dot}{index}")?;
        }
        Ok(())
    }
}

impl FromStr for Number {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        let parts: Result<Vec<usize>, _> = text.split('.').map(str::parse).collect();
        let parts = parts.ok().filter(|parts| !parts.contains(&0));
        parts.map(Self).ok_or_else(|| {
            let message = format!("'{text}' is not the number of a construct");
            TraceError::new(ErrorKind::Usage, message).remedy(Remedy::NumberConstructs)
        })
    }
}

/// An attribute of an event that can be extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// The position, which every event has.
    Position,
    /// The time, or a quantity.
    Field(Field),
}

impl Attribute {
    /// Returns all attributes.
    pub fn all() -> impl Iterator<Item = Self> {
        let quantities = Quantity::ALL.iter().map(|&q| Field::Quantity(q));
        let fields = std::iter::once(Field::Time).chain(quantities);
        std::iter::once(Self::Position).chain(fields.map(Self::Field))
    }

    /// Returns the name of the attribute.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Field(Field::Time) => "time",
            Self::Field(Field::Quantity(quantity)) => quantity.name(),
        }
    }

    /// Parses a comma-separated list of names of attributes.
    ///
    /// # Errors
    /// If a name is not the name of an attribute.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, TraceError> {
        text.split(',').map(|name| name.trim().parse()).collect()
    }
}

impl FromStr for Attribute {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        Self::all().find(|a| a.name() == text).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(Self::name).collect();
            TraceError::new(ErrorKind::Usage, format!("there is no attribute '{text}'"))
                .hint(format!("the attributes are {}", names.join(", ")))
        })
    }
}

/// What counts as an occurrence of a construct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instances {
    /// The construct as a whole, once per iteration of the enclosing loops.
    #[default]
    Construct,
    /// Each iteration of the loop.
    Iterations,
}

/// The part of an occurrence to extract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// The whole occurrence, from its first to its last event.
    #[default]
    Whole,
    /// The first event.
    First,
    /// The last event.
    Last,
    /// The event after the last one.
    After,
}

impl At {
    /// All parts.
    pub const ALL: [Self; 4] = [Self::Whole, Self::First, Self::Last, Self::After];

    /// Returns the word for it in annotations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::First => "first",
            Self::Last => "last",
            Self::After => "after",
        }
    }

    /// Returns the part with the given name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|at| at.name() == name)
    }
}

/// An annotation: the data to extract from the occurrences of one construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Get {
    /// The label of its records.
    pub label: String,
    /// The construct.
    pub construct: Number,
    /// What counts as an occurrence.
    pub instances: Instances,
    /// The part of an occurrence to extract.
    pub at: At,
    /// The processes to extract; if empty, all processes that the construct covers.
    pub processes: Vec<LocationId>,
}

/// A record that is made of several annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// The column names and the indices of the annotations in the request.
    pub parts: Vec<(String, usize)>,
}

/// Everything to extract from a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The annotations.
    pub gets: Vec<Get>,
    /// Records of several annotations; if empty, each annotation has its own records.
    pub prints: Vec<Print>,
    /// The attributes of each event; they are the same for all annotations.
    pub attributes: Vec<Attribute>,
}

impl Request {
    /// Adds attributes that are not present yet, and sorts all by the order of the columns.
    pub fn add_attributes(&mut self, attributes: &[Attribute]) {
        let has = |a: &Attribute| self.attributes.contains(a) || attributes.contains(a);
        self.attributes = Attribute::all().filter(has).collect();
    }
}

impl Get {
    /// Parses a list of processes, such as `0,1,5` or `0-3,7`: ranks, ranges of ranks, and other names of locations.
    /// Each process is returned once, in the given order.
    ///
    /// # Errors
    /// If a name does not match any location.
    pub fn parse_processes(names: &Names, text: &str) -> Result<Vec<LocationId>, TraceError> {
        let mut locations = Vec::new();
        for part in text.split(',').map(str::trim) {
            match parse_set(part) {
                Some(ranks) => {
                    for rank in ranks {
                        locations.push(select::location(names, &rank.to_string())?);
                    }
                }
                None => locations.push(select::location(names, part)?),
            }
        }
        let mut seen = HashSet::new();
        locations.retain(|&location| seen.insert(location));
        Ok(locations)
    }
}
