//! What is to be extracted, as users say it.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::str::FromStr;

use foldtrace_store::Field;
use foldtrace_stream::select;
use foldtrace_trace::{ErrorKind, LocationId, Names, Quantity, TraceError, parse_set};

/// The number of a construct: those of the loops around it and its own, from 1, as in `3.1`.
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
            let message = format!("'{text}' is no number of a construct");
            TraceError::new(ErrorKind::Usage, message).hint(NUMBERS)
        })
    }
}

/// Where numbers of constructs are found.
pub(super) const NUMBERS: &str =
    "'foldtrace loops STORE --global --positions' shows numbers of constructs, such as [3.1]";

/// What of an event is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// Its position, which is always there.
    Position,
    /// Its time, or a quantity.
    Field(Field),
}

impl Attribute {
    /// All attributes.
    pub fn all() -> impl Iterator<Item = Self> {
        let quantities = Quantity::ALL.iter().map(|&q| Field::Quantity(q));
        let fields = std::iter::once(Field::Time).chain(quantities);
        std::iter::once(Self::Position).chain(fields.map(Self::Field))
    }

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Field(Field::Time) => "time",
            Self::Field(Field::Quantity(quantity)) => quantity.name(),
        }
    }

    /// Attributes from their names, with commas between them.
    ///
    /// # Errors
    /// If there is none of such a name.
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
                .hint(format!("attributes are {}", names.join(", ")))
        })
    }
}

/// What counts as an occurrence of a construct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instances {
    /// The construct as a whole, once for each iteration of the loops around it.
    #[default]
    Construct,
    /// Each of the loop's iterations.
    Iterations,
}

/// Where in an occurrence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// All of it, from the first event to the last.
    #[default]
    Whole,
    /// At its first event.
    First,
    /// At its last event.
    Last,
    /// At the event behind the last.
    Behind,
}

impl At {
    /// The word for it in annotations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::First => "first",
            Self::Last => "last",
            Self::Behind => "behind",
        }
    }

    /// The place of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Whole, Self::First, Self::Last, Self::Behind];
        all.into_iter().find(|at| at.name() == name)
    }
}

/// An annotation: what is wanted of the occurrences of one construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Get {
    /// What its records are called.
    pub label: String,
    /// The construct.
    pub construct: Number,
    /// What counts as an occurrence.
    pub instances: Instances,
    /// Where in it.
    pub at: At,
    /// Which processes; all that the construct covers if there are none.
    pub processes: Vec<LocationId>,
}

/// A record that several annotations have together: their indices in the request, and what their columns are
/// called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// Words and annotations.
    pub parts: Vec<(String, usize)>,
}

/// All that is wanted of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The annotations.
    pub gets: Vec<Get>,
    /// Records of several annotations; if there are none, each annotation has its own.
    pub prints: Vec<Print>,
    /// What of each event; all annotations have the same columns.
    pub attributes: Vec<Attribute>,
}

impl Request {
    /// Adds attributes that are not there yet, in the order of columns.
    pub fn add_attributes(&mut self, attributes: &[Attribute]) {
        let has = |a: &Attribute| self.attributes.contains(a) || attributes.contains(a);
        self.attributes = Attribute::all().filter(has).collect();
    }
}

impl Get {
    /// The processes that `text` names, as in `0,1,5` or `0-3,7`: ranks, ranges of them, and whatever else
    /// names a location. Each of them once, in the order given.
    ///
    /// # Errors
    /// If there is no location of such a name.
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
