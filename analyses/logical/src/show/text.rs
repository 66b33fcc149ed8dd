//! Formats logical programs as text.

use std::fmt::{self, Display};

use foldtrace_fold::Polynomial;
use foldtrace_view::units::Seconds;

use super::{direction, function, of_action, only, operation};
use crate::model::{Action, Call, Construct, Logical, Measured, Number};

/// A logical program as text. The means of measured values follow each call.
#[derive(Clone, Copy, Debug)]
pub struct LogicalText<'a>(pub &'a Logical);

impl Display for LogicalText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sequence(f, &self.0.program, 0)
    }
}

impl LogicalText<'_> {
    fn sequence(
        &self,
        f: &mut fmt::Formatter<'_>,
        constructs: &[Construct],
        depth: usize,
    ) -> fmt::Result {
        let indent = 2 * depth;
        for construct in constructs {
            match construct {
                Construct::Call(call) => {
                    write!(f, "{:indent$}", "")?;
                    self.call(f, call)?;
                }
                Construct::Loop(inner) => {
                    let last = function(&inner.count).add(&Polynomial::constant(-1));
                    writeln!(f, "{:indent$}for i{depth} = 0 to {last}", "")?;
                    self.sequence(f, &inner.body, depth + 1)?;
                    writeln!(f, "{:indent$}done", "")?;
                }
            }
        }
        Ok(())
    }

    fn call(&self, f: &mut fmt::Formatter<'_>, call: &Call) -> fmt::Result {
        let number = |f: &mut fmt::Formatter<'_>, word: &str, number: &Option<Number>| match number
        {
            Some(number) => write!(f, " {word} {}", function(number)),
            None => Ok(()),
        };
        match &call.action {
            Action::Send {
                direction: to, tag, ..
            } => {
                write!(f, "send {}", direction(self.0, to))?;
                number(f, "tag", tag)?;
            }
            Action::Receive {
                direction: from,
                tag,
                ..
            } => {
                write!(f, "receive {}", direction(self.0, from))?;
                number(f, "tag", tag)?;
            }
            Action::Collective {
                operation: code,
                root,
                ..
            } => {
                write!(f, "{}", operation(*code))?;
                number(f, "root", root)?;
            }
        }
        if let Some((least, greatest)) = call.tags {
            write!(f, " tags {least} to {greatest}")?;
        }
        if let Some(communicator) = of_action(self.0, &call.action) {
            write!(f, " in {communicator}")?;
        }
        if let Some(guard) = call.guard {
            write!(f, " {}", only(self.0, guard))?;
        }
        if let Some(measured) = self.0.measured.get(call.number as usize) {
            self.measured(f, measured)?;
        }
        writeln!(f)
    }

    fn measured(&self, f: &mut fmt::Formatter<'_>, measured: &Measured) -> fmt::Result {
        let seconds = |ticks: f64| Seconds(ticks / self.0.ticks_per_second.max(1) as f64);
        let (computing, within) = (measured.computing.mean(), measured.communicating.mean());
        write!(
            f,
            " // after {}, takes {}",
            seconds(computing),
            seconds(within)
        )?;
        let sizes = &measured.bytes;
        match (sizes.quantiles.first(), sizes.quantiles.last()) {
            (Some(least), Some(greatest)) if least == greatest => write!(f, ", {least} bytes"),
            (Some(least), Some(greatest)) => {
                write!(
                    f,
                    ", {least} to {greatest} bytes, {:.0} as a mean",
                    sizes.mean()
                )
            }
            _ => Ok(()),
        }
    }
}
