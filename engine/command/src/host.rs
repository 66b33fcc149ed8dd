//! Runs subcommands within another program, such as Python, to which signals and standard error belong.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use foldtrace_trace::Diagnostics;

/// What a program gives to a subcommand, and gets from it.
#[derive(Debug)]
struct Host {
    stop: Arc<AtomicBool>,
    diagnostics: Diagnostics,
}

thread_local! {
    /// The host of the subcommand that this thread runs; `None` if the process belongs to the command.
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

/// Restores the host of the subcommand around another one, which the thread runs while the first one waits.
struct Around(Option<Host>);

impl Drop for Around {
    fn drop(&mut self) {
        HOST.set(self.0.take());
    }
}

/// Runs a subcommand on this thread. `stop` stops its work, as a signal does otherwise. Returns its result, and the diagnostics
/// that it would print.
pub fn within<T>(stop: Arc<AtomicBool>, run: impl FnOnce() -> T) -> (T, Diagnostics) {
    let host = Host {
        stop,
        diagnostics: Diagnostics::default(),
    };
    let _around = Around(HOST.replace(Some(host)));
    let result = run();
    let diagnostics = HOST.with_borrow_mut(|host| host.take().map(|host| host.diagnostics));
    (result, diagnostics.unwrap_or_default())
}

/// Returns the flag by which the host stops the work of this thread; `None` without a host.
pub(crate) fn stop() -> Option<Arc<AtomicBool>> {
    HOST.with_borrow(|host| host.as_ref().map(|host| Arc::clone(&host.stop)))
}

/// Passes diagnostics to the host. Returns whether there is one.
pub(crate) fn takes(diagnostics: &Diagnostics) -> bool {
    HOST.with_borrow_mut(|host| {
        let host = host.as_mut();
        host.map(|host| host.diagnostics.merge(diagnostics.clone()))
            .is_some()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use foldtrace_trace::{Diagnostic, Severity};

    use super::*;

    #[test]
    fn hosts_are_nested() {
        assert!(stop().is_none() && !takes(&Diagnostics::default()));
        let outer = Arc::new(AtomicBool::new(true));
        let (inner, kept) = within(Arc::clone(&outer), || {
            let mut lost = Diagnostics::default();
            lost.report(Diagnostic::new(Severity::Loss, "lost", "an event is lost"));
            let (_, inner) = within(Arc::default(), || assert!(takes(&lost)));
            assert!(stop().is_some_and(|stop| stop.load(Ordering::Relaxed)));
            inner
        });
        assert_eq!((inner.count("lost"), kept.count("lost")), (1, 0));
        assert!(stop().is_none());
    }
}
