//! Presents topologies as text, tables, JSON and a picture.

mod json;
mod place;
mod scene;
mod svg;
mod words;

pub use json::{TopologyJson, topology_json};
pub use svg::topology_svg;
pub use words::{
    CANDIDATE_COLUMNS, PART_COLUMNS, RANK_COLUMNS, answer, candidate_rows, part_rows, rank_rows,
    remarks, scope,
};
