//! Failures of requests, as errors of files.

use std::error::Error as _;
use std::io;
use std::iter;
use std::path::Path;

use foldtrace_trace::{ErrorKind, Place, TraceError};
use object_store::Error;

/// Where the server and the credentials come from.
const ENVIRONMENT: &str = "AWS_ENDPOINT_URL names the server (AWS_ALLOW_HTTP=true permits http://), AWS_REGION the region; \
     AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role, grant access";

/// Returns the failure of a request as that of an operation on a file.
pub(crate) fn io_error(error: Error) -> io::Error {
    let kind = match &error {
        Error::NotFound { .. } => io::ErrorKind::NotFound,
        Error::AlreadyExists { .. } | Error::Precondition { .. } => io::ErrorKind::AlreadyExists,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, in_a_line(&error))
}

/// Returns an error and its first cause in a line. The text of an error repeats those of most of its causes, and answers of servers
/// have several lines.
fn in_a_line(error: &Error) -> String {
    let causes = iter::successors(error.source(), |&cause| cause.source());
    let (text, first) = (error.to_string(), causes.last().map(ToString::to_string));
    let first = first.filter(|first| !text.contains(first));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    first.map_or_else(|| text.clone(), |first| format!("{text}: {first}"))
}

/// Returns the error for a folder that cannot be used because of the server or the credentials.
pub(crate) fn unusable(url: &Path, error: Error) -> TraceError {
    let message = format!("cannot use {}", url.display());
    TraceError::new(ErrorKind::Unreadable, message)
        .at(Place::file(url))
        .caused_by(io_error(error))
        .hint(ENVIRONMENT)
}

/// Adds to an error where the server and the credentials come from.
pub(crate) fn explained(error: TraceError) -> TraceError {
    error.hint(ENVIRONMENT)
}
