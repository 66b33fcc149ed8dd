//! The call paths of a run, as columns.

use std::collections::HashMap;

use foldtrace_profile::{Node, Profile, Tree};

use crate::pack::Columns;

/// Adds the columns of call paths, whose regions are indices of `regions`.
pub(super) fn pack_calls(profile: &Profile, regions: &[String], columns: &mut Columns) {
    let index: HashMap<&str, u32> = regions.iter().map(String::as_str).zip(0..).collect();
    let nodes = profile.tree.iter().flat_map(Tree::nodes);
    let nanoseconds = |ticks| profile.nanoseconds(ticks) as f64;
    let name = |column: &str| format!("calls.{column}");
    // 0 is no parent.
    let parent = |node: &Node| node.parent.map_or(0, |parent| parent.0 + 1);
    columns.add_u32(name("parent"), nodes.clone().map(parent));
    let region = |node: &Node| index.get(profile.name(node.region)).copied();
    let regions = nodes.clone().map(|node| region(node).unwrap_or_default());
    columns.add_u32(name("region"), regions);
    columns.add_f64(name("number"), nodes.clone().map(|node| node.calls as f64));
    let inclusive = nodes.map(|node| nanoseconds(node.inclusive));
    columns.add_f64(name("inclusive"), inclusive);
}
