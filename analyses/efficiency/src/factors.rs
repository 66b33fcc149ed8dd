//! The efficiencies of a program, a phase or an iteration, from the times of its processes.

use crate::clocks::Clocks;

/// The times of some processes, in ticks, and the efficiencies that follow from them: each is at most 1, unless clocks or
/// iterations overlap as the page describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Factors {
    /// The number of processes.
    pub processes: u64,
    /// The useful time of all processes together.
    pub useful: u64,
    /// The useful time of the process with most of it.
    pub useful_max: u64,
    /// The time that the slowest process takes.
    pub runtime: u64,
    /// The same on an ideal network.
    pub ideal_runtime: u64,
}

impl Factors {
    /// Adds the times of a process.
    pub(crate) fn add(&mut self, process: Clocks) {
        self.processes += 1;
        self.useful = self.useful.saturating_add(process.useful);
        self.useful_max = self.useful_max.max(process.useful);
        self.runtime = self.runtime.max(process.recorded);
        self.ideal_runtime = self.ideal_runtime.max(process.ideal);
    }

    /// Returns the useful time of a process, on average.
    #[must_use]
    pub fn useful_mean(&self) -> f64 {
        self.useful as f64 / self.processes.max(1) as f64
    }

    /// Returns the share of the runtime that is useful, on average over all processes: the product of load balance,
    /// serialisation and transfer.
    #[must_use]
    pub fn parallel(&self) -> f64 {
        self.load_balance() * self.serialisation() * self.transfer()
    }

    /// Returns the mean useful time relative to the maximum.
    #[must_use]
    pub fn load_balance(&self) -> f64 {
        ratio(self.useful_mean(), self.useful_max as f64)
    }

    /// Returns the share of the runtime that the process with most useful time does not lose in communication: the product
    /// of serialisation and transfer.
    #[must_use]
    pub fn communication(&self) -> f64 {
        self.serialisation() * self.transfer()
    }

    /// Returns the communication efficiency on an ideal network, where only dependences between processes cost time.
    #[must_use]
    pub fn serialisation(&self) -> f64 {
        ratio(self.useful_max as f64, self.ideal_runtime as f64)
    }

    /// Returns the runtime on an ideal network relative to the recorded one.
    #[must_use]
    pub fn transfer(&self) -> f64 {
        ratio(self.ideal_runtime as f64, self.runtime as f64)
    }
}

/// Divides two times. Without any time, nothing is lost.
pub(crate) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efficiencies_of_two_processes() {
        let mut factors = Factors::default();
        let process = |recorded, ideal, useful| Clocks {
            recorded,
            ideal,
            useful,
        };
        factors.add(process(100, 80, 60));
        factors.add(process(90, 70, 30));
        assert!((factors.load_balance() - 45.0 / 60.0).abs() < 1e-12);
        assert!((factors.serialisation() - 60.0 / 80.0).abs() < 1e-12);
        assert!((factors.transfer() - 80.0 / 100.0).abs() < 1e-12);
        assert!((factors.communication() - 60.0 / 100.0).abs() < 1e-12);
        assert!((factors.parallel() - 45.0 / 100.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_lost_without_any_time() {
        assert!((Factors::default().parallel() - 1.0).abs() < f64::EPSILON);
    }
}
