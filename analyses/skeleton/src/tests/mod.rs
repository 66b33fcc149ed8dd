//! Tests with small programs on the topologies of the library.

mod completing;
mod rehearsing;
mod scaling;
mod shapes;

use foldtrace_logical::model::{CommunicatorId, Number};
use foldtrace_topology::recognition::{Library, Topology};

use super::program::{Action, Call, Construct, Loop, Message, Size};

/// Returns the topology with this name.
fn topology(nodes: usize, name: &str) -> Topology {
    let candidates = Library::default().candidates(nodes);
    let found = candidates.iter().find(|candidate| candidate.name == name);
    let names: Vec<&str> = candidates.iter().map(|it| &*it.name).collect();
    found
        .unwrap_or_else(|| panic!("{name} of {names:?}"))
        .build()
}

fn message(direction: i64, tag: i64) -> Message {
    Message {
        direction: Number::constant(direction),
        tag: Number::constant(tag),
        communicator: CommunicatorId(0),
    }
}

fn call(action: Action) -> Construct {
    Construct::Call(Call {
        origin: Some(0),
        action,
        guard: None,
        computing: None,
        size: Size::Exact(0),
        limit: None,
    })
}

fn send(direction: i64, tag: i64) -> Construct {
    call(Action::Send(message(direction, tag)))
}

fn receive(direction: i64, tag: i64) -> Construct {
    call(Action::Receive(message(direction, tag)))
}

fn barrier() -> Construct {
    call(Action::Collective {
        operation: 0,
        root: Number::constant(0),
        communicator: CommunicatorId(0),
    })
}

fn repeat(count: i64, body: Vec<Construct>) -> Construct {
    let count = Number::constant(count);
    Construct::Loop(Loop { count, body })
}

/// Returns a program in one line: `3*(s0 r1)`. A tag other than 0 follows a colon; `T` is a take, `b` is a barrier.
fn text(body: &[Construct]) -> String {
    let word = |construct: &Construct| match construct {
        Construct::Loop(inner) => format!("{}*({})", inner.count.base, text(&inner.body)),
        Construct::Call(call) => {
            let (letter, message) = match &call.action {
                Action::Send(message) => ("s", message),
                Action::Receive(message) => ("r", message),
                Action::Take(message) => ("T", message),
                Action::Collective { .. } => return "b".to_owned(),
            };
            let tag = match message.tag.base {
                0 => String::new(),
                tag => format!(":{tag}"),
            };
            let limit = call
                .limit
                .map_or(String::new(), |limit| format!("?{limit}"));
            format!("{letter}{}{tag}{limit}", message.direction.base)
        }
    };
    body.iter().map(word).collect::<Vec<_>>().join(" ")
}
