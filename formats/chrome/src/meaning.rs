//! The meaning of complete events, which depends on the program that wrote the file.

use foldtrace_sort::Communication;
use foldtrace_trace::Carried;

use crate::fault::Fault;
use crate::objects::ObjectIds;
use crate::record::Record;

/// The meaning of a complete event, a call.
pub(crate) struct CallMeaning {
    pub region: u64,
    pub communication: Option<Communication>,
    /// Whether the call happens on a stream of an accelerator.
    pub is_on_device: bool,
}

/// The meaning that a program gives to complete events.
pub(crate) trait Meaning {
    /// Returns the meaning of a call. May add attributes.
    fn call(
        &mut self,
        name: &str,
        record: &Record<'_>,
        objects: &mut ObjectIds,
        carried: &mut Carried,
    ) -> Result<CallMeaning, Fault>;
}

/// Events of any program: the name of an event is a region.
pub(crate) struct Plain;

impl Meaning for Plain {
    #[inline]
    fn call(
        &mut self,
        name: &str,
        _: &Record<'_>,
        objects: &mut ObjectIds,
        _: &mut Carried,
    ) -> Result<CallMeaning, Fault> {
        Ok(CallMeaning {
            region: objects.minter.region(name),
            communication: None,
            is_on_device: false,
        })
    }
}
