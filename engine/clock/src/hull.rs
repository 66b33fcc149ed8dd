//! The lower convex hull of the transfers from one clock to another.
//!
//! A transfer takes some ticks, as the two clocks show them. If both clocks are exact apart from their offsets and
//! drifts, only the transfers on the lower hull, over the time of their arrival, restrict offsets and drifts.

/// The maximum number of vertices of a hull.
const MAX_VERTICES: usize = 48;

/// A dependence of an event on an event of another clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// The ticks from the first event of the receiving clock to the arrival.
    pub arrival: i64,
    /// The ticks from the departure to the arrival, both counted from the first events of their clocks.
    pub ticks: i64,
}

/// The lower hull of transfers. Vertices beyond a maximum number are dropped where this changes least.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hull {
    vertices: Vec<Transfer>,
}

impl Hull {
    /// Adds a transfer. Transfers come in the order of their arrival; one that arrives too early is left out.
    #[inline]
    pub fn push(&mut self, new: Transfer) {
        match self.vertices.last() {
            Some(last) if new.arrival < last.arrival => return,
            Some(last) if new.arrival == last.arrival => {
                if new.ticks >= last.ticks {
                    return;
                }
                self.vertices.pop();
            }
            _ => {}
        }
        while let [.., before, last] = self.vertices[..]
            && turn(before, last, new) <= 0
        {
            self.vertices.pop();
        }
        self.vertices.push(new);
        if self.vertices.len() > MAX_VERTICES {
            self.drop_one();
        }
    }

    /// Drops the inner vertex that is nearest to the line between its neighbours.
    fn drop_one(&mut self) {
        let depths = self
            .vertices
            .windows(3)
            .map(|three| depth(three[0], three[1], three[2]));
        let nearest = (1..)
            .zip(depths)
            .min_by(|(_, one), (_, other)| one.total_cmp(other));
        if let Some((index, _)) = nearest {
            self.vertices.remove(index);
        }
    }

    /// Returns the vertices in the order of their arrival.
    pub fn vertices(&self) -> &[Transfer] {
        &self.vertices
    }

    /// Returns the hull at a time of arrival; `None` outside of it.
    pub fn at(&self, arrival: f64) -> Option<f64> {
        let after = self
            .vertices
            .partition_point(|it| it.arrival as f64 <= arrival);
        let before = self.vertices.get(after.checked_sub(1)?)?;
        match self.vertices.get(after) {
            Some(next) => {
                let part =
                    (arrival - before.arrival as f64) / (next.arrival - before.arrival) as f64;
                Some(before.ticks as f64 + part * (next.ticks - before.ticks) as f64)
            }
            None => (before.arrival as f64 == arrival).then_some(before.ticks as f64),
        }
    }
}

/// Returns a positive number if the way from `a` by `b` to `c` turns upwards at `b`.
fn turn(a: Transfer, b: Transfer, c: Transfer) -> i128 {
    let (dx, dy) = (
        i128::from(b.arrival) - i128::from(a.arrival),
        i128::from(b.ticks) - i128::from(a.ticks),
    );
    let (ex, ey) = (
        i128::from(c.arrival) - i128::from(a.arrival),
        i128::from(c.ticks) - i128::from(a.ticks),
    );
    // Times are differences of 63 bits at most, so that only nonsensical ones overflow.
    dx.saturating_mul(ey).saturating_sub(dy.saturating_mul(ex))
}

/// Returns how far `b` is below the line from `a` to `c`.
fn depth(a: Transfer, b: Transfer, c: Transfer) -> f64 {
    let part = (b.arrival - a.arrival) as f64 / (c.arrival - a.arrival) as f64;
    a.ticks as f64 + part * (c.ticks - a.ticks) as f64 - b.ticks as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_hull_is_below_all_transfers_and_reaches_each_minimum(
            mut transfers in prop::collection::vec((-1_000_i64..1_000, -1_000_i64..1_000), 1..40),
            slope in -5.0..5.0,
        ) {
            transfers.sort_unstable();
            let mut hull = Hull::default();
            for &(arrival, ticks) in &transfers {
                hull.push(Transfer { arrival, ticks });
            }
            for &(arrival, ticks) in &transfers {
                let below = hull.at(arrival as f64).unwrap_or(f64::NAN);
                prop_assert!(below <= ticks as f64 + 1e-9);
            }
            let detrended = |arrival: i64, ticks: i64| ticks as f64 - slope * arrival as f64;
            let all = transfers.iter().map(|&(arrival, ticks)| detrended(arrival, ticks));
            let of_hull = hull.vertices().iter().map(|it| detrended(it.arrival, it.ticks));
            let (all, of_hull) = (all.fold(f64::MAX, f64::min), of_hull.fold(f64::MAX, f64::min));
            prop_assert!((all - of_hull).abs() < 1e-9);
        }
    }

    #[test]
    fn a_hull_has_a_limited_number_of_vertices() {
        let mut hull = Hull::default();
        for arrival in -500..500 {
            hull.push(Transfer {
                arrival,
                ticks: arrival * arrival,
            });
        }
        assert_eq!(hull.vertices().len(), MAX_VERTICES);
        let middle = hull.at(0.0).unwrap_or(f64::NAN);
        assert!((0.0..2_000.0).contains(&middle), "{middle}");
    }
}
