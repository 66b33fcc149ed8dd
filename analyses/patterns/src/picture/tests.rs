//! Tests of the invariants of a page of patterns.

use foldtrace_testing::attributes;

use super::histogram::WIDTH;
use super::*;

/// Three peaks as in figure 6 of the paper, with some occurrences between them.
fn three_peaks() -> Histogram {
    let (mut bins, mut lo) = (Vec::new(), 30e-6);
    while lo < 2e-3 {
        let hi = lo * 1.03;
        let near = |at: f64, most: f64| (most * (-((lo / at).ln() / 0.04).powi(2)).exp()) as u64;
        let odd = u64::from(bins.len() % 17 == 0);
        bins.push((
            lo,
            hi,
            near(43e-6, 800.0) + near(243e-6, 60.0) + near(1.48e-3, 40.0) + odd,
        ));
        lo = hi;
    }
    let within = |lo: f64, hi: f64| {
        let inside = bins.iter().filter(|bin| bin.0 >= lo && bin.1 <= hi);
        inside.map(|bin| bin.2).sum::<u64>()
    };
    let peak = |seconds: f64| Peak {
        seconds,
        lo: 0.9 * seconds,
        hi: 1.1 * seconds,
        count: within(0.9 * seconds, 1.1 * seconds),
    };
    let peaks = vec![peak(43e-6), peak(243e-6), peak(1.48e-3)];
    let all: u64 = bins.iter().map(|bin| bin.2).sum();
    let outliers = all - peaks.iter().map(|peak| peak.count).sum::<u64>();
    Histogram {
        title: "duration".to_owned(),
        subtitle: "from the first event of an occurrence to its last".to_owned(),
        bins,
        peaks,
        outliers,
    }
}

fn page() -> PatternsPage {
    let one = |seconds: f64| Histogram {
        title: "duration".to_owned(),
        bins: vec![(seconds, seconds * 1.01, 249)],
        peaks: vec![Peak {
            seconds,
            lo: 0.9 * seconds,
            hi: 1.1 * seconds,
            count: 249,
        }],
        ..Histogram::default()
    };
    PatternsPage {
        title: "bt-A-16".to_owned(),
        summary: "16 locations, 1,518,760 events, 3 patterns".to_owned(),
        patterns: vec![
            PatternCard {
                name: "p-7f3a91".to_owned(),
                text: vec![
                    "enter MPI_Irecv".to_owned(),
                    "<img src=x onerror=alert(1)>\"&'</pre>".to_owned(),
                ],
                locations: "ranks 0-15".to_owned(),
                iterations: 4016,
                events: 312,
                occupation: 0.986,
                seconds: 0.81,
                histograms: vec![three_peaks(), one(12e-6)],
            },
            PatternCard {
                name: "</code><b>".to_owned(),
                occupation: 0.0004,
                histograms: vec![one(1.0)],
                ..PatternCard::default()
            },
            PatternCard {
                name: "never".to_owned(),
                histograms: vec![Histogram::default()],
                ..PatternCard::default()
            },
        ],
        left_out: "12 more patterns: --all".to_owned(),
    }
}

fn written(page: &PatternsPage) -> String {
    let mut out = Vec::new();
    patterns_html(&mut out, page).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_page_has_all_patterns_and_no_foreign_markup() {
    let html = written(&page());
    assert_eq!(attributes(&html, "section", "id"), ["p1", "p2", "p3"]);
    assert_eq!(attributes(&html, "a", "href"), ["#p1", "#p2", "#p3"]);
    assert_eq!(html.matches("<details open>").count(), 1);
    assert_eq!(html.matches("<details>").count(), 2);
    assert_eq!(attributes(&html, "svg", "role").len(), 4);
    assert!(attributes(&html, "img", "src").is_empty());
    assert!(html.contains("&lt;img src=x"));
    for fact in ["4,016", "98.6 %", "12 more patterns: --all"] {
        assert!(html.contains(fact), "{fact}");
    }
    assert!(!html.contains("://") && !html.contains("NaN") && !html.contains("inf"));
}

#[test]
fn bars_and_labels_stay_inside_and_peaks_are_distinguished() {
    let mut svg = Vec::new();
    histogram::write(&mut svg, &three_peaks()).unwrap();
    let svg = String::from_utf8(svg).unwrap();
    let windows = attributes(&svg, "rect", "class");
    assert_eq!(windows, ["window"; 3]);
    let classes = attributes(&svg, "path", "class");
    let paths = attributes(&svg, "path", "d");
    let bars: Vec<_> = classes
        .iter()
        .zip(&paths)
        .filter(|(class, _)| ["in", "out"].contains(&class.as_str()))
        .map(|(class, path)| {
            let numbers: Vec<f64> = path
                .split(|c: char| !c.is_ascii_digit() && c != '.')
                .filter_map(|number| number.parse().ok())
                .collect();
            (class == "in", numbers[0], numbers[2], numbers[1])
        })
        .collect();
    // The pieces are in order from left to right.
    for (before, after) in bars.iter().zip(&bars[1..]) {
        assert!(before.2 <= after.1 + 0.011, "{before:?} {after:?}");
    }
    assert!(
        bars.iter()
            .all(|bar| bar.1 < bar.2 && bar.2 <= WIDTH && bar.3 >= 20.0)
    );
    // The colour changes where windows begin and end.
    let from = attributes(&svg, "rect", "x");
    let wide = attributes(&svg, "rect", "width");
    for (from, wide) in from.iter().zip(&wide) {
        // Edges of windows are rounded.
        let from = from.parse::<f64>().unwrap();
        let to = from + wide.parse::<f64>().unwrap() - 0.1;
        let from = from + 0.1;
        let middle = |bar: &(bool, f64, f64, f64)| (bar.1 + bar.2) / 2.0;
        let inside = bars
            .iter()
            .filter(|bar| middle(bar) > from && middle(bar) < to);
        assert!(inside.clone().count() > 0);
        assert!(inside.clone().all(|bar| bar.0));
    }
    assert!(bars.iter().any(|bar| !bar.0));
    for share in ["43 µs · ", "243 µs · ", "1.48 ms · "] {
        assert!(svg.contains(share), "{share}");
    }
}

/// Single occurrences are visible next to thousands.
#[test]
fn no_bar_is_invisible() {
    let histogram = Histogram {
        bins: vec![(1e-6, 2e-6, 1), (2e-6, 3e-6, 0), (3e-6, 4e-6, 100_000)],
        outliers: 100_001,
        ..Histogram::default()
    };
    let mut svg = Vec::new();
    histogram::write(&mut svg, &histogram).unwrap();
    let svg = String::from_utf8(svg).unwrap();
    let classes = attributes(&svg, "path", "class");
    assert_eq!(classes.iter().filter(|class| *class == "out").count(), 2);
    let paths = attributes(&svg, "path", "d");
    let first = &paths[classes.iter().position(|class| class == "out").unwrap()];
    let ends: Vec<f64> = first[1..]
        .split([' ', 'H', 'V'])
        .filter_map(|number| number.parse().ok())
        .collect();
    let (top, floor) = (ends[1], ends[3]);
    assert!(floor - top > 5.0, "{first}");
}
