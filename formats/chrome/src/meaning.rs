//! The meaning of complete events, which depends on the program that wrote the file.

use foldtrace_sort::Communication;
use foldtrace_trace::Carried;

use crate::fault::Fault;
use crate::objects::ObjectIds;
use crate::record::Record;

/// The meaning that a program gives to complete events.
pub(crate) trait Meaning {
    /// Returns the region of a call, and its communication. May add attributes.
    fn call(
        &mut self,
        name: &str,
        record: &Record<'_>,
        objects: &mut ObjectIds,
        carried: &mut Carried,
    ) -> Result<(u64, Option<Communication>), Fault>;

    /// Takes the track of the latest event.
    fn placed(&mut self, track: u32);
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
    ) -> Result<(u64, Option<Communication>), Fault> {
        Ok((objects.minter.region(name), None))
    }

    #[inline]
    fn placed(&mut self, _: u32) {}
}
