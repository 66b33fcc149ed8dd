//! Decodes the columns of archives of versions 1 to 3.

use foldtrace_trace::Quantity;

use super::coder::Decoder;
use super::number::{Context, Numbers, length_of};
use super::values::{Owner, unzigzag};

const TIME: Context = Context::new(1);
const BACKWARDS: Context = Context::new(2);
const REST: Context = Context::new(3);
const VALUE: Context = Context::new(4);

/// Decodes the times of events with these fingerprints, as units and remainders.
pub(super) fn decode_times(
    coder: &mut Decoder<'_>,
    unit: u16,
    ascending: bool,
    prints: impl Iterator<Item = u32>,
    times: &mut [u64],
) {
    let mut numbers = Numbers::new(16 * times.len());
    let rest_bits = length_of(u64::from(unit) - 1);
    let (mut time_before, mut print_before, mut length_before) = (0_u64, 0, 0);
    for (print, time) in prints.zip(times) {
        let pair = TIME.and(print_before).and(print);
        let backwards = !ascending && numbers.small(coder, BACKWARDS.and(print), 1, 0) == 1;
        let units = numbers.number(coder, pair.and(length_before), pair, 0);
        let length = length_of(units);
        let rest = if unit > 1 {
            // A short time predicts the remainder, a long one hardly does.
            let magnitude = if length < 7 {
                units as u32
            } else {
                64 + length
            };
            numbers.small(coder, REST.and(magnitude), rest_bits, 0)
        } else {
            0
        };
        let ticks = units
            .wrapping_mul(u64::from(unit))
            .wrapping_add(u64::from(rest));
        *time = if backwards {
            time_before.wrapping_sub(ticks)
        } else {
            time_before.wrapping_add(ticks)
        };
        (time_before, print_before, length_before) = (*time, print, length);
    }
}

/// Decodes the values of a quantity, as differences from the last value of the same symbol.
pub(super) fn decode_values(
    coder: &mut Decoder<'_>,
    quantity: Quantity,
    owners: impl Iterator<Item = Owner>,
    rows: usize,
    values: &mut [u64],
) {
    if values.is_empty() {
        return;
    }
    let mut numbers = Numbers::new(16 * values.len());
    let mut last = vec![0_u64; rows];
    let reason = VALUE.and(quantity as u32);
    for (owner, value) in owners.zip(values) {
        let context = reason.and(owner.print);
        let last = &mut last[owner.row as usize];
        *last = last.wrapping_add(unzigzag(numbers.number(coder, context, context, 0)));
        *value = *last;
    }
}
