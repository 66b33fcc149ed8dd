//! Folders on object stores such as S3, for code that reads and writes synchronously.
//!
//! A folder is a URL such as `s3://bucket/run.fold`: all objects whose keys begin with `run.fold/`. Server and credentials come
//! from the standard variables of the environment, such as `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cache;
mod download;
mod error;
mod file;
mod folder;
mod upload;

pub use file::ObjectFile;
pub use folder::{Object, ObjectFolder};
