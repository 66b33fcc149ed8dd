//! Parses the records of a trace, one line at a time.

use foldtrace_input::{Dialect, Fault, Line, LineParser, Lines};
use foldtrace_trace::{
    Definitions, Demultiplexer, Diagnostics, Input, Severity, SymbolTable, TraceError, UNDEFINED,
};

use crate::builder::{Builder, Message};
use crate::calls::Operation;
use crate::companions::companion;
use crate::fields::Fields;
use crate::header::Header;
use crate::labels::Labels;
use crate::objects::OTHER_HEADER;
use crate::rows::Rows;
use crate::writer::DERIVED_STATES;

/// The codes of collective operations in OTF2, by their number in a record.
const OPERATIONS: [u64; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 11, 13, 14];

/// The numbers in a record of operations to a root, and from a root.
const TO_ROOT: [u64; 3] = [2, 3, 10];
const FROM_ROOT: [u64; 3] = [1, 4, 5];

/// The parser of a trace.
#[derive(Debug)]
pub(crate) struct ParaverParser {
    builder: Builder,
    /// The types and values of a record; kept for its memory.
    values: Vec<(u64, u64)>,
}

impl ParaverParser {
    /// Parses the object of a record, CPU, application, task and thread. Returns the CPU and the thread.
    #[inline]
    fn object(&self, fields: &mut Fields<'_>) -> Result<(u64, u32), Fault> {
        let at = fields.at();
        let cpu = fields.number("a CPU")?;
        let application = fields.number("an application")?;
        let task = fields.number("a task")?;
        let thread = fields.number("a thread")?;
        let number = self.builder.objects.thread(application, task, thread);
        let number = number.ok_or_else(|| {
            let message = format!("the header has no thread {application}.{task}.{thread}");
            Fault::new(at, message).hint(OTHER_HEADER)
        })?;
        Ok((cpu, number))
    }

    /// Parses a record other than a comment or a communicator.
    #[inline]
    fn record(&mut self, line: &[u8]) -> Result<(), Fault> {
        if !self.builder.irregularities.has_header {
            return self.header(line);
        }
        let mut fields = Fields::new(line, 2);
        let kind = if line.get(1) == Some(&b':') {
            line[0]
        } else {
            0
        };
        match kind {
            b'1' => self.state(&mut fields),
            b'2' => self.events(&mut fields),
            b'3' => self.message(&mut fields),
            b'4' => self.operation(&mut fields),
            _ => Err(Fault::expected(
                "a record that begins with 1:, 2:, 3: or 4:",
                line,
                0,
            )),
        }
    }

    #[cold]
    fn header(&mut self, line: &[u8]) -> Result<(), Fault> {
        let header = Header::parse(line)?;
        self.builder.begin(&header);
        Ok(())
    }

    /// `1:cpu:application:task:thread:begin:end:state`
    fn state(&mut self, fields: &mut Fields<'_>) -> Result<(), Fault> {
        let (cpu, thread) = self.object(fields)?;
        let begin = fields.number("the begin of a state")?;
        let at = fields.at();
        let end = fields.number("the end of a state")?;
        let state = fields.number("a state")?;
        fields.end()?;
        if end < begin {
            return Err(Fault::new(at, "the state ends before it begins"));
        }
        self.builder.advance(begin);
        self.builder.see(thread, cpu, begin);
        self.builder.state(thread, begin, end, state);
        Ok(())
    }

    /// `2:cpu:application:task:thread:time:type:value[:type:value]…`
    #[inline]
    fn events(&mut self, fields: &mut Fields<'_>) -> Result<(), Fault> {
        let (cpu, thread) = self.object(fields)?;
        let time = fields.number("a time")?;
        // All of them must be right before the first one counts.
        self.values.clear();
        loop {
            let number = fields.number("a type of events")?;
            self.values.push((number, fields.signed("a value")?));
            if fields.is_empty() {
                break;
            }
        }
        self.builder.advance(time);
        self.builder.see(thread, cpu, time);
        for &(number, value) in &self.values {
            self.builder.event(thread, time, number, value);
        }
        self.builder.end_record(thread, time);
        Ok(())
    }

    /// `3:sender:logical send:physical send:receiver:logical receive:physical receive:bytes:tag`
    fn message(&mut self, fields: &mut Fields<'_>) -> Result<(), Fault> {
        let (cpu, sender) = self.object(fields)?;
        let logical_send = fields.number("the logical time of a send")?;
        let physical_send = fields.number("the physical time of a send")?;
        let (_, receiver) = self.object(fields)?;
        let message = Message {
            sender,
            logical_send,
            physical_send,
            receiver,
            logical_receive: fields.number("the logical time of a receive")?,
            physical_receive: fields.number("the physical time of a receive")?,
            bytes: fields.number("the size of a message")?,
            tag: fields.signed("the tag of a message")?,
        };
        fields.end()?;
        self.builder
            .advance(logical_send.min(message.physical_receive));
        self.builder.see(sender, cpu, logical_send);
        self.builder.message(message);
        Ok(())
    }

    /// `4:cpu:application:task:thread:time:communicator:bytes sent:bytes received:operation:…`
    fn operation(&mut self, fields: &mut Fields<'_>) -> Result<(), Fault> {
        let (cpu, thread) = self.object(fields)?;
        let time = fields.number("a time")?;
        let communicator = fields.number("a communicator")?;
        let sent = fields.number("the bytes that are sent")?;
        let received = fields.number("the bytes that are received")?;
        let number = fields.number("a collective operation")?;
        while !fields.is_empty() {
            fields.signed("a number")?;
        }
        let index = usize::try_from(number).ok();
        let code = index.and_then(|index| OPERATIONS.get(index).copied());
        let is_root = (TO_ROOT.contains(&number) && received > 0 && sent == 0)
            || (FROM_ROOT.contains(&number) && sent > 0 && received == 0);
        self.builder.advance(time);
        self.builder.see(thread, cpu, time);
        let operation = Operation {
            code: code.unwrap_or(UNDEFINED),
            communicator: Some(communicator),
            is_root,
            sent,
            received,
            has_begun: true,
        };
        self.builder.operation(thread, time, operation);
        Ok(())
    }
}

impl LineParser for ParaverParser {
    const DIALECT: Dialect = Dialect {
        bad_line: (Severity::Loss, "paraver.bad_line"),
        time_backwards: Some((Severity::Warning, "paraver.time_backwards")),
        unreadable: (Severity::Loss, "paraver.unreadable"),
    };

    fn open(input: Input) -> Result<(Self, Lines), TraceError> {
        let labels = companion(&input, "pcf")?.map(|text| Labels::parse(&text));
        let rows = companion(&input, "row")?.map(|text| Rows::parse(&text));
        let parser = Self {
            builder: Builder::new(labels, rows.unwrap_or_default()),
            values: Vec::new(),
        };
        Ok((parser, Lines::open(input)?))
    }

    fn take_other(&mut self, line: Line<'_>) -> Result<bool, Fault> {
        match line.bytes.first() {
            _ if !self.builder.irregularities.has_header => {
                self.header(line.bytes)?;
                Ok(true)
            }
            None => Ok(true),
            Some(b'#') => {
                self.builder.has_derived_states |= line.bytes == DERIVED_STATES;
                Ok(true)
            }
            Some(b'c' | b'C') => {
                let Builder {
                    communicators,
                    objects,
                    minter,
                    irregularities,
                    ..
                } = &mut self.builder;
                irregularities.unknown_members +=
                    communicators.define(line.bytes, objects, minter)?;
                Ok(true)
            }
            Some(b'i' | b'I') => {
                self.builder.irregularities.intercommunicators += 1;
                Ok(true)
            }
            Some(_) => Ok(false),
        }
    }

    #[inline]
    fn take(&mut self, line: Line<'_>) -> Result<(), Fault> {
        if matches!(line.bytes.first(), Some(b'1'..=b'4')) || !self.take_other(line)? {
            return self.record(line.bytes);
        }
        Ok(())
    }

    fn finish(&mut self, diagnostics: &mut Diagnostics) {
        self.builder.finish();
        self.builder.irregularities.report(diagnostics);
    }

    fn take_definitions(&mut self) -> Definitions {
        self.builder.minter.take()
    }

    fn events(&mut self) -> &mut Demultiplexer {
        &mut self.builder.events
    }

    fn symbols(&self) -> &SymbolTable {
        &self.builder.symbols
    }
}
