//! Formats numbers, durations, shares and plurals for readers, and chooses the marks of axes.

use std::fmt::{self, Display};

/// A duration with three significant digits and a suitable unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds(
    /// The duration in seconds.
    pub f64,
);

const UNITS: [(f64, &str); 4] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];

impl Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0.0 || !self.0.is_finite() {
            return write!(f, "0 s");
        }
        // The value is rounded first, so that 999.9 µs become 1 ms.
        let digits = 2 - self.0.abs().log10().floor() as i32;
        let rounded = (self.0 * 10_f64.powi(digits)).round() / 10_f64.powi(digits);
        let size = rounded.abs() * (1.0 + 1e-9);
        let fits = UNITS.iter().find(|(unit, _)| size >= *unit);
        let (unit, name) = fits.or(UNITS.last()).unwrap_or(&(1.0, "s"));
        let value = rounded / unit;
        let decimals = match value.abs() * (1.0 + 1e-9) {
            large if large >= 100.0 => 0,
            large if large >= 10.0 => 1,
            _ => 2,
        };
        let text = format!("{value:.decimals$}");
        let text = if decimals > 0 {
            text.trim_end_matches('0').trim_end_matches('.')
        } else {
            &text
        };
        write!(f, "{text} {name}")
    }
}

/// A share with as many decimal places as it needs to differ from 0 and 100 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(
    /// The share, from 0 to 1.
    pub f64,
);

impl Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.0;
        let rest = percent.min(100.0 - percent);
        let decimals = match rest {
            _ if rest <= 0.0 => 0,
            _ if rest < 0.1 => 2,
            _ => 1,
        };
        write!(f, "{percent:.decimals$} %")
    }
}

/// Formats a number with a comma every three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a fraction in percent, as it was given: with at most 14 significant digits, so that the fraction of `7%`
/// gives 7, and not the next number.
#[must_use]
pub fn in_percent(fraction: f64) -> f64 {
    let percent = 100.0 * fraction;
    format!("{percent:.13e}").parse().unwrap_or(percent)
}

/// Formats a number of things, with the noun in the plural unless the number is 1.
#[must_use]
pub fn counted(number: u64, noun: &str) -> String {
    let plural = match (number, noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {noun}{plural}", grouped(number))
}

/// Returns evenly spaced round values between two others: at most `most` of them, or a few more.
#[must_use]
pub fn even_marks(from: f64, to: f64, most: usize) -> Vec<f64> {
    let span = to - from;
    if span <= 0.0 || !span.is_finite() {
        return Vec::new();
    }
    let least = span / most.max(1) as f64;
    let decade = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * decade);
    let step = steps.into_iter().find(|&step| step >= least * 0.999);
    let step = step.unwrap_or(10.0 * decade);
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    (first..=last).map(|number| number as f64 * step).collect()
}

/// Returns round values between two positive ones for a logarithmic axis: at most `most` of them, or a few more.
#[must_use]
pub fn log_marks(from: f64, to: f64, most: usize) -> Vec<f64> {
    if from <= 0.0 || to <= from || !to.is_finite() {
        return Vec::new();
    }
    let (first, last) = (from.log10().floor() as i32, to.log10().ceil() as i32);
    let within = |factors: &[f64], every: usize| {
        let decades = (first..=last).step_by(every.max(1));
        let marks = decades.flat_map(|decade| {
            let one = 10_f64.powi(decade);
            factors.iter().map(move |factor| factor * one)
        });
        let inside = |mark: &f64| *mark >= from * 0.999_999 && *mark <= to * 1.000_001;
        marks.filter(inside).collect::<Vec<_>>()
    };
    let tenths: Vec<f64> = (10..100).map(|tenth| f64::from(tenth) / 10.0).collect();
    let ones: Vec<f64> = (1..10).map(f64::from).collect();
    for factors in [
        &tenths,
        &ones,
        &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
        &[1.0, 2.0, 5.0],
        &[1.0],
    ] as [&[f64]; 5]
    {
        let marks = within(factors, 1);
        if marks.len() <= most {
            // If no power of ten is near, evenly spaced values are rounder.
            return if marks.len() < 2 {
                even_marks(from, to, most.min(4))
            } else {
                marks
            };
        }
    }
    within(&[1.0], (last - first) as usize / most.max(1) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_a_plural_unless_there_is_one() {
        let shown = [(0, "loop"), (1, "loop"), (1200, "loop"), (2, "process")];
        let shown = shown.map(|(number, noun)| counted(number, noun));
        assert_eq!(shown, ["0 loops", "1 loop", "1,200 loops", "2 processes"]);
    }

    #[test]
    fn durations_have_three_digits_and_their_unit() {
        let shown = [
            0.0,
            1.0,
            12.345,
            1234.0,
            0.001,
            0.000_999_9,
            0.000_061_26,
            3e-7,
            1e-9,
            4e-10,
            -0.0025,
        ]
        .map(|seconds| Seconds(seconds).to_string());
        let expected = [
            "0 s", "1 s", "12.3 s", "1230 s", "1 ms", "1 ms", "61.3 µs", "300 ns", "1 ns",
            "0.4 ns", "-2.5 ms",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn shares_are_neither_nothing_nor_all_unless_they_are() {
        let shown = [0.0, 1.0, 0.5, 0.986, 0.9999, 0.0004].map(|share| Percent(share).to_string());
        let expected = ["0 %", "100 %", "50.0 %", "98.6 %", "99.99 %", "0.04 %"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn marks_are_round_inside_and_few() {
        assert_eq!(even_marks(0.0, 10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(even_marks(3.0, 3.0, 5), [] as [f64; 0]);
        let text = |marks: Vec<f64>| {
            let texts: Vec<_> = marks.iter().map(|&s| Seconds(s).to_string()).collect();
            texts.join(" ")
        };
        assert_eq!(text(log_marks(1e-6, 1e-3, 8)), "1 µs 10 µs 100 µs 1 ms");
        assert_eq!(
            text(log_marks(1e-6, 1e-4, 8)),
            "1 µs 2 µs 5 µs 10 µs 20 µs 50 µs 100 µs"
        );
        assert_eq!(text(log_marks(61e-6, 63e-6, 8)), "61 µs 62 µs 63 µs");
        for (from, to) in [
            (1e-9, 1e3),
            (0.9, 1.1),
            (5e-5, 6e-5),
            (1.0, 1.001),
            (1e-3, 1e-2),
        ] {
            let marks = log_marks(from, to, 8);
            assert!((2..=10).contains(&marks.len()), "{from} {to}: {marks:?}");
            assert!(marks.is_sorted());
            assert!(marks.iter().all(|&m| m >= from * 0.999 && m <= to * 1.001));
        }
    }
}
