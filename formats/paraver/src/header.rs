//! The first line of a trace: its date, its length and unit of time, and the objects of both hierarchies.
//!
//! ```text
//! #Paraver (26/01/2004 at 16:35):260199_ns:2(4,4):1:4(1:1,1:1,1:2,1:2),8
//!           date                 length    nodes  applications, each with its tasks; communicators
//! ```

use foldtrace_input::Fault;

/// The beginning of every trace.
pub(crate) const SIGNATURE: &[u8] = b"#Paraver (";

/// The maximum number of threads of a trace, unless its header has more than one byte for 64 threads. A few bytes that
/// are damaged must not define millions of locations.
const MOST_THREADS: u64 = 1 << 18;
const THREADS_OF_A_BYTE: u64 = 64;

/// A task: a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// The number of its threads.
    pub threads: u32,
    /// The number of its node, from 1; 0 if it is unknown.
    pub node: u64,
}

/// The first line of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub date: String,
    /// The length of the trace in ticks.
    pub length: u64,
    pub ticks_per_second: u64,
    /// The number of nodes.
    pub nodes: u64,
    /// The tasks of each application.
    pub applications: Vec<Vec<Task>>,
}

impl Header {
    /// Parses the first line.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, Fault> {
        let Some(rest) = line.strip_prefix(SIGNATURE) else {
            return Err(
                Fault::expected("the header of a Paraver trace", line, 0).hint(
                    "a trace begins with a line such as #Paraver (26/01/2004 at 16:35):260199_ns:1(4):1:4(1:1,1:1,1:1,1:1)",
                ),
            );
        };
        let mut cursor = Cursor {
            line,
            at: SIGNATURE.len(),
        };
        let Some(end) = rest.iter().position(|&byte| byte == b')') else {
            return Err(cursor.fault("the date of the trace in parentheses"));
        };
        let date = String::from_utf8_lossy(&rest[..end]).into_owned();
        cursor.at += end + 1;
        cursor.expect(b':')?;
        let length = cursor.number("the length of the trace")?;
        let ticks_per_second = cursor.unit()?;
        cursor.expect(b':')?;
        let nodes = cursor.nodes()?;
        cursor.expect(b':')?;
        let count = cursor.number("the number of applications")?;
        let most = MOST_THREADS.max(line.len() as u64 * THREADS_OF_A_BYTE);
        let mut applications = Vec::new();
        let mut threads = 0;
        for number in 0..count {
            // Paraver itself separates applications by commas.
            let is_separated = number > 0 && cursor.take(b',');
            if !is_separated {
                cursor.expect(b':')?;
            }
            let tasks = cursor.tasks()?;
            threads += tasks.iter().map(|it| u64::from(it.threads)).sum::<u64>();
            if threads > most {
                return Err(cursor.fault(&format!("at most {most} threads")));
            }
            applications.push(tasks);
            cursor.communicators()?;
        }
        if cursor.at < line.len() {
            return Err(cursor.fault("the end of the header"));
        }
        Ok(Self {
            date,
            length,
            ticks_per_second,
            nodes,
            applications,
        })
    }
}

/// The part of the header that has not been parsed yet.
struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn fault(&self, expected: &str) -> Fault {
        let rest = self.line.get(self.at..).unwrap_or_default();
        Fault::expected(expected, rest, self.at)
    }

    /// Skips a byte if it comes next. Returns whether it did.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.line.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.take(byte) {
            return Ok(());
        }
        Err(self.fault(&format!("'{}'", char::from(byte))))
    }

    fn number(&mut self, what: &str) -> Result<u64, Fault> {
        let rest = self.line.get(self.at..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = std::str::from_utf8(&rest[..digits]).ok();
        let number = text.and_then(|text| text.parse().ok());
        let number = number.ok_or_else(|| self.fault(what))?;
        self.at += digits;
        Ok(number)
    }

    /// Parses the unit of time, `_ns`, `_us` or `_ms`. Without one, times are microseconds.
    fn unit(&mut self) -> Result<u64, Fault> {
        const MICROSECONDS: u64 = 1_000_000;
        if self.line.get(self.at) != Some(&b'_') {
            return Ok(MICROSECONDS);
        }
        let rest = &self.line[self.at..];
        let units = [
            (b"_ns", 1_000_000_000),
            (b"_us", MICROSECONDS),
            (b"_ms", 1_000),
        ];
        let unit = units.iter().find(|(name, _)| rest.starts_with(*name));
        let &(name, ticks_per_second) =
            unit.ok_or_else(|| self.fault("the unit of time _ns, _us or _ms"))?;
        self.at += name.len();
        Ok(ticks_per_second)
    }

    /// Parses the number of nodes, which the numbers of their CPUs may follow in parentheses.
    fn nodes(&mut self) -> Result<u64, Fault> {
        let nodes = self.number("the number of nodes")?;
        if self.take(b'(') {
            loop {
                self.number("the number of CPUs of a node")?;
                if !self.take(b',') {
                    break;
                }
            }
            self.expect(b')')?;
        }
        Ok(nodes)
    }

    /// Passes over the number of communicators, whose lines follow, unless it is the number of tasks of the next application.
    fn communicators(&mut self) -> Result<(), Fault> {
        let begin = self.at;
        if self.take(b',') {
            self.number("the number of communicators")?;
            if self.line.get(self.at) == Some(&b'(') {
                self.at = begin;
            }
        }
        Ok(())
    }

    /// Parses the tasks of an application: their number, then threads and node of each in parentheses.
    fn tasks(&mut self) -> Result<Vec<Task>, Fault> {
        let count = self.number("the number of tasks of an application")?;
        self.expect(b'(')?;
        let mut tasks = Vec::new();
        loop {
            let threads = self.number("the number of threads of a task")?;
            let threads = u32::try_from(threads).ok().filter(|&it| it > 0);
            let threads = threads.ok_or_else(|| self.fault("a task with threads"))?;
            let node = if self.take(b':') {
                self.number("the node of a task")?
            } else {
                0
            };
            tasks.push(Task { threads, node });
            if !self.take(b',') {
                break;
            }
        }
        self.expect(b')')?;
        if tasks.len() as u64 != count {
            let message = format!("expected {count} tasks, found {}", tasks.len());
            return Err(Fault::new(self.at, message));
        }
        Ok(tasks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Header, Fault> {
        Header::parse(line.as_bytes())
    }

    #[test]
    fn headers_of_all_ages() {
        let old = parse("#Paraver (26/01/04 at 16:35):260199:4:1:2(1:1,1:2),8").unwrap();
        assert_eq!((old.length, old.ticks_per_second), (260_199, 1_000_000));
        assert_eq!((old.nodes, &*old.date), (4, "26/01/04 at 16:35"));
        let task = |threads, node| Task { threads, node };
        assert_eq!(old.applications, [[task(1, 1), task(1, 2)]]);
        let new =
            parse("#Paraver (01/02/2024 at 10:11):77_ns:2(8,8):2:1(4:1):2(1:2,3:2),1").unwrap();
        assert_eq!(new.ticks_per_second, 1_000_000_000);
        assert_eq!(new.nodes, 2);
        assert_eq!(
            new.applications,
            [vec![task(4, 1)], vec![task(1, 2), task(3, 2)]]
        );
        for line in [
            "#Paraver (x):77_ns:2(8,8):2:1(4:1),2(1:2,3:2),1",
            "#Paraver (x):77_ns:2(8,8):2:1(4:1),3:2(1:2,3:2),1",
            "#Paraver (x):77_ns:2(8,8):2:1(4:1),2(1:2,3:2)",
        ] {
            assert_eq!(parse(line).unwrap().applications, new.applications);
        }
        let unplaced = parse("#Paraver (x):5_ms:0:1:1(2)").unwrap();
        assert_eq!(unplaced.applications, [[task(2, 0)]]);
    }

    #[test]
    fn a_long_header_can_have_many_threads() {
        let tasks = vec!["300:1"; 2_000].join(",");
        let header = parse(&format!("#Paraver (x):5:1:1:2000({tasks})")).unwrap();
        assert_eq!(header.applications[0].len(), 2_000);
    }

    #[test]
    fn faults_have_a_place() {
        for (line, at, message) in [
            ("#Pajé", 0, "expected the header of a Paraver trace"),
            ("#Paraver (x", 10, "expected the date"),
            (
                "#Paraver (x):",
                13,
                "expected the length of the trace, found nothing",
            ),
            ("#Paraver (x):5_s:0:1:1(1)", 14, "expected the unit of time"),
            ("#Paraver (x):5:0:1:2(1)", 23, "expected 2 tasks, found 1"),
            (
                "#Paraver (x):5:0:1:1(0)",
                22,
                "expected a task with threads",
            ),
            ("#Paraver (x):5:0:2:1(1)", 23, "expected ':'"),
            ("#Paraver (x):5:0:2:1(1),4", 25, "expected ':'"),
            ("#Paraver (x):5:0:1,1(1)", 18, "expected ':'"),
            (
                "#Paraver (x):5:0:1:1(9999999)",
                29,
                "expected at most 262144 threads",
            ),
            (
                "#Paraver (x):5:0:1:1(1);",
                23,
                "expected the end of the header",
            ),
        ] {
            let fault = parse(line).unwrap_err();
            assert!(fault.message.starts_with(message), "{}", fault.message);
            assert_eq!(fault.at, at, "{line}");
        }
    }
}
