//! A conversion that is killed (`SIGKILL`), at any moment: at the target there is no store or a whole
//! one, and if one was there before, the old one or the new one. What is left behind goes away with the
//! next conversion.
//!
//! Moments are spread over the whole duration, which is measured, and drawn at random. Their seed is
//! printed; `FOLDTRACE_SEED=…` draws the same ones again. Some phases are too short to be met by chance:
//! for these the kill comes as soon as a certain file is seen.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use foldtrace::store::verify;

use crate::common::{Folder, copy};

/// Random moments in each of the two tests.
const MOMENTS: u32 = 100;

/// Kills at each sight.
const TIMES: u32 = 4;

/// Longer than any conversion may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// Events of the archive, and of the old store.
const NEW: u64 = 8_406;
const OLD: u64 = 1;

/// When a conversion is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    After(Duration),
    /// As soon as the unfinished store has this file.
    Seen(&'static str),
    /// As soon as the new store stands at the target; the hidden folder may still be there.
    Appeared,
}

/// How far it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// Nothing was made yet.
    Before,
    /// Events were being written.
    Events,
    /// Tables were, which come after the events.
    Tables,
    /// The manifest was there, but not yet under the final name.
    Manifest,
    /// The new store was at its place, and the old one not yet away.
    Exchanged,
    /// Nothing was left to do.
    Done,
}

struct Kills {
    folder: Folder,
    phases: BTreeMap<Phase, u32>,
}

impl Kills {
    fn new() -> Self {
        let folder = Folder::with("stencil-9");
        folder.feed("convert - old.fold", "0 send 1 17\n").exits(0);
        Self {
            folder,
            phases: BTreeMap::new(),
        }
    }

    fn target(&self) -> PathBuf {
        self.folder.path("run.fold")
    }

    /// The unfinished store, if there is one other than that of the kill before.
    fn unfinished(&self, stale: Option<&Path>) -> Option<PathBuf> {
        let hidden = fs::read_dir(self.folder.path(".run.fold.partial")).ok()?;
        hidden
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.is_dir() && Some(path.as_path()) != stale)
    }

    /// Events of what stands at the target, which must be whole.
    fn events(&self) -> Option<u64> {
        if !self.target().exists() {
            return None;
        }
        let verification = verify(&self.target()).unwrap();
        assert_eq!(verification.findings, []);
        Some(verification.events)
    }

    /// Converts and kills; whether it had already ended by itself.
    fn kill(&mut self, moment: Moment) -> bool {
        let (before, stale) = (self.events(), self.unfinished(None));
        let unfinished = || self.unfinished(stale.as_deref());
        let start = Instant::now();
        let mut child = self
            .folder
            .foldtrace(["convert", "stencil-9", "run.fold", "--force", "--quiet"])
            .spawn()
            .unwrap();
        match moment {
            Moment::After(delay) => thread::sleep(delay.saturating_sub(start.elapsed())),
            Moment::Seen(file) => {
                while !unfinished().is_some_and(|s| s.join(file).exists())
                    && child.try_wait().unwrap().is_none()
                {
                    assert!(start.elapsed() < PATIENCE);
                }
            }
            Moment::Appeared => {
                let new = self.target().join("definitions/regions.parquet");
                while !new.exists() && child.try_wait().unwrap().is_none() {
                    assert!(start.elapsed() < PATIENCE);
                }
            }
        }
        child.kill().unwrap();
        let has_ended = child.wait().unwrap().success();
        let after = self.events();
        assert!(
            after == Some(NEW) || after == before && !has_ended,
            "{moment:?}: {before:?} events before, {after:?} after, ended: {has_ended}"
        );
        let phase = match unfinished() {
            None if after != before => Phase::Done,
            None => Phase::Before,
            Some(_) if after != before => Phase::Exchanged,
            Some(store) if store.join("manifest.json").exists() => Phase::Manifest,
            Some(store) if store.join("index.parquet").exists() => Phase::Tables,
            Some(_) => Phase::Events,
        };
        *self.phases.entry(phase).or_default() += 1;
        has_ended
    }

    /// How long a conversion takes that nobody kills.
    fn duration(&mut self, reset: impl Fn(&Self)) -> Duration {
        let mut longest = Duration::ZERO;
        for _ in 0..3 {
            reset(self);
            let start = Instant::now();
            self.folder
                .say("convert stencil-9 run.fold --force --quiet")
                .exits(0);
            longest = longest.max(start.elapsed());
        }
        longest
    }

    /// Kills at all moments; `reset` makes the target what it is to be before each of them.
    fn at_all_moments(mut self, name: &str, reset: impl Fn(&Self)) {
        let seed = std::env::var("FOLDTRACE_SEED").map_or_else(
            |_| Rng::new().get_seed(),
            |seed| seed.parse().expect("FOLDTRACE_SEED is a number"),
        );
        let mut random = Rng::with_seed(seed);
        let duration = self.duration(&reset);
        eprintln!("{name}: {MOMENTS} kills within {duration:?}, FOLDTRACE_SEED={seed}");
        let spread = (0..MOMENTS).map(|i| {
            let share = (f64::from(i) + random.f64()) / f64::from(MOMENTS);
            Moment::After(duration.mul_f64(share))
        });
        let mut moments: Vec<_> = spread.collect();
        for file in ["quantity", "index.parquet", "views.sql", "manifest.json"] {
            moments.extend((0..TIMES).map(|_| Moment::Seen(file)));
        }
        moments.extend((0..TIMES).map(|_| Moment::Appeared));
        random.shuffle(&mut moments);
        for moment in moments {
            reset(&self);
            self.kill(moment);
        }
        eprintln!("{name}: killed in {:?}", self.phases);
        let has_met = |phase| self.phases.contains_key(&phase);
        for phase in [Phase::Before, Phase::Events, Phase::Tables] {
            assert!(has_met(phase), "never {phase:?}");
        }
        assert!(has_met(Phase::Exchanged) || has_met(Phase::Done));
        // What was left is in nobody's way, and does not stay.
        reset(&self);
        self.folder
            .say("convert stencil-9 run.fold --force --quiet")
            .exits(0);
        assert_eq!(self.events(), Some(NEW));
        let names = ["old.fold", "run.fold", "stencil-9"];
        assert_eq!(self.folder.names(), names);
    }
}

#[test]
fn a_kill_at_any_moment_leaves_a_whole_store_or_none() {
    Kills::new().at_all_moments("no store before", |kills| {
        if kills.target().exists() {
            fs::remove_dir_all(kills.target()).unwrap();
        }
    });
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_store_or_the_new_one() {
    Kills::new().at_all_moments("an old store before", |kills| {
        if kills.events() != Some(OLD) {
            let _ = fs::remove_dir_all(kills.target());
            copy(&kills.folder.path("old.fold"), &kills.target());
        }
    });
}
