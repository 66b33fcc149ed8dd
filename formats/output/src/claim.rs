//! The claim of a writer on a target: a check of what may be replaced there, and the lock against other writers.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Place, TraceError, is_object_url};

use crate::{TargetLock, Unfinished};

/// Checks that a target does not exist or may be replaced.
type Check = Box<dyn Fn(&Path) -> Result<(), TraceError> + Send + Sync>;

/// The claim of a writer on a target. To release the claim only after the unfinished output is removed, declare it
/// after that output.
pub(crate) struct Claim {
    target: PathBuf,
    check: Check,
    lock: TargetLock,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Claim").field(&self.target).finish()
    }
}

impl Claim {
    /// Claims `target`. `check` returns an error if something there must not be replaced.
    ///
    /// # Errors
    /// If the check fails, if another writer has the target, or if its folder cannot be written.
    pub fn new(
        target: PathBuf,
        check: impl Fn(&Path) -> Result<(), TraceError> + Send + Sync + 'static,
    ) -> Result<Self, TraceError> {
        if is_object_url(&target) {
            let message = format!("cannot write {}", target.display());
            return Err(TraceError::new(ErrorKind::Usage, message)
                .at(Place::file(&target))
                .hint("only stores are written to object stores; name a local file"));
        }
        check(&target)?;
        let lock = TargetLock::take(&target)?;
        // Another writer may have finished between the check and the lock.
        check(&target)?;
        Ok(Self {
            target,
            check: Box::new(check),
            lock,
        })
    }

    /// Returns the final path of the output.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the lock of the target.
    pub fn lock(&self) -> &TargetLock {
        &self.lock
    }

    /// Returns the error for a failure to write the output.
    pub fn unwritable(&self, error: io::Error) -> TraceError {
        TraceError::unwritable(&self.target, error)
    }

    /// Gives the output its final name with `rename`, see [`Unfinished::appear`].
    ///
    /// # Errors
    /// If `rename` fails, or if a target that must not be replaced exists by now.
    pub fn appear(
        &self,
        output: Unfinished,
        rename: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<(), TraceError> {
        (self.check)(&self.target)?;
        let appeared = output.appear(rename);
        appeared.map_err(|error| self.unwritable(error))
    }
}
