//! The subcommand `foldtrace profile`: shows where the time goes.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use foldtrace_command::Context;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{OutputOptions, OutputWriter, bytes, counted, grouped};
use foldtrace_command::paragraph::headline;
use foldtrace_command::percent;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{Done, Outcome};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_matching::{Paradigm, RegionIndex};
use foldtrace_output::OutputFile;
use foldtrace_store::StoreReader;
use foldtrace_stream::select;
use foldtrace_table::Encoding;
use foldtrace_trace::{ErrorKind, MetricMember, MetricMode, Names, TraceError};
use foldtrace_view::units::{Percent, Seconds};

use crate::{
    LocationProfile, MetricSum, NodeIndex, Options, Profile, RegionTotal, Tree, find, flames_svg,
    folded, profile_json, write_table,
};

/// Show where the time goes: calls and times of each region, in each process or on each call path.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace profile lu.fold                     the regions that take the most time
  foldtrace profile lu.fold --by location       the shares of MPI and computation in each process
  foldtrace profile lu.fold --tree              the call paths that take the most time
  foldtrace profile lu.fold --location 3 --top 5
  foldtrace profile lu.fold -o profile.csv      a row for each region in each location
  foldtrace profile lu.fold -o flames.svg       a flame graph
  foldtrace profile lu.fold --json | jq '.regions[] | select(.is_mpi)'

The inclusive time of a region is the time during which a call was open. Its exclusive
time is the time during which a call was the innermost open call. Times are sums over
all locations; the share is that of the time of all locations with calls.")]
pub struct Profiling {
    #[command(flatten)]
    input: StoreInput,
    /// Only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// Show a row for each region, or for each location.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = By::Region)]
    by: By,
    /// Show at most this many rows.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: u32,
    /// Show call paths instead of regions.
    #[arg(long, conflicts_with = "by")]
    tree: bool,
    /// Show at most this many levels of nested calls (--tree).
    #[arg(long, value_name = "N", default_value_t = 10, requires = "tree", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    depth: u32,
    /// Show only call paths that take at least this share of the time (--tree).
    #[arg(long, value_name = "PERCENT", default_value = "0.5%", requires = "tree", value_parser = percent::share)]
    threshold: f64,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

/// The output that a profile is written to.
enum Out {
    /// A text, JSON, or picture.
    Result(OutputWriter),
    /// A table in an encoding.
    Table(Encoding, OutputFile),
}

/// What the rows of the text are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Regions, the one that takes the most time first.
    Region,
    /// Locations, in the order of their ids.
    Location,
}

impl Formats for Profiling {
    const FORMATS: &'static [Format] = &[
        Format::Text,
        Format::Json,
        Format::Csv,
        Format::Parquet,
        Format::Arrow,
        Format::Folded,
        Format::Svg,
    ];
}

/// The columns of the table of regions.
const REGIONS: Columns = Columns {
    header: &[
        "region",
        "calls",
        "exclusive",
        "share",
        "inclusive",
        "mean",
        "max",
        "sent",
        "received",
        "imbalance",
        "slowest",
    ],
    right: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    narrowing: &[
        Narrow::Shorten(0, 24),
        Narrow::Drop(6),
        Narrow::Drop(8),
        Narrow::Drop(7),
        Narrow::Drop(5),
        Narrow::Drop(4),
        Narrow::Drop(10),
        Narrow::Shorten(0, 16),
    ],
};

/// The columns of the table of locations.
const LOCATIONS: Columns = Columns {
    header: &[
        "location",
        "time",
        "computation",
        "MPI",
        "other",
        "longest in",
        "share",
    ],
    right: &[1, 2, 3, 4, 6],
    narrowing: &[Narrow::Shorten(5, 16), Narrow::Drop(4), Narrow::Drop(1)],
};

/// The columns of the table of call paths.
const PATHS: Columns = Columns {
    header: &["inclusive", "share", "exclusive", "calls", "call path"],
    right: &[0, 1, 2, 3],
    narrowing: &[
        Narrow::Shorten(4, 30),
        Narrow::Drop(2),
        Narrow::Shorten(4, 16),
        Narrow::Drop(3),
    ],
};

/// The columns of the table of metrics.
const METRICS: Columns = Columns {
    header: &[
        "metric",
        "unit",
        "region",
        "values",
        "count",
        "inclusive",
        "mean",
        "min",
        "max",
    ],
    right: &[3, 4, 5, 6, 7, 8],
    narrowing: &[
        Narrow::Shorten(0, 24),
        Narrow::Shorten(2, 24),
        Narrow::Drop(3),
        Narrow::Drop(7),
        Narrow::Drop(8),
        Narrow::Shorten(0, 12),
        Narrow::Drop(5),
    ],
};

/// The maximum number of regions that are shown for each metric.
const REGIONS_OF_METRIC: usize = 3;

impl Profiling {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        self.check_format()?;
        let out = self.open_output()?;
        let input = self.input.open_for(&self.location, context)?;
        input.done(self.analyse(out, &input, context))
    }

    /// Rejects `--tree` and `--by` for formats that they do not affect.
    fn check_format(&self) -> Result<(), TraceError> {
        if self.by == By::Location {
            self.output.check_is_text("--by location")?;
        }
        let format = self.output.format();
        if !self.tree || !matches!(format, Format::Csv | Format::Parquet | Format::Arrow) {
            return Ok(());
        }
        let message = format!(
            "{} has a row for each region, not for each call path",
            format.name()
        );
        let hint = "leave out --tree, or use --format json";
        Err(TraceError::new(ErrorKind::Usage, message).hint(hint))
    }

    /// Creates the output before the work, so that an existing file is an error at once.
    fn open_output(&self) -> Result<Out, TraceError> {
        let encoding = match self.output.format() {
            Format::Csv => Encoding::Csv,
            Format::Parquet => Encoding::Parquet,
            Format::Arrow => Encoding::Arrow,
            _ => return Ok(Out::Result(self.output.create()?)),
        };
        let file = OutputFile::create(self.output.destination())?;
        Ok(Out::Table(encoding, file))
    }

    /// Profiles the store, and writes what was found.
    fn analyse(&self, out: Out, store: &StoreReader, context: Context) -> Outcome {
        let work = Work::new(context);
        let names = store.names();
        let locations = select::locations(names, &self.location, store.locations())?;
        let format = self.output.format();
        let options = Options {
            has_tree: self.tree || matches!(format, Format::Folded | Format::Svg),
        };
        let profile = work.watch(store, |progress| find(store, &locations, options, progress))?;
        let mut out = match out {
            Out::Result(out) => out,
            Out::Table(encoding, file) => {
                write_table(&profile, names, encoding, file)?;
                return Ok(Done::Clean);
            }
        };
        match (format, &profile.tree) {
            (Format::Json, _) => {
                out.json(&profile_json(&profile, names))?;
                return Ok(Done::Clean);
            }
            (Format::Folded, Some(tree)) => folded(&mut out, &profile, tree)?,
            (Format::Svg, Some(tree)) => {
                flames_svg(&mut out, &profile, tree, &self.input.file_stem())?;
            }
            (_, Some(tree)) => self.write_tree(&mut out, &profile, tree)?,
            (_, None) if self.by == By::Location => {
                self.write_locations(&mut out, &profile, names)?;
            }
            (_, None) => self.write_regions(&mut out, &profile, names)?,
        }
        out.finish()?;
        Ok(Done::Clean)
    }

    /// Prints a line about the trace.
    fn write_headline(&self, out: &mut OutputWriter, profile: &Profile) -> io::Result<()> {
        let total = profile.total();
        let shares = profile.paradigms().into_iter().map(|(paradigm, ticks)| {
            format!("{} {}", paradigm.title(), Percent(share(ticks, total)))
        });
        let shares: Vec<_> = shares.collect();
        let line = format!(
            "{}: {} in {}, {} in total: {}",
            self.input.path().display(),
            seconds(profile, profile.duration()),
            counted(profile.calling().count() as u64, "location"),
            seconds(profile, total),
            shares.join(", "),
        );
        writeln!(out, "{}", headline(&line, out.terminal()))
    }

    /// Prints the regions with the greatest exclusive times.
    fn write_regions(
        &self,
        out: &mut OutputWriter,
        profile: &Profile,
        names: &Names,
    ) -> io::Result<()> {
        let totals = profile.totals();
        if totals.is_empty() {
            writeln!(out, "{}: no calls", self.input.path().display())?;
            return write_metrics(out, profile);
        }
        self.write_headline(out, profile)?;
        let total = profile.total();
        let shown = totals.iter().take(self.top as usize);
        let mut rows: Vec<(i64, Vec<String>)> = shown
            .map(|region| {
                (
                    region.time.exclusive,
                    region_row(profile, region, total, names),
                )
            })
            .collect();
        let outside = profile.outside();
        if outside > 0 {
            let at = rows.partition_point(|(exclusive, _)| *exclusive >= outside);
            rows.insert(at, (outside, outside_row(profile, total)));
        }
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        writeln!(out, "{}", Table::new(&REGIONS, rows, out.terminal()))?;
        let more = totals.len().saturating_sub(self.top as usize);
        if more > 0 {
            writeln!(out, " and {} more (--top, --json)", grouped(more as u64))?;
        }
        self.write_notes(out, profile)?;
        write_metrics(out, profile)
    }

    /// Prints the locations with the shares of programming models.
    fn write_locations(
        &self,
        out: &mut OutputWriter,
        profile: &Profile,
        names: &Names,
    ) -> io::Result<()> {
        let all = profile.calling().count();
        if all == 0 {
            return writeln!(out, "{}: no calls", self.input.path().display());
        }
        self.write_headline(out, profile)?;
        let shown = profile.calling().take(self.top as usize);
        let rows = shown.map(|location| location_row(profile, location, names));
        writeln!(
            out,
            "{}",
            Table::new(&LOCATIONS, rows.collect(), out.terminal())
        )?;
        let more = all.saturating_sub(self.top as usize);
        if more > 0 {
            writeln!(out, " and {} more (--top, --json)", grouped(more as u64))?;
        }
        self.write_notes(out, profile)
    }

    /// Prints the call paths with the greatest inclusive times.
    fn write_tree(&self, out: &mut OutputWriter, profile: &Profile, tree: &Tree) -> io::Result<()> {
        if tree.nodes().is_empty() {
            return writeln!(out, "{}: no calls", self.input.path().display());
        }
        self.write_headline(out, profile)?;
        let (outermost, children) = tree.children();
        let mut rows = Paths {
            profile,
            tree,
            children: &children,
            total: profile.total(),
            depth: self.depth as usize,
            threshold: self.threshold,
            rows: Vec::new(),
            hidden: 0,
        };
        rows.add(&outermost, 0);
        let Paths { rows, hidden, .. } = rows;
        writeln!(out, "{}", Table::new(&PATHS, rows, out.terminal()))?;
        if hidden > 0 {
            let hidden = counted(hidden, "call path");
            writeln!(out, " {hidden} not shown (--depth, --threshold, --json)")?;
        }
        if tree.left_out > 0 {
            let calls = counted(tree.left_out, "call");
            writeln!(
                out,
                " {calls} with too many different paths: part of their callers"
            )?;
        }
        self.write_notes(out, profile)
    }

    /// Prints what the reader needs to know about incomplete calls and about locations without calls.
    fn write_notes(&self, out: &mut OutputWriter, profile: &Profile) -> io::Result<()> {
        let sum =
            |of: fn(&LocationProfile) -> u64| -> u64 { profile.locations.iter().map(of).sum() };
        let never_left = sum(|location| location.never_left);
        if never_left > 0 {
            let calls = counted(never_left, "call");
            writeln!(
                out,
                " {calls} never left: until the last event of the location"
            )?;
        }
        let never_entered = sum(|location| location.never_entered);
        if never_entered > 0 {
            let calls = counted(never_entered, "call");
            writeln!(out, " {calls} left but never entered: not counted")?;
        }
        let silent = profile.locations.len() - profile.calling().count();
        if silent > 0 {
            let locations = counted(silent as u64, "location");
            writeln!(out, " {locations} without calls: not part of the time")?;
        }
        Ok(())
    }
}

fn share(ticks: i64, total: i64) -> f64 {
    ticks as f64 / (total as f64).max(1.0)
}

fn seconds(profile: &Profile, ticks: i64) -> Seconds {
    Seconds(profile.nanoseconds(ticks) as f64 / 1e9)
}

fn region_row(profile: &Profile, region: &RegionTotal, total: i64, names: &Names) -> Vec<String> {
    let time = &region.time;
    let seconds = |ticks| seconds(profile, ticks).to_string();
    let mean = profile.nanoseconds(time.durations) as f64 / time.calls as f64 / 1e9;
    let volume = |volume| match volume {
        0 => String::new(),
        volume => bytes(volume),
    };
    vec![
        profile.name(time.region).to_owned(),
        grouped(time.calls),
        seconds(time.exclusive),
        Percent(share(time.exclusive, total)).to_string(),
        seconds(time.inclusive),
        Seconds(mean).to_string(),
        seconds(time.greatest),
        volume(time.bytes_sent),
        volume(time.bytes_received),
        region
            .imbalance
            .map_or_else(String::new, |factor| format!("{factor:.2}")),
        names.label(region.slowest),
    ]
}

fn location_row(profile: &Profile, location: &LocationProfile, names: &Names) -> Vec<String> {
    let total = location.duration();
    let paradigms = profile.paradigms_of([location]);
    let time = |wanted: Paradigm| {
        let times = paradigms.iter().filter(|(paradigm, _)| *paradigm == wanted);
        times.map(|(_, ticks)| ticks).sum::<i64>()
    };
    let [computation, mpi] = [Paradigm::Computation, Paradigm::Mpi].map(time);
    let percent = |ticks| Percent(share(ticks, total)).to_string();
    let longest = location.regions.iter().max_by_key(|time| time.exclusive);
    let longest = longest.map(|time| (profile.name(time.region), time.exclusive));
    let (region, ticks) = longest.unwrap_or_default();
    vec![
        names.label(location.location),
        seconds(profile, total).to_string(),
        percent(computation),
        percent(mpi),
        percent(total - computation - mpi),
        region.to_owned(),
        percent(ticks),
    ]
}

/// Prints the metrics, each with the regions that count most.
fn write_metrics(out: &mut OutputWriter, profile: &Profile) -> io::Result<()> {
    let mut rows = Vec::new();
    for total in profile.metric_totals() {
        let Some(member) = profile.metrics.get(total.all.metric.0 as usize) else {
            continue;
        };
        rows.push(metric_row(profile, (member, total.mode), &total.all, None));
        let regions = total.regions.iter().filter(|sum| sum.values > 0);
        let regions = regions.filter_map(|sum| Some((sum, sum.region?)));
        for (sum, region) in regions.take(REGIONS_OF_METRIC) {
            rows.push(metric_row(profile, (member, total.mode), sum, Some(region)));
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", Table::new(&METRICS, rows, out.terminal()))
}

fn metric_row(
    profile: &Profile,
    (member, mode): (&MetricMember, MetricMode),
    sum: &MetricSum,
    region: Option<RegionIndex>,
) -> Vec<String> {
    let is_absolute = mode == MetricMode::Absolute;
    let amount = |shown: bool, value: f64| match shown {
        true => amount(member.scale() * value),
        false => String::new(),
    };
    let is_counted = mode == MetricMode::Accumulated && region.is_some();
    let (name, unit) = match region {
        None => (member.name.clone(), member.unit.clone()),
        Some(_) => (String::new(), String::new()),
    };
    vec![
        name,
        unit,
        region.map_or("", |region| profile.name(region)).to_owned(),
        grouped(sum.values),
        amount(!is_absolute, sum.exclusive),
        amount(is_counted, sum.inclusive),
        amount(is_absolute, sum.total / sum.values as f64),
        amount(is_absolute, sum.least),
        amount(is_absolute, sum.greatest),
    ]
}

/// Formats a number with at least four significant digits.
fn amount(value: f64) -> String {
    if value.abs() >= 1000.0 || value == value.trunc() {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", grouped(value.abs().round() as u64));
    }
    format!("{value:.3}")
}

/// Returns the row of the time outside of calls.
fn outside_row(profile: &Profile, total: i64) -> Vec<String> {
    let outside = profile.outside();
    vec![
        "(outside of calls)".to_owned(),
        String::new(),
        seconds(profile, outside).to_string(),
        Percent(share(outside, total)).to_string(),
    ]
}

/// The rows of call paths.
struct Paths<'a> {
    profile: &'a Profile,
    tree: &'a Tree,
    children: &'a [Vec<NodeIndex>],
    total: i64,
    depth: usize,
    threshold: f64,
    rows: Vec<Vec<String>>,
    hidden: u64,
}

impl Paths<'_> {
    /// Adds call paths and those that continue them, the one with the greatest time first.
    fn add(&mut self, nodes: &[NodeIndex], level: usize) {
        let of = |index: &NodeIndex| self.tree.nodes().get(index.0 as usize);
        let nodes = nodes.iter().filter_map(|index| Some((*index, of(index)?)));
        let mut nodes: Vec<_> = nodes.collect();
        nodes.sort_by_key(|(index, node)| (std::cmp::Reverse(node.inclusive), *index));
        for (index, node) in nodes {
            let share = share(node.inclusive, self.total);
            if level >= self.depth || share < self.threshold {
                self.hidden += 1;
                continue;
            }
            let mut name = "  ".repeat(level) + self.profile.name(node.region);
            if node.levels > 1 {
                name += &format!(" (nested {} deep)", node.levels);
            }
            self.rows.push(vec![
                seconds(self.profile, node.inclusive).to_string(),
                Percent(share).to_string(),
                seconds(self.profile, node.exclusive).to_string(),
                grouped(node.calls),
                name,
            ]);
            if let Some(children) = self.children.get(index.0 as usize) {
                self.add(children, level + 1);
            }
        }
    }
}
