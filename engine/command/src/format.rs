//! Defines the formats of results, which users choose with `--format`.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use foldtrace_trace::uncompressed;

/// The format of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text for people.
    Text,
    /// JSON, described by a schema.
    Json,
    /// Comma-separated values.
    Csv,
    /// Parquet.
    Parquet,
    /// Arrow IPC.
    Arrow,
    /// A graph for Graphviz.
    Dot,
    /// A picture.
    Svg,
    /// A page for browsers.
    Html,
    /// Folded stacks for flame graphs.
    Folded,
    /// A trace in MTF.
    Mtf,
    /// A C program.
    C,
    /// A Python program.
    Python,
    /// SQL for DuckDB.
    Sql,
}

impl Format {
    const ALL: [Self; 13] = [
        Self::Text,
        Self::Json,
        Self::Csv,
        Self::Parquet,
        Self::Arrow,
        Self::Dot,
        Self::Svg,
        Self::Html,
        Self::Folded,
        Self::Mtf,
        Self::C,
        Self::Python,
        Self::Sql,
    ];

    /// Returns the name by which users choose the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Dot => "dot",
            Self::Svg => "svg",
            Self::Html => "html",
            Self::Folded => "folded",
            Self::Mtf => "mtf",
            Self::C => "c",
            Self::Python => "python",
            Self::Sql => "sql",
        }
    }

    /// Returns a description for the help, or `None` if the name says it all.
    const fn about(self) -> Option<&'static str> {
        match self {
            Self::Dot => Some("Graph for Graphviz"),
            Self::Folded => Some("Stacks for flame graphs (inferno, speedscope)"),
            Self::Mtf => Some("The whole trace as MTF"),
            Self::C => {
                Some("C loops that create the table, as in figure 8 of Inria report RR-8562")
            }
            Self::Python => Some("Python program that creates the table, with pyarrow and numpy"),
            Self::Sql => Some("SQL that creates the table, for DuckDB"),
            _ => None,
        }
    }

    /// Returns whether the format is a picture or a page with a picture.
    #[must_use]
    pub const fn is_picture(self) -> bool {
        matches!(self, Self::Svg | Self::Html)
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the format that the extension of a file implies. An extension of a compressed file, `.gz` or `.zst`,
    /// is skipped.
    pub(crate) fn of_file(path: &Path) -> Option<Self> {
        match uncompressed(path).extension()?.to_str()? {
            "txt" => Some(Self::Text),
            "htm" => Some(Self::Html),
            "gv" => Some(Self::Dot),
            "py" => Some(Self::Python),
            name => Self::from_name(name),
        }
    }
}

/// A subcommand that writes its result in one of several formats.
pub trait Formats {
    /// The formats that users can choose; the first one is the default.
    const FORMATS: &'static [Format];
}

/// Returns the parser of `--format` for a choice of formats.
pub(crate) fn parser(formats: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    let values = formats.iter().map(|format| {
        let value = PossibleValue::new(format.name());
        format.about().into_iter().fold(value, PossibleValue::help)
    });
    PossibleValuesParser::new(values)
        .try_map(|name| Format::from_name(&name).ok_or("no such format"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_name_formats_even_of_compressed_files() {
        let format = |name: &str| Format::of_file(Path::new(name));
        assert_eq!(format("a/lu.svg"), Some(Format::Svg));
        assert_eq!(format("lu.csv.gz"), Some(Format::Csv));
        assert_eq!(format("lu.htm.zst"), Some(Format::Html));
        assert_eq!(format("lu.model"), None);
        assert_eq!(format("json"), None);
    }
}
