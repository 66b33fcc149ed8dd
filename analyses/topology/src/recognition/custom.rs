//! User-defined patterns, which are read from small TOML files.

use std::sync::Arc;

use serde::Deserialize;

use super::candidate::{Candidate, opposite};
use super::factors::products;

/// A user-defined pattern: edges between a fixed number of processes, or a mesh whose nodes have neighbours at
/// certain offsets.
///
/// ```
/// use foldtrace_topology::recognition::{CustomPattern, Library};
///
/// let text = r#"
///     name = "knight"
///     dimensions = 2
///     periodic = true
///     offsets = [[1, 2], [2, 1], [-1, 2], [-2, 1]]
/// "#;
/// let library = Library::default().with(vec![CustomPattern::parse(text)?]);
/// assert_eq!(library.candidates(64)[0].name, "8x8 knight");
/// # Ok::<(), foldtrace_topology::recognition::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomPattern {
    name: String,
    form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Edges {
        nodes: u32,
        edges: Arc<[(u32, u32)]>,
    },
    Mesh {
        sizes: Sizes,
        is_periodic: bool,
        offsets: Arc<[Vec<i32>]>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Sizes {
    /// Fixed sizes.
    Fixed(Vec<u32>),
    /// All products of the given number of factors.
    Any(usize),
}

/// The reason why a text is not a valid pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The text is not valid TOML, or its fields are not those of a pattern.
    #[error("line {line}: {message}")]
    Toml {
        /// The line of the error, from 1.
        line: usize,
        /// The problem.
        message: String,
    },
    /// The name is empty or has control characters.
    #[error("`name` is empty or has control characters")]
    Name,
    /// The pattern has neither edges nor a mesh, or both.
    #[error(
        "a pattern has either `nodes` and `edges`, or `periodic`, `offsets` and one of `dimensions` and `sizes`"
    )]
    Form,
    /// An edge does not have two different, existing nodes.
    #[error("edge {edge:?} has to name two different nodes below {nodes}")]
    Edge {
        /// The edge.
        edge: Vec<u32>,
        /// The number of nodes.
        nodes: u32,
    },
    /// The number of dimensions is not between 1 and 31.
    #[error("a mesh cannot have {0} dimensions; it has 1 to 31")]
    Dimensions(usize),
    /// A dimension has no nodes, or there are too many nodes.
    #[error("a mesh cannot have the sizes {0:?}: there are no nodes, or too many")]
    Sizes(Vec<u32>),
    /// An offset does not have one number per dimension, or leads to the node itself.
    #[error(
        "offset {offset:?} has to have a number for each dimension ({dimensions}), not all of them 0"
    )]
    Offset {
        /// The offset.
        offset: Vec<i32>,
        /// The number of dimensions.
        dimensions: usize,
    },
}

/// The contents of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    nodes: Option<u32>,
    edges: Option<Vec<Vec<u32>>>,
    dimensions: Option<usize>,
    sizes: Option<Vec<u32>>,
    periodic: Option<bool>,
    offsets: Option<Vec<Vec<i32>>>,
}

impl CustomPattern {
    /// Parses a pattern from a text in TOML, as described in `analyses/topology/README.md`.
    ///
    /// # Errors
    /// If the text is not valid TOML, or does not describe a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.bytes().take(start);
            PatternError::Toml {
                line: 1 + before.filter(|&byte| byte == b'\n').count(),
                message: error.message().to_owned(),
            }
        })?;
        let name = file.name.trim().to_owned();
        if name.is_empty() || name.contains(char::is_control) {
            return Err(PatternError::Name);
        }
        let form = match file {
            File {
                nodes: Some(nodes),
                edges: Some(edges),
                dimensions: None,
                sizes: None,
                periodic: None,
                offsets: None,
                ..
            } => Form::edges(nodes, &edges)?,
            File {
                nodes: None,
                edges: None,
                dimensions,
                sizes,
                periodic: Some(is_periodic),
                offsets: Some(offsets),
                ..
            } => {
                let sizes = match (dimensions, sizes) {
                    (Some(dimensions), None) => Sizes::Any(dimensions),
                    (None, Some(sizes)) => Sizes::Fixed(sizes),
                    _ => return Err(PatternError::Form),
                };
                Form::mesh(sizes, is_periodic, &offsets)?
            }
            _ => return Err(PatternError::Form),
        };
        Ok(Self { name, form })
    }

    /// Returns the name of the pattern, without sizes.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the candidates of the pattern for the given number of nodes.
    pub(super) fn candidates(&self, nodes: u32) -> Vec<Candidate> {
        match &self.form {
            Form::Edges { nodes: own, edges } if *own == nodes => {
                vec![Candidate::with_edges(&self.name, nodes, Arc::clone(edges))]
            }
            Form::Edges { .. } => Vec::new(),
            Form::Mesh {
                sizes,
                is_periodic,
                offsets,
            } => {
                let sizes = sizes.for_nodes(nodes).into_iter();
                let mesh =
                    |sizes| Candidate::mesh(&self.name, sizes, *is_periodic, Arc::clone(offsets));
                sizes.map(mesh).collect()
            }
        }
    }
}

impl Form {
    fn edges(nodes: u32, list: &[Vec<u32>]) -> Result<Self, PatternError> {
        let mut edges = Vec::new();
        for edge in list {
            match edge[..] {
                [one, other] if one != other && one.max(other) < nodes => {
                    edges.push((one.min(other), one.max(other)));
                }
                _ => {
                    let edge = edge.clone();
                    return Err(PatternError::Edge { edge, nodes });
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let edges = edges.into();
        Ok(Self::Edges { nodes, edges })
    }

    fn mesh(sizes: Sizes, is_periodic: bool, offsets: &[Vec<i32>]) -> Result<Self, PatternError> {
        let dimensions = sizes.check()?;
        let is_offset =
            |offset: &Vec<i32>| offset.len() == dimensions && offset.iter().any(|&step| step != 0);
        if let Some(offset) = offsets.iter().find(|offset| !is_offset(offset)) {
            let offset = offset.clone();
            return Err(PatternError::Offset { offset, dimensions });
        }
        let offsets = offsets
            .iter()
            .flat_map(|offset| [offset.clone(), opposite(offset)]);
        Ok(Self::Mesh {
            sizes,
            is_periodic,
            offsets: offsets.collect(),
        })
    }
}

impl Sizes {
    /// Returns the number of dimensions, if the sizes are possible.
    fn check(&self) -> Result<usize, PatternError> {
        let dimensions = match self {
            Self::Any(dimensions) => *dimensions,
            Self::Fixed(sizes) => {
                let nodes = sizes
                    .iter()
                    .try_fold(1_u32, |nodes, &size| nodes.checked_mul(size));
                if nodes.unwrap_or(0) == 0 {
                    return Err(PatternError::Sizes(sizes.clone()));
                }
                sizes.len()
            }
        };
        let is_possible = (1..32).contains(&dimensions);
        is_possible
            .then_some(dimensions)
            .ok_or(PatternError::Dimensions(dimensions))
    }

    fn for_nodes(&self, nodes: u32) -> Vec<Vec<u32>> {
        match self {
            Self::Any(dimensions) => products(nodes, *dimensions),
            Self::Fixed(sizes) if sizes.iter().product::<u32>() == nodes => vec![sizes.clone()],
            Self::Fixed(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Direction;
    use super::*;

    fn names(text: &str, nodes: u32) -> Vec<String> {
        let candidates = CustomPattern::parse(text).unwrap().candidates(nodes);
        candidates
            .into_iter()
            .map(|candidate| candidate.name)
            .collect()
    }

    #[test]
    fn edges_and_meshes_are_patterns() {
        let text = "name = 'bow tie'\nnodes = 5\nedges = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 2], [0, 1]]";
        assert_eq!(names(text, 5), ["5 bow tie"]);
        assert!(names(text, 6).is_empty());
        let candidate = &CustomPattern::parse(text).unwrap().candidates(5)[0];
        assert_eq!(candidate.edges(), 6);
        assert_eq!(candidate.build().graph().edges(), 6);

        let mesh = "periodic = true\noffsets = [[0, 1], [1, -1]]";
        let text = format!("name = 'skew'\ndimensions = 2\n{mesh}");
        assert_eq!(names(&text, 16), ["4x4 skew", "8x2 skew"]);
        let text = format!("name = 'skew'\nsizes = [2, 8]\n{mesh}");
        assert_eq!(names(&text, 16), ["2x8 skew"]);
        let topology = CustomPattern::parse(&text).unwrap().candidates(16)[0].build();
        let directions = topology.directions.iter().map(Direction::name);
        assert_eq!(directions.collect::<Vec<_>>(), ["+x", "-x", "-xy", "+xy"]);
    }

    #[test]
    fn invalid_patterns_are_explained() {
        let error = |text| CustomPattern::parse(text).unwrap_err().to_string();
        let bad = [
            "name = 'a'\nnodes = 3\nedges = [[0, 3]]",
            "name = 'a'\nnodes = 3\nedges = [[1, 1]]",
            "name = 'a'\nnodes = 3",
            "name = ' '\nnodes = 3\nedges = []",
            "name = 'a'\n\nnodes = 3\nedges = [[0, 1, 2]]",
            "name = 'a'\nnodes = -3",
            "name = 'a'\nedge = []",
            "nodes = 3\nedges = []",
            "name = 'a'\nsizes = [4, 0]\nperiodic = true\noffsets = []",
            "name = 'a'\nsizes = [4]\nperiodic = true\noffsets = [[1, 0]]",
            "name = 'a'\ndimensions = 2\nperiodic = false\noffsets = [[0, 0]]",
            "name = 'a'\ndimensions = 0\nperiodic = false\noffsets = []",
            "name = 'a'\ndimensions = 2\nsizes = [2]\nperiodic = false\noffsets = []",
            "name = 'a",
        ];
        insta::assert_snapshot!(bad.map(error).join("\n"), @r#"
        edge [0, 3] has to name two different nodes below 3
        edge [1, 1] has to name two different nodes below 3
        a pattern has either `nodes` and `edges`, or `periodic`, `offsets` and one of `dimensions` and `sizes`
        `name` is empty or has control characters
        edge [0, 1, 2] has to name two different nodes below 3
        line 2: invalid value: integer `-3`, expected u32
        line 2: unknown field `edge`, expected one of `name`, `nodes`, `edges`, `dimensions`, `sizes`, `periodic`, `offsets`
        line 1: missing field `name`
        a mesh cannot have the sizes [4, 0]: there are no nodes, or too many
        offset [1, 0] has to have a number for each dimension (1), not all of them 0
        offset [0, 0] has to have a number for each dimension (2), not all of them 0
        a mesh cannot have 0 dimensions; it has 1 to 31
        a pattern has either `nodes` and `edges`, or `periodic`, `offsets` and one of `dimensions` and `sizes`
        line 1: invalid literal string, expected `'`
        "#);
    }
}
