//! Types, values and containers, by alias or name.
//!
//! Lines refer to them by either; if an alias is also a name, the alias applies. A new definition replaces an older
//! one, except for containers, because simulators create a container again for an actor that comes back.

use std::collections::HashMap;

use foldtrace_input::Fault;
use foldtrace_trace::{LocationId, SymbolId};

use crate::words::Word;

/// Maximum nesting depth of containers.
const DEEPEST: u32 = 1 << 8;

/// A type, an index into [`Hierarchy::types`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TypeId(u32);

impl TypeId {
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// A container, in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContainerId(pub u32);

impl ContainerId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of object that a type describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Container,
    State,
    Event,
    Variable,
    Link,
}

impl Sort {
    const fn name(self) -> &'static str {
        match self {
            Self::Container => "a type of containers",
            Self::State => "a type of states",
            Self::Event => "a type of events",
            Self::Variable => "a type of variables",
            Self::Link => "a type of links",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Type {
    pub sort: Sort,
    pub name: String,
    /// Whether containers of this type can have states or events.
    pub is_active: bool,
    values: HashMap<Box<[u8]>, Value>,
}

/// A value of states, events or links.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub name: String,
    /// The symbol of the value, in traces written by foldtrace.
    pub symbol: Option<SymbolId>,
}

#[derive(Debug)]
pub(crate) struct Container {
    pub name: String,
    pub of: TypeId,
    pub parent: Option<ContainerId>,
    pub has_children: bool,
    /// Number of containers around it.
    depth: u32,
    /// The location of the container, in traces written by foldtrace.
    pub location: Option<LocationId>,
}

#[derive(Debug, Default)]
pub(crate) struct Hierarchy {
    types: Vec<Type>,
    type_called: HashMap<Box<[u8]>, TypeId>,
    containers: Vec<Container>,
    container_called: HashMap<Box<[u8]>, ContainerId>,
}

/// Converts bytes to text, replacing invalid UTF-8: names are for human readers.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Hierarchy {
    /// Defines a type; `parent` is the type of the containers to which it belongs.
    pub(crate) fn define_type(
        &mut self,
        sort: Sort,
        alias: Option<Word<'_>>,
        name: Word<'_>,
        parent: Option<Word<'_>>,
    ) -> Result<(), Fault> {
        let parent = match parent {
            Some(parent) if !is_root(parent) => Some(self.find_type(parent, Sort::Container)?),
            _ => None,
        };
        if let (Some(parent), Sort::State | Sort::Event) = (parent, sort) {
            self.types[parent.0 as usize].is_active = true;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(Type {
            sort,
            name: text(name.bytes),
            is_active: false,
            values: HashMap::new(),
        });
        call(&mut self.type_called, alias, name, id);
        Ok(())
    }

    /// Returns the type with that alias or name.
    pub(crate) fn find_type(&self, word: Word<'_>, sort: Sort) -> Result<TypeId, Fault> {
        let id = self.type_called.get(word.bytes).copied();
        id.filter(|&id| self.of_type(id).sort == sort)
            .ok_or_else(|| word.fault(&format!("{} that is defined above", sort.name())))
    }

    pub(crate) fn of_type(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// Returns whether there is a type with that alias and name.
    pub(crate) fn has_type(&self, alias: &str, name: &str) -> bool {
        let id = self.type_called.get(alias.as_bytes());
        id.is_some_and(|&id| self.of_type(id).name == name)
    }

    /// Returns whether there is a type of links.
    pub(crate) fn has_links(&self) -> bool {
        self.types.iter().any(|of| of.sort == Sort::Link)
    }

    /// Returns whether there is a type of links with that name.
    pub(crate) fn has_links_called(&self, name: &str) -> bool {
        let mut links = self.types.iter().filter(|of| of.sort == Sort::Link);
        links.any(|of| of.name == name)
    }

    /// Defines a value of a type.
    pub(crate) fn define_value(
        &mut self,
        of: Word<'_>,
        alias: Option<Word<'_>>,
        name: Word<'_>,
        symbol: Option<SymbolId>,
    ) -> Result<(), Fault> {
        let id = self.type_called.get(of.bytes);
        let Some(&id) = id else {
            return Err(of.fault("a type that is defined above"));
        };
        let value = Value {
            name: text(name.bytes),
            symbol,
        };
        call(&mut self.types[id.0 as usize].values, alias, name, value);
        Ok(())
    }

    /// Returns the value with that alias or name, if it is defined.
    pub(crate) fn value(&self, of: TypeId, word: Word<'_>) -> Option<&Value> {
        self.of_type(of).values.get(word.bytes)
    }

    /// Creates a container, unless it exists.
    pub(crate) fn create(
        &mut self,
        of: Word<'_>,
        alias: Option<Word<'_>>,
        name: Word<'_>,
        parent: Option<Word<'_>>,
        location: Option<LocationId>,
    ) -> Result<(), Fault> {
        let of = self.find_type(of, Sort::Container)?;
        let parent = match parent {
            Some(parent) if !is_root(parent) => Some(self.find_container(parent)?),
            _ => None,
        };
        let known = self.container_called.get(alias.unwrap_or(name).bytes);
        if let Some(&known) = known
            && self.container(known).of == of
            && self.container(known).parent == parent
        {
            return Ok(());
        }
        let depth = parent.map_or(0, |parent| self.container(parent).depth + 1);
        if depth > DEEPEST {
            let message =
                format!("expected containers in at most {DEEPEST} others, found one in more");
            return Err(Fault::new(name.at, message));
        }
        if let Some(parent) = parent {
            self.containers[parent.index()].has_children = true;
        }
        let id = ContainerId(self.containers.len() as u32);
        self.containers.push(Container {
            name: text(name.bytes),
            of,
            parent,
            has_children: false,
            depth,
            location,
        });
        call(&mut self.container_called, alias, name, id);
        Ok(())
    }

    /// Returns the container with that alias or name.
    pub(crate) fn find_container(&self, word: Word<'_>) -> Result<ContainerId, Fault> {
        let id = self.container_called.get(word.bytes).copied();
        id.ok_or_else(|| word.fault("a container that is created above"))
    }

    pub(crate) fn container(&self, id: ContainerId) -> &Container {
        &self.containers[id.index()]
    }

    /// Returns all containers, in order of creation.
    pub(crate) fn containers(&self) -> impl Iterator<Item = (ContainerId, &Container)> {
        (0..).map(ContainerId).zip(&self.containers)
    }

    /// Returns the container and the containers around it, innermost first.
    pub(crate) fn path(&self, id: ContainerId) -> impl Iterator<Item = ContainerId> {
        std::iter::successors(Some(id), |&id| self.container(id).parent)
    }
}

/// Returns whether the word denotes the root, which is around all other containers or types.
fn is_root(word: Word<'_>) -> bool {
    matches!(word.bytes, b"0" | b"" | b"/")
}

/// Registers an object under its alias, and under its name unless the name is taken.
fn call<T: Clone>(
    called: &mut HashMap<Box<[u8]>, T>,
    alias: Option<Word<'_>>,
    name: Word<'_>,
    what: T,
) {
    match alias {
        Some(alias) if !alias.bytes.is_empty() => {
            called
                .entry(name.bytes.into())
                .or_insert_with(|| what.clone());
            called.insert(alias.bytes.into(), what);
        }
        _ => {
            called.insert(name.bytes.into(), what);
        }
    }
}
