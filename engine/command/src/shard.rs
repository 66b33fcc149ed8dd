//! The option `--shard`: the shard of a store, of its derived tables, or of an analysis, that a task writes.

use std::env;
use std::path::Path;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use foldtrace_store::{ShardId, StoreReader, begin_joining, is_joined_by_another, remove_shards};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{ErrorKind, TraceError};

use crate::Context;
use crate::progress::Work;
use crate::report::{self, Done, Outcome};

/// A shard as users name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardOption {
    /// This shard.
    One(ShardId),
    /// The shard of the task, as the launcher numbers it.
    Auto,
}

/// The variables with which launchers tell a task its number and the number of all tasks. A batch system sets its own ones for
/// everything that it starts, also for another launcher, and is therefore last.
const LAUNCHERS: [[&str; 2]; 6] = [
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"],
    ["PMI_RANK", "PMI_SIZE"],
    ["MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"],
    ["PALS_RANKID", "PALS_SIZE"],
    ["FLUX_TASK_RANK", "FLUX_JOB_SIZE"],
    ["SLURM_PROCID", "SLURM_NTASKS"],
];

impl FromStr for ShardOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            text => text.parse().map(Self::One),
        }
    }
}

impl ShardOption {
    /// Returns the id of the shard.
    ///
    /// # Errors
    /// Returns an error if no launcher has numbered the task.
    pub fn id(self) -> Result<ShardId, TraceError> {
        match self {
            Self::One(id) => Ok(id),
            Self::Auto => of_task(|name| env::var(name).ok()).ok_or_else(|| {
                let message = "no launcher has numbered this task";
                let names = LAUNCHERS.map(|[number, _]| number).join(", ");
                let hint = format!(
                    "start it with srun or mpirun, which set one of {names}; or write --shard K/N"
                );
                TraceError::new(ErrorKind::Usage, message).hint(hint)
            }),
        }
    }
}

/// The time after which a task looks again whether another one still writes its shard.
const PATIENCE: Duration = Duration::from_millis(200);

/// Writes a shard of a store. If the launcher has numbered the task, waits while a task of a job that ended is about to end, and still
/// writes the same shard.
///
/// # Errors
/// Returns an error if the shard cannot be written, or the work was stopped.
pub fn write_shard<T>(
    shard: ShardOption,
    store: &Path,
    progress: &Progress,
    write: impl Fn(ShardId) -> Result<T, TraceError>,
) -> Result<T, TraceError> {
    let id = shard.id()?;
    loop {
        match write(id) {
            Err(error)
                if error.kind == ErrorKind::Output
                    && shard == ShardOption::Auto
                    && id.has_writer(store) =>
            {
                progress.check()?;
                thread::sleep(PATIENCE);
            }
            written => return written,
        }
    }
}

/// Writes a shard of the analysis of a store with `write`, which returns whether it was not there already. Then, if no other task is
/// still to come, opens all shards with `open`, passes them to `show`, and removes them. With `replace`, shards are written again.
///
/// # Errors
/// Returns an error if the shard cannot be written, or the shards cannot be shown or removed.
pub fn share<T>(
    shard: ShardOption,
    store: &StoreReader,
    replace: bool,
    context: Context,
    write: impl Fn(ShardId, &Progress) -> Result<bool, TraceError>,
    open: impl FnOnce() -> Result<T, TraceError>,
    show: impl FnOnce(T) -> Outcome,
) -> Outcome {
    let (id, path) = (shard.id()?, store.path());
    let is_new = Work::new(context).watch(store, |progress| {
        write_shard(shard, path, progress, |id| write(id, progress))
    })?;
    let written = if is_new { "is" } else { "was before" };
    report::note(&format!("shard {id} {written} written"), context);
    let Some(joining) = begin_joining(path, id.of())? else {
        return Ok(Done::Clean);
    };
    let done = match open() {
        Err(error) if is_joined_by_another(&error, path, replace) => return Ok(Done::Clean),
        opened => show(opened?)?,
    };
    remove_shards(path)?;
    drop(joining);
    Ok(done)
}

/// Returns the shard of the task with these environment variables.
fn of_task(variable: impl Fn(&str) -> Option<String>) -> Option<ShardId> {
    let number = |name: &str| variable(name)?.trim().parse().ok();
    LAUNCHERS
        .iter()
        .find_map(|[own, all]| ShardId::new(number(own)?, number(all)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launcher_within_a_batch_system_counts() {
        let of = |variables: &[(&str, &str)]| {
            of_task(|name| {
                let found = variables.iter().find(|(other, _)| *other == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        let slurm = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")];
        let mpi = [("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "3")];
        assert_eq!(of(&slurm), ShardId::new(0, 4));
        assert_eq!(of(&[slurm, mpi].concat()), ShardId::new(2, 3));
        assert_eq!(of(&[("PMI_RANK", "1")]), None);
        assert_eq!(of(&[("PMI_RANK", "4"), ("PMI_SIZE", "4")]), None);
    }
}
