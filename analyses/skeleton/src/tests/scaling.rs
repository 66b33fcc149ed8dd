//! Tests of scaled loops.

use proptest::prelude::*;

use super::super::count::visit;
use super::super::scale::{Depth, Weights, scaled};
use super::*;

fn scale(program: &[Construct], factor: f64) -> String {
    text(&scaled(program, factor, &Weights::default(), Depth::All))
}

#[test]
fn the_rest_of_a_factor_goes_into_the_body() {
    let inner = repeat(100, vec![send(0, 0)]);
    let program = [repeat(10, vec![inner, barrier()])];
    assert_eq!(scale(&program, 1.0), "10*(100*(s0) b)");
    assert_eq!(scale(&program, 0.5), "5*(100*(s0) b)");
    assert_eq!(scale(&program, 0.01), "1*(9*(s0) b)");
    assert_eq!(scale(&program, 0.25), "3*(83*(s0) b)");
    assert_eq!(scale(&program, 3.0), "30*(100*(s0) b)");
}

#[test]
fn calls_outside_of_loops_reduce_the_loops() {
    let mut program: Vec<Construct> = (0..10).map(|_| barrier()).collect();
    program.push(repeat(90, vec![send(0, 0)]));
    assert!(scale(&program, 0.5).ends_with(" 40*(s0)"));
    // Loops are reduced to no less than half of the requested factor.
    assert!(scale(&program, 0.1).ends_with(" 5*(s0)"));
    // Loops do not compensate for calls that cannot be repeated.
    assert!(scale(&program, 2.0).ends_with(" 180*(s0)"));
}

#[test]
fn loops_that_steer_or_grow_stay() {
    let steering = Construct::Call(match send(1, 0) {
        Construct::Call(mut call) => {
            if let Action::Send(message) = &mut call.action {
                message.direction.growth.push((1, 1));
            }
            call
        }
        Construct::Loop(_) => unreachable!(),
    });
    let program = [repeat(100, vec![repeat(3, vec![steering])])];
    assert_eq!(scale(&program, 0.1), "10*(3*(s1))");
    let growing = Construct::Loop(Loop {
        count: Number {
            base: 1,
            growth: vec![(0, 1)],
        },
        body: vec![send(0, 0)],
    });
    // 1 + 2 + ... + 100 sends, of which a tenth is 1 + ... + 31.
    assert_eq!(scale(&[repeat(100, vec![growing])], 0.1), "31*(1*(s0))");
}

fn programs() -> impl Strategy<Value = Vec<Construct>> {
    let leaf = prop_oneof![Just(send(0, 0)), Just(barrier())];
    let construct = leaf.prop_recursive(3, 12, 4, |inner| {
        (1..300_i64, prop::collection::vec(inner, 1..4))
            .prop_map(|(count, body)| repeat(count, body))
    });
    prop::collection::vec(construct, 1..5)
}

fn calls(program: &[Construct]) -> f64 {
    let mut calls = 0;
    visit(program, &mut |_, _, times| calls += times);
    calls as f64
}

proptest! {
    #[test]
    fn a_program_of_scale_one_is_the_same(program in programs()) {
        prop_assert_eq!(scaled(&program, 1.0, &Weights::default(), Depth::All), program);
    }

    /// The scaled program has as many calls as requested, apart from calls that run once and from rounding, which is
    /// at most half of the iterations of each loop; next to calls outside of loops, it has at least half and at most
    /// double.
    #[test]
    fn sums_match_the_factor(program in programs(), factor in 0.05..3.0_f64) {
        let scaled = scaled(&program, factor, &Weights::default(), Depth::All);
        let (was, is) = (calls(&program), calls(&scaled));
        fn once(body: &[Construct]) -> f64 {
            let each = body.iter().map(|construct| match construct {
                Construct::Call(_) => 1.0,
                Construct::Loop(inner) => once(&inner.body),
            });
            each.sum()
        }
        let least = once(&program);
        prop_assert!(is >= least);
        prop_assert!(is <= 4.0 * factor * was + 2.0 * least, "{was} {is} {least}");
        prop_assert!(is >= factor * was / 8.0 - 2.0 * least, "{was} {is} {least}");
    }

    /// Scaling a single loop nest without other constructs is exact up to one iteration of the innermost loop.
    #[test]
    fn nests_are_scaled_closely(outer in 1..1000_i64, inner in 10..1000_i64, factor in 0.1..1.0_f64) {
        let program = [repeat(outer, vec![repeat(inner, vec![send(0, 0)])])];
        let left = calls(&scaled(&program, factor, &Weights::default(), Depth::All));
        let asked = factor * (outer * inner) as f64;
        prop_assert!((left / asked - 1.0).abs() < 0.51 , "{left} for {asked}");
    }
}
