//! Shifting: the first part of a loop's body is pumped out of it (RR-8562, section III.B.2).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::End;
use super::coalesce::arranged;
use super::system::{Construct, Kind, System};

/// A loop as its first part, a loop with one iteration less, and its last part: (a b)ⁿ is
/// a (b a)ⁿ⁻¹ b. `messages` says how many messages of which ends a has; `None` if there is no such part
/// that exchanges nothing with the rest.
pub(super) fn shifted(
    construct: &Construct,
    messages: &BTreeMap<End, u64>,
) -> Option<Vec<Construct>> {
    let Kind::Loop { count, body } = &construct.kind else {
        return None;
    };
    if construct.is_shifted {
        return None;
    }
    let is_first = first_part(body, messages)?;
    let pick = |first: bool| {
        let all = body.constructs.iter().zip(&is_first);
        all.filter(move |&(_, &is_first)| is_first == first)
            .map(|(construct, _)| construct.clone())
    };
    let mut result: Vec<Construct> = pick(true).collect();
    let rotated: Vec<Construct> = pick(false).chain(pick(true)).collect();
    if *count == 2 {
        result.extend(rotated);
    } else {
        let body = Arc::new(arranged(rotated, body.matched.clone()));
        let mut rest = Construct::repeat(count - 1, body);
        rest.is_shifted = true;
        result.push(rest);
    }
    result.extend(pick(false));
    Some(result)
}

/// Which constructs of a body have the first messages of some ends, and what has to come before them or
/// communicates with them.
fn first_part(body: &System, messages: &BTreeMap<End, u64>) -> Option<Vec<bool>> {
    let mut is_first = vec![false; body.constructs.len()];
    for (&end, &wanted) in messages {
        let mut sum = 0;
        for (construct, is_first) in body.constructs.iter().zip(&mut is_first) {
            if sum >= wanted {
                break;
            }
            let volume = construct.volume(end);
            *is_first |= volume > 0;
            sum += volume;
        }
    }
    close(body, &mut is_first);
    let fits = messages.iter().all(|(&end, &wanted)| {
        let firsts = body.constructs.iter().zip(&is_first);
        let volumes = firsts.map(|(c, &is_first)| if is_first { c.volume(end) } else { 0 });
        volumes.sum::<u64>() == wanted
    });
    (fits && is_first.contains(&false)).then_some(is_first)
}

/// Adds what comes before any of the constructs, and what communicates with them.
fn close(body: &System, is_in: &mut [bool]) {
    loop {
        let before = is_in.iter().filter(|&&is_in| is_in).count();
        let mut wanted = std::collections::HashSet::new();
        for (construct, is_in) in body.constructs.iter().zip(is_in.iter_mut()).rev() {
            *is_in |= construct.processes.iter().any(|p| wanted.contains(p));
            if *is_in {
                wanted.extend(construct.processes.iter().copied());
            }
        }
        for link in &body.links {
            let [from, to] = [link.from, link.to].map(|index| index as usize);
            let either = is_in[from] || is_in[to];
            (is_in[from], is_in[to]) = (either, either);
        }
        if before == is_in.iter().filter(|&&is_in| is_in).count() {
            return;
        }
    }
}
