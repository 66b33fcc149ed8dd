//! Compiles integers, with the meaning that their names and roles give them.

use std::sync::Arc;

use super::Compiler;
use crate::class::{Class, Integer, Kind, Length, Role, Scope, VariableInteger};
use crate::fault::Fault;
use crate::labels::Labels;
use crate::leaf::LeafKind;
use crate::program::{IntegerOp, Meaning, Op, is_big};

impl Compiler<'_> {
    pub(super) fn push_integer(
        &mut self,
        op: IntegerOp,
        labels: Option<&Arc<Labels>>,
        display: &str,
    ) {
        let is_signed = op.is_signed;
        let kind = match labels {
            _ if op.meaning.is_boolean => LeafKind::Boolean,
            Some(labels) => LeafKind::Labelled(labels.clone()),
            None if is_signed => LeafKind::Signed,
            None => LeafKind::Unsigned,
        };
        // In CTF 2, the other integers in the header of events are selectors.
        let is_selector = self.scope == Scope::EventHeader && !self.shared.is_tsdl;
        let is_plain = op.meaning.role.is_none() && !op.meaning.is_clock && !is_selector;
        let leaf = is_plain.then(|| self.leaf(display, kind));
        self.ops.push(Op::Integer(op, leaf));
    }

    /// Returns whether an array is the UUID of the metadata: 16 bytes with this name in the header of packets.
    pub(super) fn is_uuid(&self, class: &Class) -> bool {
        let Kind::Array {
            length: Length::Static(16),
            element,
        } = &class.kind
        else {
            return false;
        };
        let is_byte = matches!(&element.kind, Kind::Integer(it) if it.bits == 8);
        let is_named = matches!(&self.names[..], [name] if &**name == "uuid");
        self.shared.is_tsdl
            && self.scope == Scope::PacketHeader
            && is_byte
            && element.alignment == 8
            && is_named
    }

    /// Returns the role that the name of the current field implies.
    pub(super) fn named_role(&self) -> Option<Role> {
        let name = self.shared.display(self.names.last()?);
        // The number of an event may be in a variant of its header.
        let is_event = self.shared.is_tsdl && self.scope == Scope::EventHeader;
        if is_event && name == "id" {
            return Some(Role::EventClass);
        }
        let mut roles = self.environment.roles.iter();
        let found = roles.find(|role| (role.0, role.1) == (self.scope, name));
        found
            .map(|(_, _, role)| *role)
            .filter(|_| self.names.len() == 1)
    }

    pub(super) fn integer(
        &mut self,
        integer: &Integer,
        alignment: u64,
    ) -> Result<IntegerOp, Fault> {
        let role = self.role(&integer.roles);
        let is_clock = self.is_clock(integer, role)?;
        Ok(IntegerOp {
            bits: integer.bits,
            alignment,
            is_big: is_big(integer.order, self.shared.order),
            is_reversed: integer.is_reversed,
            is_signed: integer.is_signed,
            meaning: Meaning {
                is_boolean: integer.is_boolean,
                is_clock,
                role: role.filter(|role| *role != Role::Clock),
            },
            slot: self.target(
                integer.is_signed,
                integer.is_boolean,
                integer.labels.as_ref(),
            ),
        })
    }

    pub(super) fn variable_integer(
        &mut self,
        integer: &VariableInteger,
    ) -> Result<IntegerOp, Fault> {
        let role = self.role(&integer.roles);
        Ok(IntegerOp {
            bits: 0,
            alignment: 8,
            is_big: false,
            is_reversed: false,
            is_signed: integer.is_signed,
            meaning: Meaning {
                is_boolean: false,
                is_clock: role == Some(Role::Clock),
                role: role.filter(|role| *role != Role::Clock),
            },
            slot: self.target(integer.is_signed, false, integer.labels.as_ref()),
        })
    }

    pub(super) fn role(&self, declared: &[Role]) -> Option<Role> {
        let is_usable = |role: &&Role| match self.scope {
            Scope::PacketHeader => matches!(role, Role::Magic | Role::StreamClass | Role::Stream),
            Scope::PacketContext => !matches!(
                role,
                Role::EventClass | Role::StreamClass | Role::Stream | Role::Magic
            ),
            Scope::EventHeader => matches!(role, Role::EventClass | Role::Clock),
            _ => false,
        };
        let role = declared.iter().find(is_usable).copied();
        role.or_else(|| self.named_role())
    }

    /// Returns whether an integer is a value of the clock of the stream, and takes note of this clock.
    pub(super) fn is_clock(
        &mut self,
        integer: &Integer,
        role: Option<Role>,
    ) -> Result<bool, Fault> {
        let known = &mut self.environment.clock;
        let is_timestamp = || {
            let name = self.names.last().map(|name| &**name);
            match self.scope {
                Scope::PacketContext => name == Some("timestamp_begin"),
                Scope::EventHeader => name == Some("timestamp"),
                _ => false,
            }
        };
        match &integer.clock {
            // The end of a packet is read at its beginning.
            Some(clock) => match known {
                Some(known) if known != clock => Err(Fault::new(format!(
                    "a stream has values of two clocks, '{known}' and '{clock}'"
                ))),
                _ => {
                    *known = Some(clock.clone());
                    Ok(role != Some(Role::PacketEnd))
                }
            },
            None if role == Some(Role::Clock) => Ok(true),
            None => Ok(self.environment.maps_clocks && is_timestamp()),
        }
    }
}
