//! Patterns for names of regions: exact, or with `*` and `?`.

use foldtrace_trace::{ErrorKind, TraceError};

/// A pattern for names, in which `*` matches any characters and `?` matches any single character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// Creates a pattern from its text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns whether the pattern matches `name`.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let (mut pattern, mut rest) = (self.0.chars(), name.chars());
        // The state to resume from if the text after the last star does not match: the star takes one more character.
        let mut retry = None;
        loop {
            match pattern.next() {
                Some('*') => {
                    retry = Some((pattern.clone(), rest.clone()));
                    continue;
                }
                Some(expected) => {
                    let found = rest.next();
                    if found.is_some_and(|c| expected == '?' || expected == c) {
                        continue;
                    }
                    if found.is_none() {
                        return false;
                    }
                }
                None if rest.as_str().is_empty() => return true,
                None => {}
            }
            let Some((after_star, taken)) = &mut retry else {
                return false;
            };
            if taken.next().is_none() {
                return false;
            }
            (pattern, rest) = (after_star.clone(), taken.clone());
        }
    }

    /// Returns the error for a pattern that matches no name; the hint contains the most similar `names`.
    pub(super) fn unknown<'a>(&self, names: impl Iterator<Item = &'a str>) -> TraceError {
        let error = TraceError::new(ErrorKind::Usage, format!("there is no region '{}'", self.0));
        match nearest(&self.0, names) {
            Some(names) => error.hint(format!("similar: {names}")),
            None => error.hint("the trace defines no regions"),
        }
    }
}

/// The maximum number of names in a hint.
const NAMES: usize = 5;

/// The minimum similarity of a name in a hint; the most similar name is always included.
const SIMILAR: f64 = 0.7;

/// Returns the names that are most similar to `text`, the best first, as a list for a hint.
pub(super) fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let text = text.to_lowercase();
    let mut names: Vec<_> = names
        .filter(|name| !name.is_empty())
        .map(|name| (likeness(&text, &name.to_lowercase()), name))
        .collect();
    names.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
    names.dedup();
    let (_, first) = names.first()?;
    let others = names.iter().skip(1).take(NAMES - 1);
    let others = others.take_while(|(likeness, _)| *likeness >= SIMILAR);
    let names: Vec<_> = [*first]
        .into_iter()
        .chain(others.map(|&(_, name)| name))
        .collect();
    Some(names.join(", "))
}

/// Returns how similar `text` is to `name`, or to a part of `name` after an underscore, because users
/// leave out prefixes such as `mpi_`. A part scores slightly less than a whole name.
fn likeness(text: &str, name: &str) -> f64 {
    const WITHOUT_PREFIX: f64 = 0.97;
    let ends = name.match_indices('_').map(|(at, _)| &name[at + 1..]);
    let ends = ends.map(|end| WITHOUT_PREFIX * strsim::jaro_winkler(text, end));
    ends.fold(strsim::jaro_winkler(text, name), f64::max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Matches a pattern by definition: short and slow.
    fn matches(pattern: &[char], name: &[char]) -> bool {
        match pattern {
            [] => name.is_empty(),
            ['*', rest @ ..] => (0..=name.len()).any(|taken| matches(rest, &name[taken..])),
            [first, rest @ ..] => match name {
                [c, others @ ..] => (*first == '?' || first == c) && matches(rest, others),
                [] => false,
            },
        }
    }

    proptest! {
        #[test]
        fn patterns_match_as_they_are_defined(pattern in "[ab*?é]{0,7}", name in "[abé]{0,9}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            let expected = matches(&chars(&pattern), &chars(&name));
            prop_assert_eq!(Pattern::new(&pattern).matches(&name), expected);
        }
    }

    #[test]
    fn names_with_signs_of_patterns_match_themselves() {
        for name in ["operator*", "f(int*, char?)", "MPI_Send"] {
            assert!(Pattern::new(name).matches(name));
        }
        assert!(!Pattern::new("MPI_Send").matches("MPI_Sendrecv"));
    }

    #[test]
    fn the_most_similar_names_come_first() {
        let names = ["leave", "enter", "mpi_isend", "mpi_send"];
        let hint = nearest("entre", names.into_iter()).unwrap();
        assert_eq!(hint, "enter");
        let hint = nearest("mpi_snd", names.into_iter()).unwrap();
        assert_eq!(hint, "mpi_send, mpi_isend");
        assert_eq!(nearest("entre", std::iter::empty()), None);
        let kinds = [
            "mpi_isend_complete",
            "mpi_isend",
            "mpi_send",
            "leave",
            "enter",
        ];
        let hint = nearest("sendd", kinds.into_iter()).unwrap();
        assert_eq!(hint, "mpi_send, mpi_isend");
        let hint = nearest("isend", kinds.into_iter()).unwrap();
        assert!(hint.starts_with("mpi_isend, mpi_send"), "{hint}");
    }
}
