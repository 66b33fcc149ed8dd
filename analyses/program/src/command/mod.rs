//! The subcommands `loops`, `replay`, `predict` and `matrix`.

mod loops;
mod matrix;
mod merging;
mod predict;
mod replay;

pub use loops::Loops;
pub use matrix::Matrix;
pub use merging::MergeOptions;
pub use predict::{Predict, PredictionJson};
pub use replay::Replay;
