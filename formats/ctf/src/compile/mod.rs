//! Compiles field classes to decoding steps.

mod blocks;
mod choices;
mod elements;
mod integers;
mod places;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::class::{ByteOrder, Class, Float, Kind, Length, Location, Origin, Role, Scope, Text};
use crate::fault::Fault;
use crate::labels::Labels;
use crate::leaf::{Leaf, LeafKind};
use crate::program::{FloatOp, LeafId, LengthOp, Op, Slot, TextOp, is_big};

/// An integer that lengths and selectors may refer to.
#[derive(Clone, Debug)]
struct Target {
    slot: Slot,
    is_signed: bool,
    is_boolean: bool,
    labels: Option<Arc<Labels>>,
}

/// What the compilation of all classes of a trace shares.
#[derive(Debug)]
pub(crate) struct Shared {
    pub is_tsdl: bool,
    pub order: ByteOrder,
    pub leaves: Vec<Leaf>,
    /// The number of further steps, which the size of the metadata bounds.
    budget: usize,
}

impl Shared {
    pub(crate) fn new(is_tsdl: bool, order: ByteOrder, bytes: usize) -> Self {
        Self {
            is_tsdl,
            order,
            leaves: Vec::new(),
            budget: (1 << 14) + bytes,
        }
    }

    /// Returns the name of a field as users see it.
    pub(crate) fn display<'a>(&self, name: &'a str) -> &'a str {
        if self.is_tsdl {
            name.strip_prefix('_').unwrap_or(name)
        } else {
            name
        }
    }
}

/// The scopes that have been compiled, in which later ones find fields.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    /// The integers of each scope, by the names that lead to them. Streams share those of the packet header, events those of
    /// their stream.
    targets: [Arc<HashMap<String, Target>>; Scope::ALL.len()],
    /// The number of slots.
    pub slots: Slot,
    /// The name of the clock whose values the fields have.
    pub clock: Option<Arc<str>>,
    /// Roles of members of the root of a scope, by their displayed names.
    pub roles: Vec<(Scope, &'static str, Role)>,
    /// Whether values of a clock are recognised by their names, because the stream has no declared clock.
    pub maps_clocks: bool,
}

/// Compiles a scope to steps that are not [linked](link) yet.
pub(crate) fn compile(
    scope: Scope,
    class: Option<&Class>,
    environment: &mut Environment,
    shared: &mut Shared,
) -> Result<Vec<Op>, Fault> {
    let mut compiler = Compiler {
        scope,
        environment,
        shared,
        ops: Vec::new(),
        names: Vec::new(),
        parents: Vec::new(),
    };
    if let Some(class) = class {
        compiler.field(class, "")?;
    }
    Ok(compiler.ops)
}

/// Puts the steps of scopes that follow each other into one list, in which integers are joined into blocks.
pub(crate) fn link(scopes: impl IntoIterator<Item = Vec<Op>>) -> Vec<Op> {
    blocks::join(in_sequence(scopes), |_| true)
}

/// Links scopes whose integers no scope after them needs.
pub(crate) fn link_last(scopes: impl IntoIterator<Item = Vec<Op>>) -> Vec<Op> {
    let all = in_sequence(scopes);
    let mut read = HashSet::new();
    for op in &all {
        op.reads(|slot| {
            read.insert(slot);
        });
    }
    blocks::join(all, |slot| read.contains(&slot))
}

fn in_sequence(scopes: impl IntoIterator<Item = Vec<Op>>) -> Vec<Op> {
    let mut all = Vec::new();
    for mut scope in scopes {
        let before = all.len() as u32;
        for op in &mut scope {
            op.renumber(|target| target + before);
        }
        all.append(&mut scope);
    }
    all
}

struct Compiler<'a> {
    scope: Scope,
    environment: &'a mut Environment,
    shared: &'a mut Shared,
    ops: Vec<Op>,
    /// The names by which paths lead to the current field.
    names: Vec<Arc<str>>,
    /// For each structure around the current field, the number of names of its own path.
    parents: Vec<usize>,
}

impl Compiler<'_> {
    fn spend(&mut self) -> Result<(), Fault> {
        let left = self.shared.budget.checked_sub(1);
        self.shared.budget =
            left.ok_or_else(|| Fault::new("the types of the metadata expand to too many fields"))?;
        Ok(())
    }

    /// Returns the text by which a path is known.
    fn key<'n>(names: impl Iterator<Item = &'n str>) -> String {
        let mut key = String::new();
        for name in names {
            key.push('\0');
            key.push_str(name);
        }
        key
    }

    /// Adds an integer that later steps may refer to.
    fn target(&mut self, is_signed: bool, is_boolean: bool, labels: Option<&Arc<Labels>>) -> Slot {
        let key = Self::key(self.names.iter().map(|name| &**name));
        let slots = &mut self.environment.slots;
        let targets = Arc::make_mut(&mut self.environment.targets[self.scope as usize]);
        let target = targets.entry(key).or_insert_with(|| {
            *slots += 1;
            Target {
                slot: *slots - 1,
                is_signed,
                is_boolean,
                labels: None,
            }
        });
        // The options of a variant share a slot if paths lead to them by the same names.
        (target.is_signed, target.is_boolean) = (is_signed, is_boolean);
        target.labels = labels.cloned();
        target.slot
    }

    /// Finds the integer at a location.
    fn find(&self, location: &Location, what: &str) -> Result<Target, Fault> {
        let look_up = |scope: Scope, names: &[Arc<str>], path: &[Option<Arc<str>>]| {
            let path = path.iter().map(|name| name.as_deref().unwrap_or_default());
            let key = Self::key(names.iter().map(|name| &**name).chain(path));
            self.environment.targets[scope as usize].get(&key).cloned()
        };
        let found = match location.origin {
            Origin::Scope(scope) => look_up(scope, &[], &location.path),
            Origin::Parent => {
                let up = location
                    .path
                    .iter()
                    .take_while(|name| name.is_none())
                    .count();
                let parent = self.parents.len().checked_sub(up + 1);
                let names = parent.and_then(|parent| self.names.get(..self.parents[parent]));
                names.and_then(|names| look_up(self.scope, names, &location.path[up..]))
            }
            Origin::Nearest => {
                let mut parents = self.parents.iter().rev();
                let here = parents
                    .find_map(|&names| look_up(self.scope, &self.names[..names], &location.path));
                here.or_else(|| {
                    let mut before = Scope::ALL.iter().rev().filter(|scope| **scope < self.scope);
                    before.find_map(|scope| look_up(*scope, &[], &location.path))
                })
            }
        };
        found.ok_or_else(|| {
            Fault::new(format!(
                "the {what} of the field '{}' is '{}', which is no integer that precedes it",
                self.display(),
                location.text()
            ))
        })
    }

    /// Returns the name of the current field for messages and attributes.
    fn display(&self) -> String {
        let names = self.names.iter().map(|name| self.shared.display(name));
        Vec::from_iter(names).join(".")
    }

    fn leaf(&mut self, display: &str, kind: LeafKind) -> LeafId {
        let id = LeafId(self.shared.leaves.len() as u32);
        let name = format!("{}{display}", self.scope.prefix());
        self.shared.leaves.push(Leaf { name, kind });
        id
    }

    fn length(&self, length: &Length) -> Result<LengthOp, Fault> {
        Ok(match length {
            Length::Static(length) => LengthOp::Static(*length),
            Length::Dynamic(location) => {
                let target = self.find(location, "length")?;
                LengthOp::Dynamic {
                    slot: target.slot,
                    is_signed: target.is_signed,
                }
            }
        })
    }

    fn float(&self, float: &Float, alignment: u64) -> FloatOp {
        FloatOp {
            bits: float.bits,
            alignment,
            is_big: is_big(float.order, self.shared.order),
            is_reversed: float.is_reversed,
        }
    }

    fn text(&self, text: &Text) -> Result<TextOp, Fault> {
        Ok(TextOp {
            length: text.length.as_ref().map(|it| self.length(it)).transpose()?,
            encoding: text.encoding,
        })
    }

    /// Compiles a field whose attribute has the name `display`.
    fn field(&mut self, class: &Class, display: &str) -> Result<(), Fault> {
        self.spend()?;
        match &class.kind {
            Kind::Integer(integer) => {
                let op = self.integer(integer, class.alignment)?;
                self.push_integer(op, integer.labels.as_ref(), display);
            }
            Kind::VariableInteger(integer) => {
                let op = self.variable_integer(integer)?;
                self.push_integer(op, integer.labels.as_ref(), display);
            }
            Kind::Float(float) => {
                let op = self.float(float, class.alignment);
                let leaf = self.leaf(display, LeafKind::Double);
                self.ops.push(Op::Float(op, leaf));
            }
            Kind::Text(text) => {
                let op = self.text(text)?;
                let leaf = self.leaf(display, LeafKind::Text);
                self.ops.push(Op::Text(op, leaf));
            }
            Kind::Bytes { is_uuid: true, .. } => self.ops.push(Op::Uuid),
            Kind::Bytes { length, .. } => {
                let length = self.length(length)?;
                let leaf = self.leaf(display, LeafKind::Text);
                self.ops.push(Op::Bytes(length, leaf));
            }
            Kind::Array { .. } if self.is_uuid(class) => self.ops.push(Op::Uuid),
            Kind::Array { .. } => {
                let element = self.element(class)?;
                let leaf = self.leaf(display, LeafKind::Text);
                self.ops.push(Op::Compound(Box::new(element), leaf));
            }
            Kind::Structure(members) => {
                self.ops.push(Op::Align(class.alignment));
                self.parents.push(self.names.len());
                for member in members {
                    let name = self.shared.display(&member.name);
                    let display = if display.is_empty() {
                        name.to_owned()
                    } else {
                        format!("{display}.{name}")
                    };
                    self.names.push(member.name.clone());
                    self.field(&member.class, &display)?;
                    self.names.pop();
                }
                self.parents.pop();
            }
            Kind::Variant { selector, options } => self.variant(selector, options, display)?,
            Kind::Optional {
                selector,
                ranges,
                content,
            } => {
                let mut choice = self.optional(selector, ranges.as_deref())?;
                let at = self.ops.len();
                choice.ranges.renumber(|_| at as u32 + 1);
                self.ops.push(Op::Jump(0));
                self.field(content, display)?;
                choice.otherwise = Some(self.ops.len() as u32);
                self.ops[at] = Op::Select(Box::new(choice));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Encoding;
    use crate::cursor::Cursor;
    use crate::leaf::Fields;
    use crate::program::{Choice, Element, IntegerOp};
    use crate::range::Range;
    use crate::run::run;
    use crate::segments::Segments;
    use crate::state::State;

    const fn length(slot: Slot) -> LengthOp {
        LengthOp::Dynamic {
            slot,
            is_signed: false,
        }
    }

    const fn text(slot: Slot) -> TextOp {
        TextOp {
            length: Some(length(slot)),
            encoding: Encoding::Utf8,
        }
    }

    /// A choice of `number` if the slot has 2, and of nothing otherwise.
    fn choice(slot: Slot, number: u32) -> Box<Choice> {
        let range = Range { low: 2, high: 2 };
        Box::new(Choice {
            slot,
            is_signed: false,
            ranges: Segments::new([(range, number)], false),
            otherwise: None,
            name: "choice".to_owned(),
        })
    }

    /// Returns the end of the steps and the values and texts that they decode; `None` if they fail.
    fn decode(ops: &[Op]) -> Option<(u64, Vec<u64>, String)> {
        let bytes = b"\x02\x03abcdefgh";
        let mut cursor = Cursor::new(bytes, 0, 0, 8 * bytes.len() as u64, true);
        let (mut state, mut fields) = (State::new(2, None), Fields::default());
        run(ops, &mut cursor, &mut state, &mut fields).ok()?;
        let values = fields.values.iter().map(|field| field.bits).collect();
        Some((cursor.at, values, fields.texts().clone()))
    }

    #[test]
    fn what_later_steps_need_is_remembered() {
        let compound = |element| Op::Compound(Box::new(element), LeafId(2));
        let array = |length, element| Element::Array {
            alignment: 8,
            length,
            element: Box::new(element),
        };
        let member = |element| Element::Structure(8, vec![("member".to_owned(), element)]);
        let bytes = || Element::Bytes(length(1));
        let once = LengthOp::Static(1);
        let readers = [
            Op::Text(text(1), LeafId(2)),
            Op::Bytes(length(1), LeafId(2)),
            Op::Select(choice(0, 3)),
            compound(bytes()),
            compound(Element::Text(text(1))),
            compound(member(bytes())),
            compound(array(length(1), Element::Integer(IntegerOp::byte(0)))),
            compound(array(once, bytes())),
            compound(Element::Select(choice(0, 0), vec![Element::Bytes(once)])),
            compound(array(once, Element::Select(choice(0, 0), vec![bytes()]))),
        ];
        for reader in readers {
            let leaf = |slot| Some(LeafId(slot));
            let integers = [0, 1].map(|slot| Op::Integer(IntegerOp::byte(slot), leaf(slot)));
            let ops = Vec::from_iter(integers.into_iter().chain([reader.clone()]));
            let expected = decode(&ops);
            assert!(expected.is_some(), "{reader:?}");
            assert_eq!(decode(&link_last([ops])), expected, "{reader:?}");
        }
    }
}
