//! Tests of the command and of the library that has all rooms: one module per capability.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test may fail, and print"
)]

mod common;

mod analysis;
mod archive;
mod compare;
mod convert;
mod corpus;
mod critical;
mod cut;
mod cut_model;
mod dag;
mod derive;
mod diagnostics;
mod drawing;
mod drawing_steps;
mod efficiency;
mod extract;
mod faults;
mod faults_otf2;
mod flips;
mod golden;
mod help;
mod inputs;
mod kills;
mod limits;
mod logical;
mod logical_orders;
mod long_lines;
mod lookup;
mod matrix;
mod mtf;
mod odd_names;
mod otf2;
mod output;
mod patterns;
mod profile;
mod program;
mod recognition;
mod replaced;
mod rooms;
mod roundtrip;
mod scale;
mod schemas;
mod shards;
mod shards_of_analyses;
mod shards_of_tables;
mod signals;
mod skeleton;
mod steps;
mod stragglers;
mod structure;
mod tables;
mod tags;
mod terminal;
mod ti;
mod timeline;
mod topology;
mod verify;
mod waits;
mod writers;
