//! Efficiencies as JSON.

use foldtrace_clock::ClockReport;
use foldtrace_trace::Names;
use serde::Serialize;

use crate::{Efficiency, Factors, PhaseEfficiency, Scaling, TimedIteration};

/// The efficiencies of a run as JSON, which `schemas/efficiency.schema.json` describes. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct EfficiencyJson {
    /// The name of the store.
    pub name: String,
    /// The clocks by which times of different processes were compared.
    pub clock: ClockReport,
    /// The efficiencies of the whole program.
    #[serde(flatten)]
    pub program: FactorsJson,
    /// Each process.
    pub times: Vec<ProcessJson>,
    /// The phases: outermost loops of the global model, in order.
    pub phases: Vec<PhaseJson>,
    /// Why there are no phases, if the program is too irregular for a global model.
    pub irregular: Option<String>,
    /// The number of dependences between processes that contradict others, and were ignored.
    pub contradictions: u64,
    /// Hardware counters outside of MPI, summed over all processes.
    pub counters: CountersJson,
    /// How the run scales relative to the first one; null if it is the only one.
    pub scaling: Option<ScalingJson>,
}

/// Times of some processes, and the efficiencies that follow from them.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FactorsJson {
    /// The number of processes.
    pub processes: u64,
    /// The time that the slowest process takes.
    pub runtime: f64,
    /// The same on an ideal network.
    pub ideal_runtime: f64,
    /// The useful time of all processes together.
    pub useful: f64,
    /// The useful time of the process with most of it.
    pub useful_max: f64,
    /// Parallel efficiency: load balance × serialisation × transfer.
    pub parallel: f64,
    /// Mean useful time / maximum useful time.
    pub load_balance: f64,
    /// Communication efficiency: serialisation × transfer.
    pub communication: f64,
    /// Maximum useful time / ideal runtime.
    pub serialisation: f64,
    /// Ideal runtime / runtime.
    pub transfer: f64,
}

/// The times of a process.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ProcessJson {
    /// The id of the location.
    pub location: u64,
    /// The name of the location on the command line.
    pub label: String,
    /// The time outside of MPI.
    pub useful: f64,
    /// The time from the first event of the program to the last one of the process.
    pub runtime: f64,
    /// The same on an ideal network.
    pub ideal_runtime: f64,
}

/// The efficiencies of a phase.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PhaseJson {
    /// The number of the loop among the constructs of the merged model, from 1.
    pub r#loop: u64,
    /// The number of iterations.
    pub iterations: u64,
    /// The efficiencies of the whole phase.
    #[serde(flatten)]
    pub factors: FactorsJson,
    /// The spread of the parallel efficiency over the iterations.
    pub spread: Option<SpreadJson>,
    /// The slowest iterations, the slowest first.
    pub slowest: Vec<IterationJson>,
}

/// The spread of the parallel efficiency over iterations.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct SpreadJson {
    /// The minimum.
    pub min: f64,
    /// The median, to 0.0001.
    pub median: f64,
    /// The maximum.
    pub max: f64,
}

/// An iteration.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct IterationJson {
    /// The number of the iteration, from 0.
    pub iteration: u64,
    /// Its efficiencies.
    #[serde(flatten)]
    pub factors: FactorsJson,
}

/// Hardware counters.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct CountersJson {
    /// The number of instructions; null if it is not measured.
    pub instructions: Option<f64>,
    /// The number of cycles; null if it is not measured.
    pub cycles: Option<f64>,
    /// The number of instructions per cycle; null if it is not measured.
    pub instructions_per_cycle: Option<f64>,
}

/// How a run scales relative to a first one.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ScalingJson {
    /// How many times faster it is.
    pub speedup: f64,
    /// Global efficiency: parallel efficiency × computation scaling.
    pub global: f64,
    /// Computation scaling: useful time of the first run / useful time of this one.
    pub computation: f64,
    /// Instructions of the first run / instructions of this one; null if one of them does not count them.
    pub instructions: Option<f64>,
    /// Instructions per cycle of this run / those of the first one; null if one of them does not count them.
    pub instructions_per_cycle: Option<f64>,
}

/// Returns the efficiencies of a run as JSON.
#[must_use]
pub fn efficiency_json(
    name: &str,
    run: &Efficiency,
    scaling: Option<Scaling>,
    names: &Names,
    ticks_per_second: u64,
) -> EfficiencyJson {
    let time = |ticks: u64| ticks as f64 * 1e9 / ticks_per_second.max(1) as f64;
    let factors = |it: &Factors| FactorsJson {
        processes: it.processes,
        runtime: time(it.runtime),
        ideal_runtime: time(it.ideal_runtime),
        useful: time(it.useful),
        useful_max: time(it.useful_max),
        parallel: it.parallel(),
        load_balance: it.load_balance(),
        communication: it.communication(),
        serialisation: it.serialisation(),
        transfer: it.transfer(),
    };
    let times = run.processes.iter().map(|process| ProcessJson {
        location: process.location.0,
        label: names.label(process.location),
        useful: time(process.useful),
        runtime: time(process.runtime),
        ideal_runtime: time(process.ideal_runtime),
    });
    let iteration = |it: &TimedIteration| IterationJson {
        iteration: it.index,
        factors: factors(&it.factors),
    };
    let phase = |it: &PhaseEfficiency| PhaseJson {
        r#loop: it.phase.number,
        iterations: it.phase.iterations,
        factors: factors(&it.factors),
        spread: it.spread.map(|spread| SpreadJson {
            min: spread.least,
            median: spread.median,
            max: spread.greatest,
        }),
        slowest: it.slowest.iter().map(iteration).collect(),
    };
    EfficiencyJson {
        name: name.to_owned(),
        clock: run.clock,
        program: factors(&run.program),
        times: times.collect(),
        phases: run.phases.iter().map(phase).collect(),
        irregular: run.irregular.clone(),
        contradictions: run.contradictions,
        counters: CountersJson {
            instructions: run.counters.instructions,
            cycles: run.counters.cycles,
            instructions_per_cycle: run.counters.per_cycle(),
        },
        scaling: scaling.map(|scaling| ScalingJson {
            speedup: scaling.speedup,
            global: scaling.global,
            computation: scaling.computation,
            instructions: scaling.instructions,
            instructions_per_cycle: scaling.per_cycle,
        }),
    }
}
