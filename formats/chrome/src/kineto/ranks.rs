//! The ranks of files: recorded, or else numbers in the names of files, or else unused numbers in the order of these names.

use std::collections::HashSet;
use std::path::Path;

use foldtrace_trace::{Diagnostic, Diagnostics, Place, Severity};

use super::info::Info;

/// The rank of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileRank {
    pub rank: u64,
    /// Whether an earlier file has the same rank.
    pub is_repeated: bool,
}

/// Returns the rank of each file, and reports what is missing.
pub(crate) fn assign(
    files: &[(&Path, &Info)],
    trace: &Path,
    diagnostics: &mut Diagnostics,
) -> Vec<FileRank> {
    let paths: Vec<&Path> = files.iter().map(|(path, _)| *path).collect();
    let named = named_ranks(&paths);
    let known = files.iter().zip(&named);
    let known: HashSet<u64> = known
        .filter_map(|((_, info), named)| info.rank.or(*named))
        .collect();
    let mut unused = (0..).filter(|rank| !known.contains(rank));
    let mut taken = HashSet::new();
    let mut ranks = Vec::with_capacity(files.len());
    for (&(path, info), named) in files.iter().zip(named) {
        let rank = info.rank.or(named).or_else(|| unused.next());
        let rank = rank.unwrap_or_default();
        if info.rank.is_none() && files.len() > 1 {
            diagnostics.report(guessed(path, rank, named.is_some()));
        }
        let is_repeated = !taken.insert(rank);
        if is_repeated {
            let message = format!(
                "another file has rank {rank}, too: its process follows those of all ranks, and its collective \
                 operations and messages are calls only"
            );
            let warning = Diagnostic::new(Severity::Warning, "kineto.repeated_rank", message);
            diagnostics.report(warning.at(Place::file(path)));
        }
        ranks.push(FileRank { rank, is_repeated });
    }
    let world_size = files.iter().filter_map(|(_, info)| info.world_size).max();
    report_missing(&taken, world_size, trace, diagnostics);
    ranks
}

fn guessed(path: &Path, rank: u64, is_named: bool) -> Diagnostic {
    let source = if is_named {
        "its name"
    } else {
        "the order of the names"
    };
    let message = format!("the file does not record its rank; according to {source}, it is {rank}");
    Diagnostic::new(Severity::Note, "kineto.guessed_rank", message).at(Place::file(path))
}

/// Reports the ranks that the program has and the trace lacks.
fn report_missing(
    taken: &HashSet<u64>,
    world_size: Option<u64>,
    trace: &Path,
    diagnostics: &mut Diagnostics,
) {
    /// Maximum number of ranks in the message.
    const MOST: usize = 8;
    let all = world_size.unwrap_or(0);
    let present = taken.iter().filter(|&&rank| rank < all).count() as u64;
    if present >= all {
        return;
    }
    // Searches at most as many ranks as are present, and a few more.
    let missing = (0..all).filter(|rank| !taken.contains(rank)).take(MOST);
    let listed: Vec<String> = missing.map(|rank| rank.to_string()).collect();
    let rest = if all - present > MOST as u64 {
        ", …"
    } else {
        ""
    };
    let message = format!(
        "the trace has {present} of {all} ranks; missing: {}{rest}",
        listed.join(", ")
    );
    let note = Diagnostic::new(Severity::Note, "kineto.missing_ranks", message);
    diagnostics.report(
        note.at(Place::file(trace))
            .hint("a folder with one file for each rank is read as one trace"),
    );
}

/// Returns the ranks that the names of files have: the number after `rank`, or the number at the end if these are
/// distinct and less than the number of files.
fn named_ranks(paths: &[&Path]) -> Vec<Option<u64>> {
    let names: Vec<String> = paths.iter().map(|path| name_of(path)).collect();
    let last: Vec<Option<u64>> = names.iter().map(|name| number_at_end(stem(name))).collect();
    let distinct: HashSet<u64> = last.iter().flatten().copied().collect();
    let is_complete =
        distinct.len() == paths.len() && last.iter().flatten().all(|&it| it < paths.len() as u64);
    let rank = |(name, last): (&String, Option<u64>)| {
        number_after_rank(name).or(last.filter(|_| is_complete))
    };
    names.iter().zip(last).map(rank).collect()
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.unwrap_or_default().to_ascii_lowercase()
}

/// Returns a name up to its first dot.
fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

/// Returns the number that follows the word `rank`.
fn number_after_rank(name: &str) -> Option<u64> {
    let (_, rest) = name.rsplit_once("rank")?;
    let rest = rest.trim_start_matches(['_', '-', '.', '=', ' ']);
    let end = rest.find(|letter: char| !letter.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

fn number_at_end(stem: &str) -> Option<u64> {
    let start = stem.trim_end_matches(|letter: char| letter.is_ascii_digit());
    stem[start.len()..].parse().ok()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    fn named(names: &[&str]) -> Vec<Option<u64>> {
        let paths = paths(names);
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        named_ranks(&paths)
    }

    #[test]
    fn names_have_ranks() {
        assert_eq!(
            named(&[
                "rank0_step5.json",
                "rank-1.Apr_03.1102.pt.trace.json",
                "trace_8_rank_12.json.gz"
            ]),
            [Some(0), Some(1), Some(12)]
        );
        assert_eq!(
            named(&["t_1.pt.trace.json", "t_0.pt.trace.json"]),
            [Some(1), Some(0)]
        );
        assert_eq!(
            named(&["host_4711.1.pt.trace.json", "host_4712.2.pt.trace.json"]),
            [None, None]
        );
        assert_eq!(named(&["a.json", "b.json"]), [None, None]);
    }

    #[test]
    fn ranks_that_are_missing_or_repeated_are_reported() {
        let paths = paths(&["a", "b", "c", "d"]);
        let info = |rank, world_size| {
            let mut info = Info::default();
            (info.rank, info.world_size) = (rank, world_size);
            info
        };
        let infos = [
            info(None, Some(9)),
            info(Some(0), None),
            info(Some(0), None),
            info(Some(5), None),
        ];
        let files: Vec<_> = paths.iter().map(PathBuf::as_path).zip(&infos).collect();
        let mut diagnostics = Diagnostics::default();
        let ranks = assign(&files, Path::new("folder"), &mut diagnostics);
        let ranks: Vec<_> = ranks.iter().map(|it| (it.rank, it.is_repeated)).collect();
        // The guessed rank is not one that another file records.
        assert_eq!(ranks, [(1, false), (0, false), (0, true), (5, false)]);
        let keys: Vec<_> = diagnostics.groups().map(|(key, _)| key).collect();
        assert_eq!(
            keys,
            [
                "kineto.guessed_rank",
                "kineto.repeated_rank",
                "kineto.missing_ranks"
            ]
        );
        let (_, group) = diagnostics.groups().last().unwrap();
        assert_eq!(
            group.cases[0].message,
            "the trace has 3 of 9 ranks; missing: 2, 3, 4, 6, 7, 8"
        );
    }
}
