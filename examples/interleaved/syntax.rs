//! The syntax of the formats.

use std::io::{self, Write};

use super::program::{Action, Event, Program, REGIONS};

pub trait Syntax {
    fn begin(&mut self, out: &mut impl Write, locations: u32) -> io::Result<()>;
    fn event(&mut self, out: &mut impl Write, event: Event) -> io::Result<()>;
    fn end(&mut self, out: &mut impl Write) -> io::Result<()>;
}

/// Writes the events of a program until the output has `bytes` bytes, then leaves all open calls.
pub fn write(
    mut program: Program,
    syntax: &mut impl Syntax,
    bytes: u64,
    out: impl Write,
) -> io::Result<()> {
    let mut out = Counted { out, bytes: 0 };
    syntax.begin(&mut out, program.locations())?;
    while out.bytes < bytes {
        program.turn(|event| syntax.event(&mut out, event))?;
    }
    program.finish(|event| syntax.event(&mut out, event))?;
    syntax.end(&mut out)?;
    out.flush()
}

/// A writer that counts bytes.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.out.write(bytes)?;
        self.bytes += taken as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The text format of foldtrace.
pub struct Text;

impl Syntax for Text {
    fn begin(&mut self, out: &mut impl Write, locations: u32) -> io::Result<()> {
        writeln!(out, "#: clock_properties ticks_per_second=1000000000")?;
        writeln!(out, "# {locations} locations in the order of time")
    }

    fn event(&mut self, out: &mut impl Write, event: Event) -> io::Result<()> {
        let Event { location, time, .. } = event;
        match event.action {
            Action::Enter(region) => {
                let name = REGIONS[usize::from(region)];
                writeln!(out, "{location} local enter {name} time={time}")
            }
            Action::Leave(region) => {
                let name = REGIONS[usize::from(region)];
                writeln!(out, "{location} local leave {name} time={time}")
            }
            Action::Send(message) => {
                let (to, tag, bytes) = (message.to, message.tag, message.bytes);
                writeln!(out, "{location} send {to} {tag} time={time} bytes={bytes}")
            }
            Action::Receive(message) => {
                let (from, tag, bytes) = (message.from, message.tag, message.bytes);
                writeln!(
                    out,
                    "{from} recv {location} {tag} time={time} bytes={bytes}"
                )
            }
            Action::Reduce => writeln!(out, "{location} sync MPI_Allreduce * time={time}"),
        }
    }

    fn end(&mut self, _: &mut impl Write) -> io::Result<()> {
        Ok(())
    }
}

/// Pajé, with the header of SimGrid.
#[derive(Default)]
pub struct Paje {
    last: u64,
    locations: u32,
}

/// The numbers, names and fields of the events.
const EVENTS: &str = "\
0 DefineContainerType Alias:string Type:string Name:string
2 DefineStateType Alias:string Type:string Name:string
3 DefineEventType Alias:string Type:string Name:string
4 DefineLinkType Alias:string Type:string StartContainerType:string EndContainerType:string Name:string
6 CreateContainer Time:date Alias:string Type:string Container:string Name:string
7 DestroyContainer Time:date Type:string Name:string
12 PushState Time:date Type:string Container:string Value:string
13 PopState Time:date Type:string Container:string
15 StartLink Time:date Type:string Container:string Value:string StartContainer:string Key:string
16 EndLink Time:date Type:string Container:string Value:string EndContainer:string Key:string
17 NewEvent Time:date Type:string Container:string Value:string
";

impl Syntax for Paje {
    fn begin(&mut self, out: &mut impl Write, locations: u32) -> io::Result<()> {
        for line in EVENTS.lines() {
            let mut words = line.split(' ');
            let (number, name) = (words.next().unwrap(), words.next().unwrap());
            writeln!(out, "%EventDef Paje{name} {number}")?;
            for field in words {
                writeln!(out, "%       {}", field.replace(':', " "))?;
            }
            writeln!(out, "%EndEventDef")?;
        }
        writeln!(out, "0 PROGRAM 0 PROGRAM\n0 RANK PROGRAM RANK")?;
        writeln!(out, "2 STATE RANK STATE\n3 REDUCE RANK REDUCE")?;
        writeln!(out, "4 MESSAGE PROGRAM RANK RANK MESSAGE")?;
        writeln!(out, "6 0.000000000 program PROGRAM 0 program")?;
        for location in 0..locations {
            writeln!(
                out,
                "6 0.000000000 p{location} RANK program rank-{location}"
            )?;
        }
        self.locations = locations;
        Ok(())
    }

    fn event(&mut self, out: &mut impl Write, event: Event) -> io::Result<()> {
        self.last = event.time;
        let (at, location) = (Seconds(event.time), event.location);
        match event.action {
            Action::Enter(region) => {
                let name = REGIONS[usize::from(region)];
                writeln!(out, "12 {at} STATE p{location} {name}")
            }
            Action::Leave(_) => writeln!(out, "13 {at} STATE p{location}"),
            Action::Send(message) => {
                let (tag, number) = (message.tag, message.number);
                writeln!(out, "15 {at} MESSAGE program {tag} p{location} {number}")
            }
            Action::Receive(message) => {
                let (tag, number) = (message.tag, message.number);
                writeln!(out, "16 {at} MESSAGE program {tag} p{location} {number}")
            }
            Action::Reduce => writeln!(out, "17 {at} REDUCE p{location} MPI_Allreduce"),
        }
    }

    fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        let at = Seconds(self.last);
        for location in 0..self.locations {
            writeln!(out, "7 {at} RANK p{location}")?;
        }
        writeln!(out, "7 {at} PROGRAM program")
    }
}

/// A time in nanoseconds, displayed in seconds.
struct Seconds(u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}.{:09}",
            self.0 / 1_000_000_000,
            self.0 % 1_000_000_000
        )
    }
}

/// Chrome's trace events, as JSON.
#[derive(Default)]
pub struct Chrome {
    has_records: bool,
}

impl Chrome {
    /// Ends the previous record.
    fn next(&mut self, out: &mut impl Write) -> io::Result<()> {
        let between = if self.has_records { ",\n" } else { "\n" };
        self.has_records = true;
        out.write_all(between.as_bytes())
    }
}

impl Syntax for Chrome {
    fn begin(&mut self, out: &mut impl Write, locations: u32) -> io::Result<()> {
        write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        for pid in 0..locations {
            self.next(out)?;
            let name = r#""name":"process_name","ph":"M""#;
            write!(
                out,
                r#"{{{name},"pid":{pid},"tid":0,"args":{{"name":"rank {pid}"}}}}"#
            )?;
        }
        Ok(())
    }

    fn event(&mut self, out: &mut impl Write, event: Event) -> io::Result<()> {
        self.next(out)?;
        let Event { location, time, .. } = event;
        let (micros, nanos) = (time / 1000, time % 1000);
        write!(
            out,
            r#"{{"pid":{location},"tid":0,"ts":{micros}.{nanos:03},"#
        )?;
        match event.action {
            Action::Enter(region) => {
                let name = REGIONS[usize::from(region)];
                write!(out, r#""ph":"B","name":"{name}"}}"#)
            }
            Action::Leave(region) => {
                let name = REGIONS[usize::from(region)];
                write!(out, r#""ph":"E","name":"{name}"}}"#)
            }
            Action::Send(message) => {
                let id = message.number;
                write!(
                    out,
                    r#""ph":"s","cat":"message","name":"message","id":"0x{id:x}"}}"#
                )
            }
            Action::Receive(message) => {
                let id = message.number;
                write!(
                    out,
                    r#""ph":"f","bp":"e","cat":"message","name":"message","id":"0x{id:x}"}}"#
                )
            }
            Action::Reduce => write!(out, r#""ph":"i","s":"t","name":"MPI_Allreduce"}}"#),
        }
    }

    fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "\n]}}")
    }
}
