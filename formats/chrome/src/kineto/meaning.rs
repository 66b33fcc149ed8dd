//! The meaning of PyTorch's events: their categories, the numbers of steps, and calls that communicate.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use foldtrace_sort::Communication;
use foldtrace_trace::{Carried, UNDEFINED, ValueType};
use serde_json::value::RawValue;

use crate::fault::Fault;
use crate::meaning::Meaning;
use crate::objects::ObjectIds;
use crate::record::Record;

use super::operations::{Operations, Side};
use super::words::{Category, is_of_collective_library, numbered_step};

/// The name of the calls in which PyTorch records the arguments of operations.
const RECORDED: &str = "record_param_comms";

/// The events of all files.
#[derive(Default)]
pub(crate) struct PyTorch {
    /// The operations of all files.
    pub operations: Operations,
    /// The tracks that are streams of accelerators.
    pub devices: HashSet<u32, FixedState>,
    last_device: Option<u32>,
    is_on_device: bool,
}

impl Meaning for PyTorch {
    fn call(
        &mut self,
        name: &str,
        record: &Record<'_>,
        objects: &mut ObjectIds,
        carried: &mut Carried,
    ) -> Result<(u64, Option<Communication>), Fault> {
        let category = record.category.map_or("", RawValue::get);
        let category = Category::from_json(category);
        self.is_on_device = category.is_on_device();
        let region = match numbered_step(name) {
            Some((region, number)) => {
                let id = objects.attribute_id("step", ValueType::Int64);
                let attribute = (id, ValueType::Int64, number as u64);
                carried.attributes.push(attribute);
                region
            }
            None => name,
        };
        let paradigm = category.paradigm(region).unwrap_or(UNDEFINED);
        let id = objects.minter.region_of(region, paradigm);
        let side = match category {
            Category::Kernel if is_of_collective_library(name) => Side::Kernel,
            Category::Operator if name == RECORDED => Side::Host,
            _ => return Ok((id, None)),
        };
        Ok((id, self.operations.call(side, name, record.args)?))
    }

    #[inline]
    fn placed(&mut self, track: u32) {
        if self.is_on_device && self.last_device != Some(track) {
            self.devices.insert(track);
            self.last_device = Some(track);
        }
        self.is_on_device = false;
    }
}
