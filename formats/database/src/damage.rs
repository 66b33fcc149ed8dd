//! What is lost of a damaged database.

use foldtrace_trace::{Diagnostic, Diagnostics, Severity, TraceError};

use crate::{Database, Survey};

/// How a format treats damage.
#[derive(Clone, Copy, Debug)]
pub struct Damage {
    /// The severity and the key of the diagnostic.
    pub kind: (Severity, &'static str),
    /// Whether the rest is salvaged.
    pub salvages: bool,
}

impl Damage {
    /// Reports that a failure loses something, such as "a table of names".
    pub fn report(&self, error: &TraceError, what: &str, diagnostics: &mut Diagnostics) {
        self.report_message(error, format!("{error}; {what} is lost"), diagnostics);
    }

    /// Reports a failure that loses what comes after it if the rest is salvaged.
    ///
    /// # Errors
    /// Returns the failure otherwise.
    pub(crate) fn pass(
        &self,
        error: TraceError,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), TraceError> {
        if !self.salvages || !error.is_salvageable() {
            return Err(error);
        }
        let message = format!("{error}; what comes after this place is lost");
        self.report_message(&error, message, diagnostics);
        Ok(())
    }

    fn report_message(&self, error: &TraceError, message: String, diagnostics: &mut Diagnostics) {
        let (severity, key) = self.kind;
        let loss = Diagnostic::new(severity, key, message);
        diagnostics.report(loss.at((*error.place).clone()));
    }

    /// Returns what was read, or nothing if that failed and the rest is salvaged.
    ///
    /// # Errors
    /// Returns the failure otherwise.
    pub fn or_default<T: Default>(
        &self,
        result: Result<T, TraceError>,
        what: &str,
        diagnostics: &mut Diagnostics,
    ) -> Result<T, TraceError> {
        match result {
            Err(error) if self.salvages => {
                self.report(&error, what, diagnostics);
                Ok(T::default())
            }
            other => other,
        }
    }

    /// Returns whether the rows of a table can be read, after its survey and, if that succeeded, a check. The survey of a damaged
    /// table ends early: its rows are read, and the stream reports the damage when it comes there.
    ///
    /// # Errors
    /// Returns the failure of either if the rest is not salvaged.
    pub fn is_read(
        &self,
        database: &Database,
        table: &str,
        (survey, surveyed): (&Survey, Result<(), TraceError>),
        check: impl FnOnce() -> Result<(), TraceError>,
        diagnostics: &mut Diagnostics,
    ) -> Result<bool, TraceError> {
        let is_endless = survey.rows >= database.most_rows();
        let failure = match surveyed {
            Ok(()) => check().err(),
            Err(error) if !self.salvages || !error.is_salvageable() || is_endless => Some(error),
            Err(_) => None,
        };
        match failure {
            Some(error) if self.salvages && error.is_salvageable() => {
                self.report(&error, table, diagnostics);
                Ok(false)
            }
            Some(error) => Err(error),
            None => Ok(true),
        }
    }
}
