//! The ordered DAG to the outside: as a tree to read, as pictures, as stacks, as JSON.

mod difference;
mod dot;
mod json;
mod stacks;
mod svg;
mod text;
mod view;

pub use difference::Difference;
pub use dot::dag_dot;
pub use json::DagJson;
pub use stacks::write_stacks;
pub use svg::dag_svg;
pub use text::DagText;
pub use view::{Extent, Shares, View};
