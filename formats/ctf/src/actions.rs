//! What the events of a class become.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::{EventKind, Minter, Symbol, SymbolId, SymbolTable, UNDEFINED};

use crate::conventions::{CallRole, Conventions, MessageRole, Rule};
use crate::leaf::{EventFields, Field, Leaf, LeafKind};
use crate::modules::Modules;
use crate::plan::EventPlan;
use crate::program::LeafId;

/// What the events of a class become.
#[derive(Debug)]
pub(crate) struct Action {
    pub role: CallRole,
    pub region: RegionSource,
    pub message: Option<Message>,
    /// The leaves of a module: address, size, path.
    pub module: Option<[LeafId; 3]>,
    /// The name of the process in the context of events.
    pub process_name: Option<LeafId>,
    /// The symbol of an event that is no call.
    pub local: SymbolId,
}

/// Where the name of a region comes from.
#[derive(Debug)]
pub(crate) enum RegionSource {
    /// The innermost call.
    Innermost,
    Known(u64),
    Field(LeafId),
    Address(LeafId),
}

/// The fields of a message.
#[derive(Debug)]
pub(crate) struct Message {
    pub role: MessageRole,
    pub peer: Option<LeafId>,
    pub tag: Option<LeafId>,
    pub bytes: Option<LeafId>,
}

impl Action {
    /// Finds out what the events of a class become. A class without a name is called `event` and its number.
    pub(crate) fn new(
        plan: &EventPlan,
        leaves: &[Leaf],
        conventions: &Conventions,
        minter: &mut Minter,
        symbols: &mut SymbolTable,
    ) -> Self {
        let unnamed = format!("event {}", plan.id);
        let name = if plan.name.is_empty() {
            &unnamed
        } else {
            &plan.name
        };
        let string = minter.string(name);
        let mut action = Self {
            role: CallRole::Event,
            region: RegionSource::Innermost,
            message: None,
            module: None,
            process_name: plan.process_name,
            local: symbols.intern(Symbol::new(EventKind::Local, &[string])),
        };
        let Some((rule, region)) = conventions.find(name) else {
            return action;
        };
        let [first, after] = plan.leaves.map(|leaf| leaf.0 as usize);
        let own = leaves.get(first..after).unwrap_or_default();
        let find = |name: &str| {
            let index = own.iter().position(|leaf| leaf.name == name)?;
            Some(LeafId((first + index) as u32))
        };
        action.apply(rule, region, find, minter);
        action
    }

    fn apply(
        &mut self,
        rule: &Rule,
        region: Option<String>,
        find: impl Fn(&str) -> Option<LeafId>,
        minter: &mut Minter,
    ) {
        self.role = rule.role;
        let field = |name: &Option<String>| name.as_deref().and_then(&find);
        self.region = match (region, field(&rule.field), field(&rule.address)) {
            (Some(region), ..) => RegionSource::Known(minter.region(&region)),
            (None, Some(leaf), _) => RegionSource::Field(leaf),
            (None, None, Some(leaf)) => RegionSource::Address(leaf),
            (None, None, None) => RegionSource::Innermost,
        };
        if rule.role == CallRole::Enter && matches!(self.region, RegionSource::Innermost) {
            // The field of the rule is missing.
            self.role = CallRole::Event;
        }
        self.message = rule.message.map(|role| Message {
            role,
            peer: field(&rule.peer),
            tag: field(&rule.tag),
            bytes: field(&rule.bytes),
        });
        if rule.role == CallRole::Module {
            let [address, bytes, path] = ["baddr", "memsz", "path"].map(&find);
            self.module = address
                .zip(bytes)
                .zip(path)
                .map(|((address, bytes), path)| [address, bytes, path]);
        }
    }
}

/// Regions that are named by fields.
#[derive(Debug, Default)]
pub(crate) struct NamedRegions {
    by_address: HashMap<(usize, u64), u64, RandomState>,
}

impl NamedRegions {
    /// Returns the region that an event of a process names; `None` if it names none.
    #[inline]
    pub(crate) fn find(
        &mut self,
        source: &RegionSource,
        fields: EventFields<'_>,
        leaves: &[Leaf],
        (process, modules): (usize, &Modules),
        minter: &mut Minter,
    ) -> Option<u64> {
        match source {
            RegionSource::Innermost => None,
            RegionSource::Known(region) => Some(*region),
            RegionSource::Field(leaf) => {
                let field = fields.find(*leaf)?;
                let name = value_text(field, fields, leaves.get(leaf.0 as usize)?);
                Some(minter.region(&name))
            }
            RegionSource::Address(leaf) => {
                let address = fields.find(*leaf)?.bits;
                let place = (process, address);
                if let Some(known) = self.by_address.get(&place) {
                    return Some(*known);
                }
                let region = minter.region(&modules.function(address));
                self.by_address.insert(place, region);
                Some(region)
            }
        }
    }

    /// Forgets the regions of a process, because its modules have changed.
    pub(crate) fn forget(&mut self, process: usize) {
        self.by_address.retain(|(owner, _), _| *owner != process);
    }
}

/// Returns the value of a field as a text.
fn value_text<'a>(field: Field, fields: EventFields<'a>, leaf: &'a Leaf) -> Cow<'a, str> {
    let signed = || Cow::Owned((field.bits as i64).to_string());
    let unsigned = || Cow::Owned(field.bits.to_string());
    match &leaf.kind {
        LeafKind::Text => fields.text(field).into(),
        LeafKind::Signed => signed(),
        LeafKind::Double => f64::from_bits(field.bits).to_string().into(),
        LeafKind::Labelled(labels) => match labels.find(field.bits) {
            Some(index) => labels.text(index).into(),
            None if labels.is_signed => signed(),
            None => unsigned(),
        },
        LeafKind::Unsigned | LeafKind::Boolean => unsigned(),
    }
}

impl Message {
    /// Returns the symbol of an event in a communicator, and the number of bytes.
    pub(crate) fn symbol(&self, fields: EventFields<'_>, world: u64) -> (Symbol, u64) {
        let value = |leaf: Option<LeafId>| {
            let field = leaf.and_then(|leaf| fields.find(leaf));
            field.map_or(UNDEFINED, |field| field.bits)
        };
        let kind = match self.role {
            MessageRole::Send => EventKind::MpiSend,
            MessageRole::Receive => EventKind::MpiRecv,
        };
        let operands = [value(self.peer), world, value(self.tag)];
        (Symbol::new(kind, &operands), value(self.bytes))
    }
}
