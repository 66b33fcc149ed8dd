//! Compiles variants and optional fields.

use super::{Compiler, Target};
use crate::class::{Location, Options, Range};
use crate::fault::Fault;
use crate::program::{Choice, Op, ordered};

impl Compiler<'_> {
    pub(super) fn optional(
        &mut self,
        selector: &Location,
        ranges: Option<&[Range]>,
    ) -> Result<Choice, Fault> {
        let target = self.find(selector, "selector")?;
        let all = Range {
            low: 1,
            high: u64::MAX.into(),
        };
        let ranges = match ranges {
            Some(ranges) => ranges,
            None if target.is_boolean => &[all],
            None => {
                let message = format!(
                    "the selector of the field '{}' is no boolean",
                    self.display()
                );
                return Err(Fault::new(message));
            }
        };
        let mut choice = self.choice(&target);
        choice.add(ranges, 0);
        Ok(choice)
    }

    pub(super) fn choice(&self, target: &Target) -> Choice {
        Choice {
            slot: target.slot,
            ranges: Vec::new(),
            is_signed: target.is_signed,
            otherwise: None,
            name: self.display(),
        }
    }

    /// Returns the choice of a variant, among the numbers of its options.
    pub(super) fn variant_choice(
        &self,
        selector: &Location,
        options: &Options,
    ) -> Result<Choice, Fault> {
        let target = self.find(selector, "selector")?;
        let mut choice = self.choice(&target);
        for (index, option) in (0..).zip(options) {
            match (&option.ranges, &target.labels) {
                (Some(ranges), _) => choice.add(ranges, index),
                (None, Some(labels)) => {
                    let named = labels
                        .entries
                        .iter()
                        .filter(|(label, _)| *label == option.name);
                    named.for_each(|(_, ranges)| choice.add(ranges, index));
                }
                (None, None) => {
                    let message = format!(
                        "the selector of the variant '{}' is no enumeration",
                        self.display()
                    );
                    return Err(Fault::new(message));
                }
            }
        }
        Ok(choice)
    }

    pub(super) fn variant(
        &mut self,
        selector: &Location,
        options: &Options,
        display: &str,
    ) -> Result<(), Fault> {
        let mut choice = self.variant_choice(selector, options)?;
        let at = self.ops.len();
        self.ops.push(Op::Jump(0));
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for option in options {
            starts.push(self.ops.len() as u32);
            let depth = self.names.len();
            // Paths of CTF 2 pass through a variant.
            if self.shared.is_tsdl {
                self.names.push(option.name.clone());
            }
            self.field(&option.class, display)?;
            self.names.truncate(depth);
            ends.push(self.ops.len());
            self.ops.push(Op::Jump(0));
        }
        let after = self.ops.len() as u32;
        ends.into_iter()
            .for_each(|end| self.ops[end] = Op::Jump(after));
        for range in &mut choice.ranges {
            range.2 = starts.get(range.2 as usize).copied().unwrap_or(after);
        }
        self.ops[at] = Op::Select(Box::new(choice));
        Ok(())
    }
}

impl Choice {
    /// Adds ranges that select a number. Parts that no value of the selector can have are left out.
    fn add(&mut self, ranges: &[Range], selected: u32) {
        let (least, most) = if self.is_signed {
            (i128::from(i64::MIN), i128::from(i64::MAX))
        } else {
            (0, i128::from(u64::MAX))
        };
        for range in ranges {
            let (low, high) = (range.low.max(least), range.high.min(most));
            if low <= high {
                let bits = |value: i128| ordered(value as u64, self.is_signed);
                self.ranges.push((bits(low), bits(high), selected));
            }
        }
    }
}
