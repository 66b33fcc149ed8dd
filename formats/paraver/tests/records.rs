//! Random records, whose events are known because no two have the same time.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;

use crate::reading::{Trace, shown};

const TASKS: usize = 3;

pub(crate) const LABELS: &str = "\
EVENT_TYPE
0 60000019 User function
VALUES
0 End
1 solve
2 exchange
EVENT_TYPE
0 700 Mode
VALUES
0 off
1 on
EVENT_TYPE
0 42000050 PAPI_TOT_INS
";

/// What a task does next.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Begin(u64),
    End,
    Mode(u64),
    Count(i64),
    /// Sends a message to the task that many places further; the second number is that of the steps until it is received.
    Send(usize, usize),
    /// Begins a state; the second number is that of the steps until it ends.
    State(u64, usize),
}

pub(crate) fn action() -> impl Strategy<Value = (usize, Action)> {
    let action = prop_oneof![
        (1_u64..=2).prop_map(Action::Begin),
        Just(Action::End),
        (0_u64..=1).prop_map(Action::Mode),
        any::<i64>().prop_map(Action::Count),
        (1..TASKS, 1_usize..20).prop_map(|(to, steps)| Action::Send(to, steps)),
        (0_u64..4, 1_usize..5).prop_map(|(state, steps)| Action::State(state, steps)),
    ];
    (0..TASKS, action)
}

/// The events of all tasks, by task and time.
pub(crate) type Expected = [BTreeMap<usize, String>; TASKS];

/// Returns the records of some actions, and the events that they mean. A step takes ten ticks; messages are received, and
/// states end, between steps.
pub(crate) fn records(actions: &[(usize, Action)]) -> (String, Expected) {
    let mut text = String::from("#Paraver (x):1000000_ns:1(3):1:3(1:1,1:1,1:1)\n");
    let mut expected: Expected = Default::default();
    let mut open: [Vec<u64>; TASKS] = Default::default();
    let mut state_until = [0; TASKS];
    for (step, (task, action)) in actions.iter().enumerate() {
        let (task, time) = (*task, 10 * step);
        let object = |task: usize| format!("{0}:1:{0}:1", task + 1);
        let own = object(task);
        let name = |value| ["solve", "exchange"][value as usize - 1];
        let event = match action {
            Action::Begin(value) => {
                writeln!(text, "2:{own}:{time}:60000019:{value}").unwrap();
                open[task].push(*value);
                format!("enter {}", name(*value))
            }
            Action::End => {
                writeln!(text, "2:{own}:{time}:60000019:0").unwrap();
                match open[task].pop() {
                    Some(value) => format!("leave {}", name(value)),
                    None => "leave ?".to_owned(),
                }
            }
            Action::Mode(value) => {
                writeln!(text, "2:{own}:{time}:700:{value}").unwrap();
                format!("Mode={}", ["off", "on"][*value as usize])
            }
            Action::Count(value) => {
                writeln!(text, "2:{own}:{time}:42000050:{value}").unwrap();
                format!("PAPI_TOT_INS={value}")
            }
            Action::Send(to, steps) => {
                let to = (task + to) % TASKS;
                let received = time + 10 * steps + 1 + task;
                // Messages with the same tag would be received in the order in which they were sent.
                let (bytes, tag) = (step + 1, step);
                let other = object(to);
                writeln!(
                    text,
                    "3:{own}:{time}:{time}:{other}:{received}:{received}:{bytes}:{tag}"
                )
                .unwrap();
                let receive = format!("recv from {task} tag {tag} bytes {bytes}");
                expected[to].insert(received, receive);
                format!("send to {to} tag {tag} bytes {bytes}")
            }
            Action::State(state, steps) => {
                if state_until[task] > time {
                    continue;
                }
                let end = time + 10 * steps + 5;
                state_until[task] = end;
                writeln!(text, "1:{own}:{time}:{end}:{state}").unwrap();
                expected[task].insert(end, "State=none".to_owned());
                let names = ["Idle", "Running", "Not created", "Waiting a message"];
                format!("State={}", names[*state as usize])
            }
        };
        expected[task].insert(time, event);
    }
    (text, expected)
}

/// Returns whether messages reach a task at the same time, which has no order.
pub(crate) fn has_ties(actions: &[(usize, Action)]) -> bool {
    let mut arrivals = Vec::new();
    for (step, (task, action)) in actions.iter().enumerate() {
        if let Action::Send(to, steps) = action {
            arrivals.push(((task + to) % TASKS, 10 * (step + steps) + 1 + task));
        }
    }
    let all = arrivals.len();
    arrivals.sort_unstable();
    arrivals.dedup();
    arrivals.len() < all
}

proptest! {
    #[test]
    fn records_become_the_events_that_they_describe(
        actions in prop::collection::vec(action(), 0..80),
    ) {
        prop_assume!(!has_ties(&actions));
        let (text, expected) = records(&actions);
        let found = shown(&Trace::with_labels(&text, LABELS).read());
        for (task, events) in expected.iter().enumerate() {
            let events: Vec<String> = events
                .iter()
                .map(|(time, event)| format!("{time} {event}"))
                .collect();
            // Times of receives that no call explains are attributes, which are not shown.
            prop_assert_eq!(&found[task], &events, "task {}", task);
        }
    }
}
