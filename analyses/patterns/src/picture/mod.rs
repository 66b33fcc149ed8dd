//! Patterns to look at: how long their occurrences take, after Trahay et al., section IV.
//!
//! Most occurrences of a pattern are alike: their durations make peaks. Those outside of all peaks are what
//! is worth looking at. A page shows both for each pattern, from what [`PatternsPage`] says of them.

mod histogram;
mod html;
mod page;
#[cfg(test)]
mod tests;

pub use html::patterns_html;
pub use page::patterns_page;

/// What a page shows: patterns, those that explain most first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatternsPage {
    /// Of what it is.
    pub title: String,
    /// What that is like, in a line.
    pub summary: String,
    /// The patterns in the order of their rank.
    pub patterns: Vec<PatternCard>,
    /// What is not shown, and how to see it; empty if all is.
    pub left_out: String,
}

/// A pattern and how long its occurrences take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatternCard {
    /// What it is called; the same in all traces.
    pub name: String,
    /// What it consists of, a line each.
    pub text: Vec<String>,
    /// Where it occurs, such as `ranks 0-15`.
    pub locations: String,
    /// How often it occurs.
    pub iterations: u64,
    /// Events of one occurrence.
    pub events: u64,
    /// The share of all events that are in it, from 0 to 1.
    pub occupation: f64,
    /// Seconds of all occurrences together.
    pub seconds: f64,
    /// Durations, and what else is counted of its occurrences; the first stands for it in the overview.
    pub histograms: Vec<Histogram>,
}

/// How many occurrences take how long.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// What is counted, such as `duration`.
    pub title: String,
    /// What that means, in a few words.
    pub subtitle: String,
    /// From, to (in seconds), and how many; in order, not overlapping.
    pub bins: Vec<(f64, f64, u64)>,
    /// What most occurrences are like.
    pub peaks: Vec<Peak>,
    /// How many are outside of all peaks.
    pub outliers: u64,
}

/// Occurrences that take about the same time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Peak {
    /// Where it is highest.
    pub seconds: f64,
    /// The least duration that belongs to it.
    pub lo: f64,
    /// The greatest one.
    pub hi: f64,
    /// How many occurrences do.
    pub count: u64,
    /// The occurrence that stands for them, such as `3.0:1711`; may be empty.
    pub representative: String,
}

impl Histogram {
    /// All occurrences.
    fn total(&self) -> u64 {
        self.bins.iter().map(|&(_, _, count)| count).sum()
    }
}
