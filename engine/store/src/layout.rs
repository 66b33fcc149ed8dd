//! What can be chosen of how a store is written. Whatever it is, the store says the same.

use foldtrace_trace::{ErrorKind, TraceError};
use parquet::basic::ZstdLevel;

use super::manifest::Form;
use super::parquet_io::ROW_GROUP_ROWS;

/// The level of Zstandard for tables of events, unless the user wants another one.
const LEVEL: i32 = 3;

/// How a store is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// How quantities are kept.
    pub form: Form,
    /// How hard Zstandard tries to make tables of events small.
    pub(super) level: ZstdLevel,
    /// Rows of a row group: fewer wait in memory until they are written.
    pub row_group_rows: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            form: Form::Plain,
            level: ZstdLevel::try_new(LEVEL).unwrap_or_default(),
            row_group_rows: ROW_GROUP_ROWS,
        }
    }
}

impl Layout {
    /// The same with quantities in another form. Row groups of an archive are smaller, because a
    /// segment of it is decoded as a whole.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        let row_group_rows = match form {
            Form::Plain => ROW_GROUP_ROWS,
            Form::Archive => 1 << 16,
        };
        Self {
            form,
            row_group_rows,
            ..self
        }
    }

    /// The same with another level of Zstandard, 1 to 22.
    ///
    /// # Errors
    /// If there is no such level.
    pub fn with_level(self, level: i32) -> Result<Self, TraceError> {
        let level = ZstdLevel::try_new(level).map_err(|error| {
            TraceError::new(ErrorKind::Usage, format!("there is no level {level}")).caused_by(error)
        })?;
        Ok(Self { level, ..self })
    }
}
