//! Compiles variants and optional fields.

use super::{Compiler, Target};
use crate::class::{Location, Options};
use crate::fault::Fault;
use crate::program::{Choice, Op};
use crate::range::Range;
use crate::segments::Segments;

impl Compiler<'_> {
    /// Returns the choice of an optional field, which selects 0 if there is content.
    pub(super) fn optional(
        &self,
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
        Ok(self.choice(&target, ranges.iter().map(|range| (*range, 0))))
    }

    fn choice(&self, target: &Target, ranges: impl IntoIterator<Item = (Range, u32)>) -> Choice {
        Choice {
            slot: target.slot,
            is_signed: target.is_signed,
            ranges: Segments::new(ranges, target.is_signed),
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
        let mut selecting = Vec::new();
        for (index, option) in (0..).zip(options) {
            match (&option.ranges, &target.labels) {
                (Some(ranges), _) => selecting.extend(ranges.iter().map(|range| (*range, index))),
                (None, Some(labels)) => {
                    let ranges = labels.ranges_of(&option.name);
                    selecting.extend(ranges.map(|range| (range, index)));
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
        Ok(self.choice(&target, selecting))
    }

    /// Compiles a variant, whose options follow its step one after another.
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
        let start = |option: u32| starts.get(option as usize).copied().unwrap_or(after);
        choice.ranges.renumber(start);
        self.ops[at] = Op::Select(Box::new(choice));
        Ok(())
    }
}
