//! Draws patterns: how long their occurrences take, after Trahay et al., section IV.
//!
//! Most occurrences of a pattern are alike, so their durations form peaks. The occurrences outside of all peaks are
//! worth looking at. A page shows both for each pattern, as described by a [`PatternsPage`].

mod histogram;
mod html;
mod page;
#[cfg(test)]
mod tests;

pub use html::patterns_html;
pub use page::patterns_page;

/// The contents of a page: patterns, sorted by total time in descending order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatternsPage {
    /// The title, such as the name of the store.
    pub title: String,
    /// A one-line summary.
    pub summary: String,
    /// The patterns, in the order of their rank.
    pub patterns: Vec<PatternCard>,
    /// A note about what is not shown, and how to see it; empty if everything is shown.
    pub left_out: String,
}

/// A pattern, with the durations of its occurrences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatternCard {
    /// The name of the pattern, such as `P1: MPI_Recv, MPI_Send ×249`.
    pub name: String,
    /// The items of the pattern, one per line.
    pub text: Vec<String>,
    /// The locations in which it occurs, such as `ranks 0-15`.
    pub locations: String,
    /// The number of its occurrences.
    pub iterations: u64,
    /// The number of events of one occurrence.
    pub events: u64,
    /// The fraction of all events that are in it, from 0 to 1.
    pub occupation: f64,
    /// The total time of all occurrences, in seconds.
    pub seconds: f64,
    /// Histograms of durations and other times of its occurrences; the overview shows the first one.
    pub histograms: Vec<Histogram>,
}

/// A histogram of the times of occurrences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// The quantity, such as `duration`.
    pub title: String,
    /// A short explanation of the quantity.
    pub subtitle: String,
    /// The start and the end (in seconds) and the count of each bin, in order, without overlap.
    pub bins: Vec<(f64, f64, u64)>,
    /// The peaks: times that many occurrences share.
    pub peaks: Vec<Peak>,
    /// The number of occurrences outside of all peaks.
    pub outliers: u64,
}

/// Occurrences that take about the same time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Peak {
    /// The time at the peak, in seconds.
    pub seconds: f64,
    /// The shortest time that belongs to the peak, in seconds.
    pub lo: f64,
    /// The longest time that belongs to the peak, in seconds.
    pub hi: f64,
    /// The number of occurrences in the peak.
    pub count: u64,
}

impl Histogram {
    /// Returns the number of all occurrences.
    fn total(&self) -> u64 {
        self.bins.iter().map(|&(_, _, count)| count).sum()
    }
}
