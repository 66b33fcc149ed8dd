//! The meaning of PyTorch's events: their categories, the numbers of steps, and calls that communicate.

use foldtrace_trace::{Carried, UNDEFINED, ValueType};
use serde_json::value::RawValue;

use crate::fault::Fault;
use crate::meaning::{CallMeaning, Meaning};
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
}

impl Meaning for PyTorch {
    fn call(
        &mut self,
        name: &str,
        record: &Record<'_>,
        objects: &mut ObjectIds,
        carried: &mut Carried,
    ) -> Result<CallMeaning, Fault> {
        let category = record.category.map_or("", RawValue::get);
        let category = Category::from_json(category);
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
        let side = match category {
            Category::Kernel if is_of_collective_library(name) => Some(Side::Kernel),
            Category::Operator if name == RECORDED => Some(Side::Host),
            _ => None,
        };
        Ok(CallMeaning {
            region: objects.minter.region_of(region, paradigm),
            communication: match side {
                Some(side) => self.operations.call(side, name, record.args)?,
                None => None,
            },
            is_on_device: category.is_on_device(),
        })
    }
}
