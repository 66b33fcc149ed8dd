//! Types, values and containers, by alias or name.
//!
//! Lines refer to them by either; if an alias is also a name, the alias applies. A new definition replaces an older
//! one, except for containers, because simulators create a container again for an actor that comes back.

use std::collections::HashMap;

use foldtrace_input::Fault;
use foldtrace_trace::{LocationId, SymbolId};

use crate::lexer::Word;

/// Maximum nesting depth of containers.
const MAX_DEPTH: u32 = 1 << 8;

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
pub(crate) enum TypeKind {
    Container,
    State,
    Event,
    Variable,
    Link,
}

impl TypeKind {
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

/// A type of containers, states, events, variables or links.
#[derive(Debug)]
pub(crate) struct Type {
    pub kind: TypeKind,
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

/// A container, such as a machine, a process or a thread.
#[derive(Debug)]
pub(crate) struct Container {
    pub name: String,
    pub type_id: TypeId,
    pub parent: Option<ContainerId>,
    pub has_children: bool,
    /// Number of containers that contain it.
    depth: u32,
    /// The location of the container, in traces written by foldtrace.
    pub location: Option<LocationId>,
}

/// All types and containers of a trace.
#[derive(Debug, Default)]
pub(crate) struct Hierarchy {
    types: Vec<Type>,
    types_by_name: HashMap<Box<[u8]>, TypeId>,
    containers: Vec<Container>,
    containers_by_name: HashMap<Box<[u8]>, ContainerId>,
}

/// Converts bytes to text, replacing invalid UTF-8: names are for human readers.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Hierarchy {
    /// Defines a type; `parent` is the type of the containers to which it belongs.
    pub(crate) fn define_type(
        &mut self,
        kind: TypeKind,
        alias: Option<Word<'_>>,
        name: Word<'_>,
        parent: Option<Word<'_>>,
    ) -> Result<(), Fault> {
        let parent = match parent {
            Some(parent) if !is_root(parent) => Some(self.find_type(parent, TypeKind::Container)?),
            _ => None,
        };
        if let (Some(parent), TypeKind::State | TypeKind::Event) = (parent, kind) {
            self.types[parent.0 as usize].is_active = true;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(Type {
            kind,
            name: text(name.bytes),
            is_active: false,
            values: HashMap::new(),
        });
        register(&mut self.types_by_name, alias, name, id);
        Ok(())
    }

    /// Returns the type with that alias or name.
    pub(crate) fn find_type(&self, word: Word<'_>, kind: TypeKind) -> Result<TypeId, Fault> {
        let id = self.types_by_name.get(word.bytes).copied();
        id.filter(|&id| self.get_type(id).kind == kind)
            .ok_or_else(|| word.fault(&format!("{} that an earlier line defines", kind.name())))
    }

    pub(crate) fn get_type(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// Returns whether there is a type with that alias and name.
    pub(crate) fn has_type(&self, alias: &str, name: &str) -> bool {
        let id = self.types_by_name.get(alias.as_bytes());
        id.is_some_and(|&id| self.get_type(id).name == name)
    }

    /// Returns whether there is a type of links.
    pub(crate) fn has_link_types(&self) -> bool {
        self.types.iter().any(|t| t.kind == TypeKind::Link)
    }

    /// Returns whether there is a type of links with that name.
    pub(crate) fn has_link_type_named(&self, name: &str) -> bool {
        let mut links = self.types.iter().filter(|t| t.kind == TypeKind::Link);
        links.any(|link| link.name == name)
    }

    /// Defines a value of the type `type_name`.
    pub(crate) fn define_value(
        &mut self,
        type_name: Word<'_>,
        alias: Option<Word<'_>>,
        name: Word<'_>,
        symbol: Option<SymbolId>,
    ) -> Result<(), Fault> {
        let id = self.types_by_name.get(type_name.bytes);
        let Some(&id) = id else {
            return Err(type_name.fault("a type that an earlier line defines"));
        };
        let value = Value {
            name: text(name.bytes),
            symbol,
        };
        register(&mut self.types[id.0 as usize].values, alias, name, value);
        Ok(())
    }

    /// Returns the value with that alias or name, if it is defined.
    pub(crate) fn value(&self, type_id: TypeId, word: Word<'_>) -> Option<&Value> {
        self.get_type(type_id).values.get(word.bytes)
    }

    /// Creates a container of the type `type_name`, unless it exists.
    pub(crate) fn create(
        &mut self,
        type_name: Word<'_>,
        alias: Option<Word<'_>>,
        name: Word<'_>,
        parent: Option<Word<'_>>,
        location: Option<LocationId>,
    ) -> Result<(), Fault> {
        let type_id = self.find_type(type_name, TypeKind::Container)?;
        let parent = match parent {
            Some(parent) if !is_root(parent) => Some(self.find_container(parent)?),
            _ => None,
        };
        let known = self.containers_by_name.get(alias.unwrap_or(name).bytes);
        if let Some(&known) = known
            && self.container(known).type_id == type_id
            && self.container(known).parent == parent
        {
            return Ok(());
        }
        let depth = parent.map_or(0, |parent| self.container(parent).depth + 1);
        if depth > MAX_DEPTH {
            let message =
                format!("expected containers nested at most {MAX_DEPTH} deep, found a deeper one");
            return Err(Fault::new(name.at, message));
        }
        if let Some(parent) = parent {
            self.containers[parent.index()].has_children = true;
        }
        let id = ContainerId(self.containers.len() as u32);
        self.containers.push(Container {
            name: text(name.bytes),
            type_id,
            parent,
            has_children: false,
            depth,
            location,
        });
        register(&mut self.containers_by_name, alias, name, id);
        Ok(())
    }

    /// Returns the container with that alias or name.
    pub(crate) fn find_container(&self, word: Word<'_>) -> Result<ContainerId, Fault> {
        let id = self.containers_by_name.get(word.bytes).copied();
        id.ok_or_else(|| word.fault("a container that an earlier line creates"))
    }

    pub(crate) fn container(&self, id: ContainerId) -> &Container {
        &self.containers[id.index()]
    }

    /// Returns all containers, in order of creation.
    pub(crate) fn containers(&self) -> impl Iterator<Item = (ContainerId, &Container)> {
        (0..).map(ContainerId).zip(&self.containers)
    }

    /// Returns the container and the containers that contain it, innermost first.
    pub(crate) fn path(&self, id: ContainerId) -> impl Iterator<Item = ContainerId> {
        std::iter::successors(Some(id), |&id| self.container(id).parent)
    }
}

/// Returns whether the word denotes the root, which contains all other containers or types.
fn is_root(word: Word<'_>) -> bool {
    matches!(word.bytes, b"0" | b"" | b"/")
}

/// Registers an object under its alias, and under its name unless the name is taken.
fn register<T: Clone>(
    by_name: &mut HashMap<Box<[u8]>, T>,
    alias: Option<Word<'_>>,
    name: Word<'_>,
    object: T,
) {
    match alias {
        Some(alias) if !alias.bytes.is_empty() => {
            by_name
                .entry(name.bytes.into())
                .or_insert_with(|| object.clone());
            by_name.insert(alias.bytes.into(), object);
        }
        _ => {
            by_name.insert(name.bytes.into(), object);
        }
    }
}
