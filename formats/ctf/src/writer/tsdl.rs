//! Metadata of version 1.8, in TSDL.

use std::fmt::{self, Write as _};

use super::classes::Named;
use super::description::{Description, EventClass, FieldClass, LOCATION, id_name};
use crate::ours::TSDL_BEGINNING;
use crate::ours::packet::{CLASS_BITS, FULL, TIME_BITS};

/// The metadata of a trace.
pub(super) struct Tsdl<'a>(pub &'a Description);

impl fmt::Display for Tsdl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(trace) = self;
        f.write_str(TSDL_BEGINNING)?;
        f.write_char('\n')?;
        for (bits, is_signed) in [(32, false), (64, false), (32, true), (64, true)] {
            let name = integer(bits, is_signed);
            writeln!(
                f,
                "typealias integer {{ size = {bits}; align = 8; signed = {is_signed}; }} := {name};"
            )?;
        }
        f.write_str(
            "typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := real32;\n\
             typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := real64;\n\n\
             trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n\
             \tpacket.header := struct {\n\t\tuint32 magic;\n\t};\n};\n\n",
        )?;
        f.write_str("env {\n")?;
        for (name, text) in &trace.environment {
            writeln!(f, "\t{name} = {};", Quoted(text))?;
        }
        f.write_str("};\n\n")?;
        self.clock(f)?;
        if trace.events.is_empty() {
            return Ok(());
        }
        for (&(named, bits), labels) in &trace.labels {
            enumeration(f, named, labels, bits)?;
        }
        self.stream(f)?;
        for (id, class) in (0..).zip(&trace.events) {
            event(f, id, class)?;
        }
        Ok(())
    }
}

impl Tsdl<'_> {
    fn clock(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, ticks) = self.0.origin;
        writeln!(
            f,
            "clock {{\n\tname = \"ticks\";\n\tfreq = {};\n\toffset_s = {seconds};\n\toffset = {ticks};\n}};\n",
            self.0.ticks_per_second
        )?;
        for (bits, align, name) in [(TIME_BITS, 1, "low_time"), (64, 8, "time")] {
            writeln!(
                f,
                "typealias integer {{ size = {bits}; align = {align}; signed = false; map = clock.ticks.value; }} := {name};"
            )?;
        }
        f.write_char('\n')
    }

    /// Writes the contexts of packets and the headers of events.
    fn stream(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = id_name(LOCATION, 64);
        let process = id_name(Named::Process, 64);
        let last_brief = FULL - 1;
        writeln!(
            f,
            "stream {{\n\
             \tpacket.context := struct {{\n\
             \t\ttime timestamp_begin;\n\
             \t\ttime timestamp_end;\n\
             \t\tuint64 content_size;\n\
             \t\tuint64 packet_size;\n\
             \t\t{location} location;\n\
             \t\t{process} process;\n\
             \t}};\n\
             \tevent.header := struct {{\n\
             \t\tenum : integer {{ size = {CLASS_BITS}; align = 1; signed = false; }} {{ brief = 0 ... {last_brief}, full = {FULL} }} id;\n\
             \t\tvariant <id> {{\n\
             \t\t\tstruct {{\n\t\t\t\tlow_time timestamp;\n\t\t\t}} brief;\n\
             \t\t\tstruct {{\n\t\t\t\tuint32 id;\n\t\t\t\ttime timestamp;\n\t\t\t}} full;\n\
             \t\t}} v;\n\
             \t}} align(8);\n}};\n"
        )
    }
}

fn event(f: &mut fmt::Formatter<'_>, id: u32, class: &EventClass) -> fmt::Result {
    writeln!(
        f,
        "event {{\n\tid = {id};\n\tname = \"{}\";\n\tfields := struct {{",
        class.name
    )?;
    for field in &class.fields {
        let class = match field.class {
            FieldClass::Integer { bits, is_signed } => integer(bits, is_signed),
            FieldClass::Real(bits) => format!("real{bits}"),
            FieldClass::Id(named, bits) => id_name(named, bits),
        };
        // An underscore keeps names apart from keywords; readers remove it.
        writeln!(f, "\t\t{class} _{};", field.name)?;
    }
    f.write_str("\t};\n};\n\n")
}

/// Writes the labels of ids of some bits.
fn enumeration(
    f: &mut fmt::Formatter<'_>,
    named: Named,
    labels: &[(u64, String)],
    bits: u32,
) -> fmt::Result {
    writeln!(f, "typealias enum : {} {{", integer(bits, false))?;
    for (id, label) in labels {
        writeln!(f, "\t{} = {id},", Quoted(label))?;
    }
    writeln!(f, "}} := {};\n", id_name(named, bits))
}

fn integer(bits: u32, is_signed: bool) -> String {
    format!("{}int{bits}", if is_signed { "" } else { "u" })
}

/// A text in quotes.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                // No digit can follow the three digits of an octal number.
                c if c.is_ascii_control() => write!(f, "\\{:03o}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
