//! Options for writing a store. They affect its size and encoding, not its contents.

use foldtrace_trace::{ErrorKind, TraceError};
use parquet::basic::ZstdLevel;

use crate::folder::Form;
use crate::tables::ROW_GROUP_ROWS;

/// The default Zstandard level for tables of events.
const LEVEL: i32 = 3;

/// The layout of a store: how its tables are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The encoding of quantities.
    pub form: Form,
    /// The Zstandard level for tables of events.
    pub(crate) level: ZstdLevel,
    /// The number of rows per row group. Smaller row groups need less memory while they are written.
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
    /// Returns the layout with quantities in another form. An archive has smaller row groups, because a segment of it
    /// is decoded as a whole.
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

    /// Returns the layout with another Zstandard level, from 1 to 22.
    ///
    /// # Errors
    /// Returns an error if there is no such level.
    pub fn with_level(self, level: i32) -> Result<Self, TraceError> {
        let level = ZstdLevel::try_new(level).map_err(|error| {
            TraceError::new(
                ErrorKind::Usage,
                format!("the Zstandard level must be from 1 to 22, not {level}"),
            )
            .caused_by(error)
        })?;
        Ok(Self { level, ..self })
    }
}
