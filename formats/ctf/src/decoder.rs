//! Decodes the events of a stream.

use crate::chunk::Event;
use crate::class::Role;
use crate::cursor::{Cursor, Stop};
use crate::fault::Fault;
use crate::leaf::Fields;
use crate::plan::{StreamPlan, TracePlan};
use crate::run::run;
use crate::state::State;
use crate::timeline::Conversion;

/// What decoding the events of a stream depends on.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    pub plan: &'a TracePlan,
    pub stream: &'a StreamPlan,
    /// How the values of the clock become times; `None` if the stream has no clock.
    pub conversion: Option<Conversion>,
    pub state: &'a mut State,
}

impl Decoder<'_> {
    /// Decodes an event and adds its fields. The caller knows its turn and its place.
    #[inline]
    pub(crate) fn event(
        &mut self,
        cursor: &mut Cursor<'_>,
        fields: &mut Fields,
    ) -> Result<Event, Stop> {
        let start = cursor.at;
        self.state.forget(Role::EventClass);
        self.state.first_text = fields.texts().len();
        run(&self.stream.event_header, cursor, self.state, fields)?;
        let id = self.state.role(Role::EventClass).unwrap_or(0);
        let known = self.stream.events.get(id);
        let Some((class, plan)) =
            known.and_then(|class| Some((class, self.plan.events.get(class as usize)?)))
        else {
            return Err(Stop::Unknown(id));
        };
        let own = fields.count();
        run(&plan.body, cursor, self.state, fields)?;
        if cursor.at == start {
            return Err(occupies_no_space(&plan.name));
        }
        if fields.are_too_long() {
            return Err(Fault::new("an event has more than 4 GiB of texts").into());
        }
        let time = self.time()?;
        Ok(Event {
            class,
            own,
            end: fields.count(),
            time,
            turn: time.unwrap_or(0),
            place: 0,
        })
    }

    /// Returns the time of the event.
    #[inline]
    fn time(&self) -> Result<Option<u64>, Stop> {
        let (Some(conversion), Some(value)) = (&self.conversion, self.state.clock) else {
            return Ok(None);
        };
        match conversion.time(value) {
            Some(time) => Ok(Some(time)),
            None => Err(Fault::new("the time of an event does not fit into 64 bits").into()),
        }
    }
}

#[cold]
fn occupies_no_space(event: &str) -> Stop {
    Fault::new(format!("the event '{event}' occupies no space")).into()
}
