//! Standard input whose reads can be cancelled while they wait for a pipe.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Maximum delay before a read notices the stop flag.
const PATIENCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// Standard input, read until its end or until `stop` is set.
#[derive(Debug)]
pub struct Stdin {
    stop: Arc<AtomicBool>,
}

impl Stdin {
    /// Returns a reader of standard input that fails once `stop` is set.
    #[must_use]
    pub fn new(stop: &Arc<AtomicBool>) -> Self {
        Self {
            stop: Arc::clone(stop),
        }
    }
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut stdin = io::stdin().lock();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(io::Error::other("stopped"));
            }
            let ready = poll(
                &mut [PollFd::new(&stdin.as_fd(), PollFlags::IN)],
                Some(&PATIENCE),
            );
            match ready {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return stdin.read(buffer),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
