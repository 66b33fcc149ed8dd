//! Serves pages of stores to browsers of this machine, with data on demand.
//!
//! The server listens on the loopback address only. Its addresses begin with a token that nobody can guess, so other users and
//! the pages of other sites cannot ask it for anything. It answers requests to read, and nothing else.

mod alignment;
mod answer;
mod beside;
mod run;
mod site;

use std::fmt::Write;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, TraceError};
use rayon::ThreadPoolBuilder;
use tokio::runtime;
use tokio::time::sleep;

use run::ServedRun;
use site::Site;

/// The time between two looks at the flag that stops the server.
const BETWEEN: Duration = Duration::from_millis(50);

/// The time that is left to work that was stopped.
const GRACE: Duration = Duration::from_millis(200);

/// The greatest number of answers that are computed at once.
const ANSWERS: usize = 8;

/// A server of some stores.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    token: String,
    site: Arc<Site>,
}

/// What was served.
#[derive(Clone, Debug)]
pub struct Served {
    /// The problems that analyses found, by store.
    pub diagnostics: Vec<Diagnostics>,
    /// Whether all parts of all pages could be shown.
    pub is_complete: bool,
}

impl Server {
    /// Prepares to serve stores, each with the title of its page. The system chooses a port if `port` is 0.
    ///
    /// # Errors
    /// Returns an error if the port is taken.
    pub fn bind(stores: Vec<(String, StoreReader)>, port: u16) -> Result<Self, TraceError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).map_err(|error| {
            failed(&format!("cannot listen on {address}"), &error)
                .hint("without --port, a free port is chosen")
        })?;
        let pool = ThreadPoolBuilder::new()
            .build()
            .map_err(|error| failed("cannot start threads", &error))?;
        let pool = Arc::new(pool);
        let run = |(title, store)| ServedRun::new(title, store, Arc::clone(&pool));
        Ok(Self {
            listener,
            token: token()?,
            site: Arc::new(Site::new(stores.into_iter().map(run).collect())),
        })
    }

    /// Returns the address of the first page.
    ///
    /// # Errors
    /// Returns an error if the system does not know the address.
    pub fn address(&self) -> Result<String, TraceError> {
        let address = self.listener.local_addr();
        let address = address.map_err(|error| failed("the address is unknown", &error))?;
        Ok(format!("http://{address}/{}/", self.token))
    }

    /// Serves until `stop` is set. Tables that stores do not have are derived in the folder `scratch`. `tell` gets the text of
    /// each error by which a part of a page cannot be shown.
    ///
    /// # Errors
    /// Returns an error if connections cannot be accepted.
    pub fn serve(
        self,
        scratch: &Path,
        stop: &Arc<AtomicBool>,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Served, TraceError> {
        let (site, folder) = (Arc::clone(&self.site), scratch.to_owned());
        let progress = Progress {
            stop: Arc::clone(stop),
            ..Progress::default()
        };
        let preparing = thread::spawn(move || site.prepare(&folder, &progress, &tell));
        let accepted = self.accept(stop);
        let begin = Instant::now();
        stop.store(true, Ordering::Relaxed);
        while !preparing.is_finished() && begin.elapsed() < GRACE {
            thread::sleep(Duration::from_millis(1));
        }
        accepted.map_err(|error| failed("cannot serve pages", &error))?;
        Ok(Served {
            diagnostics: self.site.diagnostics(),
            is_complete: !self.site.has_failed(),
        })
    }

    fn accept(&self, stop: &AtomicBool) -> io::Result<()> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(ANSWERS)
            .build()?;
        let app = answer::pages(&self.token, &self.site);
        let served = runtime.block_on(async {
            let listener = self.listener.try_clone()?;
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let stopped = async {
                while !stop.load(Ordering::Relaxed) {
                    sleep(BETWEEN).await;
                }
            };
            tokio::select! {
                served = axum::serve(listener, app) => served,
                () = stopped => Ok(()),
            }
        });
        runtime.shutdown_timeout(GRACE);
        served
    }
}

/// Returns a token that nobody can guess.
fn token() -> Result<String, TraceError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| failed("the system has no random numbers", &error))?;
    Ok(bytes.iter().fold(String::new(), |mut token, byte| {
        let _ = write!(token, "{byte:02x}");
        token
    }))
}

fn failed(what: &str, error: &dyn std::error::Error) -> TraceError {
    TraceError::new(ErrorKind::Output, format!("{what}: {error}"))
}
