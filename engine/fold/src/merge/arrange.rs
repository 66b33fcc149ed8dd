//! Arranges constructs into a system: their order, clocks and links.

use super::lanes::{Lanes, Meeting};
use super::order::clocks;
use super::system::{Construct, Flow, Link, Matched, System, total};

/// Returns a system of these constructs, unchanged except for their order and clocks.
pub(super) fn arranged(constructs: Vec<Construct>, matched: Matched) -> System {
    let meetings = Lanes::new(&constructs, &matched).meetings();
    let clocks = clocks(&constructs, &meetings);
    let mut order: Vec<u32> = (0..constructs.len() as u32).collect();
    let first = |index: u32| constructs[index as usize].processes.first().copied();
    order.sort_by_key(|&index| (clocks[index as usize], first(index)));
    let mut place = vec![0; order.len()];
    for (new, &old) in (0..).zip(&order) {
        place[old as usize] = new;
    }
    let mut links: Vec<Link> = meetings
        .iter()
        .map(|meeting| Link {
            from: place[meeting.from as usize],
            to: place[meeting.to as usize],
            channel: meeting.channel,
            messages: meeting.messages,
        })
        .collect();
    links.sort_unstable();
    let open = open(&constructs, &meetings);
    let mut places: Vec<(u32, Construct)> = place.into_iter().zip(constructs).collect();
    places.sort_unstable_by_key(|&(place, _)| place);
    let constructs = places.into_iter().zip(order);
    let constructs = constructs.map(|((_, construct), old)| Construct {
        clock: clocks[old as usize],
        ..construct
    });
    let constructs: Vec<Construct> = constructs.collect();
    System {
        has_steps: constructs.iter().any(Construct::has_steps),
        constructs,
        links,
        open,
        matched,
    }
}

/// Returns the flow that is left after all meetings.
fn open(constructs: &[Construct], meetings: &[Meeting]) -> Flow {
    let mut flow = total(constructs);
    for meeting in meetings {
        for end in [meeting.channel.source(), meeting.channel.sink()] {
            if let Ok(index) = flow.binary_search_by_key(&end, |&(end, _)| end) {
                flow[index].1 -= meeting.messages;
            }
        }
    }
    flow.retain(|(_, volume)| *volume > 0);
    flow
}
