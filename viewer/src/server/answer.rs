//! The addresses of the server, and its answers.
//!
//! | address | answer |
//! |---|---|
//! | `/` | the page of the only store, or the pages of all stores |
//! | `/beside` | how several stores are aligned, and what differs between them; status 202 while it is not ready |
//! | `/N/` | the page of store `N` |
//! | `/N/basis`, `/N/overview` | data of the page; status 202 while it is not ready |
//! | `/N/detail?begin=…&end=…&locations=…&buckets=…` | calls and messages in a part of the run, or finer buckets |
//! | `/N/events?begin=…&end=…&locations=…` | the events of a location in a part of the run, as text |

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use serde::Deserialize;
use tokio::task::spawn_blocking;

use super::run::{Prepared, ServedRun};
use super::site::Site;
use crate::detail::Part;
use crate::page;

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
const COLUMNS: &str = "application/octet-stream";

/// The greatest number of buckets in an answer.
const MOST_BUCKETS: u64 = 1 << 13;

/// Returns the addresses of all pages, which begin with the token.
pub(super) fn pages(token: &str, site: &Arc<Site>) -> Router {
    let at = |address: &str| format!("/{token}/{address}");
    Router::new()
        .route(&at(""), get(first))
        .route(&at("beside"), get(beside))
        .route(&at("{run}/"), get(page))
        .route(&at("{run}/basis"), get(basis))
        .route(&at("{run}/overview"), get(overview))
        .route(&at("{run}/detail"), get(detail))
        .route(&at("{run}/events"), get(events))
        .with_state(Arc::clone(site))
}

/// A part of a run in an address.
#[derive(Debug, Deserialize)]
struct Asked {
    begin: f64,
    end: f64,
    /// Indices of locations, and ranges of them such as `3-7`, separated by commas.
    locations: String,
    #[serde(default)]
    buckets: u64,
}

impl Asked {
    /// Returns the part, with those of the first `count` locations that are asked for; `None` if it is none.
    fn part(&self, count: usize) -> Option<Part> {
        let mut locations = BTreeSet::new();
        for piece in self.locations.split(',') {
            let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
            let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
            locations.extend(first..last.saturating_add(1).min(count));
        }
        let is_range = self.begin >= 0.0 && self.begin < self.end;
        is_range.then(|| Part {
            range: self.begin..self.end,
            locations: locations.into_iter().collect(),
            buckets: self.buckets.clamp(1, MOST_BUCKETS),
        })
    }
}

async fn first(State(site): State<Arc<Site>>) -> Response {
    if site.runs.len() == 1 {
        return Redirect::to("0/").into_response();
    }
    let mut html = Vec::new();
    match page::write_beside(&mut html, &site.titles()) {
        Ok(()) => answer(StatusCode::OK, HTML, html.into()),
        Err(error) => failure(error.to_string()),
    }
}

async fn beside(State(site): State<Arc<Site>>) -> Response {
    prepared(site.beside(), JSON)
}

async fn page(State(site): State<Arc<Site>>, Path(number): Path<usize>) -> Response {
    let Some(run) = site.runs.get(number) else {
        return unknown();
    };
    let mut html = Vec::new();
    match page::write(&mut html, &run.title, "", true, |out| {
        out.write_all(b"null")
    }) {
        Ok(()) => answer(StatusCode::OK, HTML, html.into()),
        Err(error) => failure(error.to_string()),
    }
}

async fn basis(State(site): State<Arc<Site>>, Path(number): Path<usize>) -> Response {
    let run = site.runs.get(number);
    run.map_or_else(unknown, |run| prepared(run.basis(), COLUMNS))
}

async fn overview(State(site): State<Arc<Site>>, Path(number): Path<usize>) -> Response {
    let run = site.runs.get(number);
    run.map_or_else(unknown, |run| prepared(run.overview(), COLUMNS))
}

async fn detail(
    State(site): State<Arc<Site>>,
    Path(number): Path<usize>,
    Query(asked): Query<Asked>,
) -> Response {
    computed(site, number, COLUMNS, move |run| {
        let part = asked.part(run.locations())?;
        Some(run.detail(&part))
    })
    .await
}

async fn events(
    State(site): State<Arc<Site>>,
    Path(number): Path<usize>,
    Query(asked): Query<Asked>,
) -> Response {
    computed(site, number, JSON, move |run| {
        let part = asked.part(run.locations())?;
        Some(run.events(&part))
    })
    .await
}

/// Computes an answer on a thread of its own. `compute` returns `None` if the question makes no sense.
async fn computed(
    site: Arc<Site>,
    number: usize,
    content: &'static str,
    compute: impl FnOnce(&ServedRun) -> Option<Prepared> + Send + 'static,
) -> Response {
    let found = spawn_blocking(move || site.runs.get(number).map(compute)).await;
    match found {
        Ok(None) => unknown(),
        Ok(Some(Some(found))) => prepared(found, content),
        Ok(Some(None)) => answer(
            StatusCode::BAD_REQUEST,
            TEXT,
            "this is no part of a run\n".into(),
        ),
        Err(error) => failure(error.to_string()),
    }
}

fn prepared(found: Prepared, content: &'static str) -> Response {
    match found {
        Prepared::Ready(bytes) => answer(StatusCode::OK, content, bytes),
        Prepared::Awaited => answer(StatusCode::ACCEPTED, TEXT, Bytes::new()),
        Prepared::Failed(message) => failure(message),
    }
}

fn failure(message: String) -> Response {
    answer(StatusCode::INTERNAL_SERVER_ERROR, TEXT, message.into())
}

fn unknown() -> Response {
    answer(
        StatusCode::NOT_FOUND,
        TEXT,
        "there is no such page\n".into(),
    )
}

fn answer(status: StatusCode, content: &'static str, body: Bytes) -> Response {
    let headers = [
        (CONTENT_TYPE, content),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (status, headers, body).into_response()
}
