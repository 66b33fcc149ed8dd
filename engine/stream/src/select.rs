//! Parses the names of locations, processes and events that users give.

use foldtrace_trace::{ErrorKind, LocationId, Names, Position, TraceError};

/// Returns the location that `text` names.
///
/// # Errors
/// Returns an error if there is no such location; the hint describes the locations of the trace.
pub fn location(names: &Names, text: &str) -> Result<LocationId, TraceError> {
    names.parse_label(text).ok_or_else(|| {
        let error = TraceError::new(ErrorKind::Usage, format!("there is no location '{text}'"));
        let ranks = names.processes().len();
        match names.processes().last() {
            Some(last) => error.hint(format!(
                "name a rank (0 to {}), RANK.THREAD, or an id of the source (such as {})",
                ranks - 1,
                last.locations.first().copied().unwrap_or_default()
            )),
            None => error.hint("the trace defines no locations"),
        }
    })
}

/// Returns the locations that `texts` name, or `all` locations if `texts` is empty.
///
/// # Errors
/// Returns an error if one of the texts names no location.
pub fn locations(
    names: &Names,
    texts: &[String],
    all: impl Iterator<Item = LocationId>,
) -> Result<Vec<LocationId>, TraceError> {
    if texts.is_empty() {
        return Ok(all.collect());
    }
    texts.iter().map(|text| location(names, text)).collect()
}

/// Returns the location and the position that `text` names, as `LOCATION:POSITION`.
///
/// # Errors
/// Returns an error if `text` does not have this form, or if there is no such location.
pub fn event(names: &Names, text: &str) -> Result<(LocationId, Position), TraceError> {
    let parts = text
        .rsplit_once(':')
        .and_then(|(location, position)| Some((location.trim(), position.trim().parse().ok()?)));
    let Some((location_text, position)) = parts else {
        let message = format!("'{text}' is not an event");
        return Err(TraceError::new(ErrorKind::Usage, message)
            .hint("write LOCATION:POSITION, such as 3.0:1711"));
    };
    Ok((location(names, location_text)?, Position(position)))
}
