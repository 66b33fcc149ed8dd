//! The decoding steps of a trace.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::class::{Role, Scope};
use crate::compile::{Environment, Shared, compile, link, link_last};
use crate::conventions::{CallRole, Conventions};
use crate::description::{Clock, Description, EventClass, StreamClass};
use crate::fault::Fault;
use crate::leaf::Leaf;
use crate::numbers::ClassNumbers;
use crate::program::{LeafId, Op};

/// The decoding steps of a trace. Those of events are compiled when the first one occurs.
#[derive(Debug)]
pub(crate) struct TracePlan {
    pub description: Description,
    conventions: Arc<Conventions>,
    shared: Shared,
    pub packet_header: Vec<Op>,
    pub streams: BTreeMap<u64, StreamPlan>,
    /// Those of events, in the order of their compilation.
    pub events: Vec<EventPlan>,
    /// The number of slots of all scopes.
    pub slots: usize,
}

/// The decoding steps of a class of streams.
#[derive(Debug)]
pub(crate) struct StreamPlan {
    environment: Environment,
    pub packet_context: Vec<Op>,
    pub event_header: Vec<Op>,
    /// The steps of the context that all events have, which are linked with those of each class.
    common_context: Vec<Op>,
    /// The index of the clock.
    pub clock: Option<usize>,
    /// The name of the process in the context of events.
    process_name: Option<LeafId>,
    /// The indices of its classes of events, by their numbers.
    pub events: ClassNumbers,
}

/// The decoding steps of a class of events.
#[derive(Debug)]
pub(crate) struct EventPlan {
    pub name: String,
    /// The number of the class in its stream.
    pub id: u64,
    /// The name of the process in the context of events.
    pub process_name: Option<LeafId>,
    /// Whether an event changes how the events after it are understood, whatever their stream.
    pub is_barrier: bool,
    /// The steps of the contexts and of the payload.
    pub body: Vec<Op>,
    /// The first leaf of this class, and the one after the last.
    pub leaves: [LeafId; 2],
}

impl TracePlan {
    /// Compiles everything but the classes of events.
    pub(crate) fn new(
        mut description: Description,
        conventions: Arc<Conventions>,
    ) -> Result<Self, Fault> {
        let (order, bytes) = (description.order, description.bytes);
        let mut shared = Shared::new(description.is_tsdl, order, bytes);
        let mut environment = Environment::default();
        if description.is_tsdl {
            environment.roles = NAMED_ROLES.to_vec();
        }
        environment.roles.extend(OBJECT_ROLES);
        let packet_header = description.packet_header.as_ref();
        let packet_header = compile(
            Scope::PacketHeader,
            packet_header,
            &mut environment,
            &mut shared,
        )?;
        let packet_header = link([packet_header]);
        let mut streams = BTreeMap::new();
        for (id, class) in &description.streams {
            let mut environment = environment.clone();
            environment.maps_clocks = description.is_tsdl && description.clocks.len() <= 1;
            let plan = StreamPlan::new(class, environment, &mut shared);
            let plan = plan.map_err(|fault| with_place(fault, &format!("stream {id}")))?;
            streams.insert(*id, plan);
        }
        let mut has_implicit_clock = false;
        for (id, stream) in &mut streams {
            let declared = description.streams[id].clock.as_deref();
            let name = declared.or(stream.environment.clock.as_deref());
            let has_values = stream.has_clock();
            stream.clock = match name {
                Some(name) => {
                    let clock = description.clocks.iter().position(|clock| clock.id == name);
                    let fault =
                        || Fault::new(format!("stream {id} has the unknown clock '{name}'"));
                    Some(clock.ok_or_else(fault)?)
                }
                None => has_values.then_some(0),
            };
            has_implicit_clock |= has_values && description.clocks.is_empty();
        }
        if has_implicit_clock {
            description.clocks.push(Clock {
                id: "default".to_owned(),
                frequency: 1_000_000_000,
                offset: 0,
                origin: String::new(),
            });
        }
        let slots = streams.values().map(|stream| stream.environment.slots);
        let slots = slots.max().unwrap_or(environment.slots) as usize;
        let mut plan = Self {
            description,
            conventions,
            shared,
            packet_header,
            streams,
            events: Vec::new(),
            slots,
        };
        plan.check_events()?;
        Ok(plan)
    }

    /// Compiles all events of small metadata, to find faults before the first event.
    fn check_events(&mut self) -> Result<(), Fault> {
        const MOST_BYTES: usize = 1 << 20;
        if self.description.bytes > MOST_BYTES {
            return Ok(());
        }
        let ids = self.description.streams.iter();
        let ids = ids.flat_map(|(stream, class)| class.events.keys().map(|id| (*stream, *id)));
        for (stream, id) in Vec::from_iter(ids) {
            self.compile(stream, id)?;
        }
        Ok(())
    }

    /// Compiles a class of events, unless it is compiled. Returns whether there is such a class.
    pub(crate) fn compile(&mut self, stream: u64, id: u64) -> Result<bool, Fault> {
        let class = self.description.streams.get(&stream);
        let class = class.and_then(|class| class.events.get(&id));
        let (Some(class), Some(plan)) = (class, self.streams.get_mut(&stream)) else {
            return Ok(false);
        };
        if plan.events.get(id).is_none() {
            let compiled = plan.compile_event(class, id, &mut self.shared, &mut self.slots);
            let mut compiled =
                compiled.map_err(|fault| with_place(fault, &format!("event '{}'", class.name)))?;
            let rule = self.conventions.find(&compiled.name);
            compiled.is_barrier = rule.is_some_and(|(rule, _)| rule.role == CallRole::Module);
            plan.events.insert(id, self.events.len() as u32);
            self.events.push(compiled);
        }
        Ok(true)
    }

    /// Returns the leaves of the trace.
    #[inline]
    pub(crate) fn leaves(&self) -> &[Leaf] {
        &self.shared.leaves
    }

    /// Returns a class of events, and all leaves of the trace.
    pub(crate) fn class(&self, class: usize) -> Option<(&EventPlan, &[Leaf])> {
        Some((self.events.get(class)?, &self.shared.leaves))
    }
}

fn with_place(mut fault: Fault, place: &str) -> Fault {
    fault.message = format!("{place}: {}", fault.message);
    fault
}

/// Members that have a role in CTF 1.8 because of their names.
const NAMED_ROLES: [(Scope, &str, Role); 8] = [
    (Scope::PacketHeader, "magic", Role::Magic),
    (Scope::PacketHeader, "stream_id", Role::StreamClass),
    (Scope::PacketHeader, "stream_instance_id", Role::Stream),
    (Scope::PacketContext, "packet_size", Role::PacketBits),
    (Scope::PacketContext, "content_size", Role::ContentBits),
    (Scope::PacketContext, "timestamp_end", Role::PacketEnd),
    (Scope::PacketContext, "events_discarded", Role::Discarded),
    (Scope::PacketContext, "packet_seq_num", Role::Sequence),
];

/// Members that identify processors, as LTTng names them.
const OBJECT_ROLES: [(Scope, &str, Role); 1] = [(Scope::PacketContext, "cpu_id", Role::Cpu)];

/// Members of contexts that identify processes and threads. If several are present, the first one counts.
const THREAD_NAMES: [&str; 2] = ["vtid", "tid"];
const PROCESS_NAMES: [&str; 2] = ["vpid", "pid"];
const PROCESS_NAME: &str = "context.procname";

impl StreamPlan {
    fn new(
        class: &StreamClass,
        mut environment: Environment,
        shared: &mut Shared,
    ) -> Result<Self, Fault> {
        // A clock that is declared for the stream needs no mapping.
        environment.maps_clocks &= class.clock.is_none();
        let mut scope = |scope, class: Option<&_>, environment: &mut Environment| {
            compile(scope, class, environment, shared)
        };
        let context = class.packet_context.as_ref();
        let packet_context = link([scope(Scope::PacketContext, context, &mut environment)?]);
        let header = class.event_header.as_ref();
        let event_header = link([scope(Scope::EventHeader, header, &mut environment)?]);
        let names = class
            .common_context
            .as_ref()
            .map(|it| it.member_names())
            .unwrap_or_default();
        for (candidates, role) in [(THREAD_NAMES, Role::Thread), (PROCESS_NAMES, Role::Process)] {
            let is_member = |name: &&str| names.iter().any(|known| shared.display(known) == *name);
            if let Some(name) = candidates.into_iter().find(is_member) {
                environment.roles.push((Scope::CommonContext, name, role));
            }
        }
        let first_leaf = shared.leaves.len();
        let context = class.common_context.as_ref();
        let common_context = compile(Scope::CommonContext, context, &mut environment, shared)?;
        let mut leaves = shared.leaves[first_leaf..].iter();
        let process_name = leaves.position(|leaf| leaf.name == PROCESS_NAME);
        Ok(Self {
            environment,
            packet_context,
            event_header,
            common_context,
            clock: None,
            process_name: process_name.map(|index| LeafId((first_leaf + index) as u32)),
            events: ClassNumbers::default(),
        })
    }

    /// Returns whether packets or events have values of a clock.
    fn has_clock(&self) -> bool {
        let mut ops = self.packet_context.iter().chain(&self.event_header);
        ops.any(Op::has_clock)
    }

    fn compile_event(
        &self,
        class: &EventClass,
        id: u64,
        shared: &mut Shared,
        slots: &mut usize,
    ) -> Result<EventPlan, Fault> {
        let mut environment = self.environment.clone();
        let first = LeafId(shared.leaves.len() as u32);
        let context = class.specific_context.as_ref();
        let specific_context = compile(Scope::SpecificContext, context, &mut environment, shared)?;
        let payload = compile(
            Scope::Payload,
            class.payload.as_ref(),
            &mut environment,
            shared,
        )?;
        *slots = (*slots).max(environment.slots as usize);
        Ok(EventPlan {
            name: class.name.clone(),
            id,
            process_name: self.process_name,
            is_barrier: false,
            body: link_last([self.common_context.clone(), specific_context, payload]),
            leaves: [first, LeafId(shared.leaves.len() as u32)],
        })
    }
}
