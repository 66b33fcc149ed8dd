//! Draws the model of a program in the style of RR-8562, figures 4 and 5.

use std::collections::BTreeMap;
use std::io::{self, Write};

use foldtrace_fold::merge::{Channel, Construct, Kind};
use foldtrace_matching::Wire;
use foldtrace_trace::{COLLECTIVES, Operand};
use foldtrace_view::legend::Legend;
use foldtrace_view::svg::{Canvas, Length};
use foldtrace_view::xml::escape;

use super::layout::{Arrow, Fate, Layout, LoopBox, Mark, Point, Pole, ROW, Tip, Widths};
use super::legend::{Tag, legend};
use super::{ProgramLabels, style};
use crate::outline::{Entry, outline};

/// Margin around the picture.
const EDGE: f64 = 16.0;
/// Distance from the legend to the first process.
const TOP: f64 = 34.0;
/// Width of a letter in the picture's names.
const LETTER: f64 = 6.0;

/// The heading of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    /// The name of the program.
    pub title: &'a str,
    /// A summary in one line.
    pub summary: &'a str,
}

/// Writes the model as a picture.
///
/// # Errors
/// If `out` fails.
pub fn program_svg(
    out: &mut impl Write,
    words: ProgramLabels<'_>,
    heading: Heading<'_>,
) -> io::Result<()> {
    Picture::new(words).write(out, heading)
}

/// A picture that is ready to be written.
pub(super) struct Picture<'a> {
    words: ProgramLabels<'a>,
    pub entries: Vec<Entry<'a>>,
    layout: Layout,
    /// The number of each tag among the tags that occur.
    tags: BTreeMap<Tag, usize>,
    /// Space for the names of processes.
    names: f64,
}

impl<'a> Picture<'a> {
    pub fn new(words: ProgramLabels<'a>) -> Self {
        let program = words.program;
        let wiring = &program.wires.wiring;
        let labels = program.model.processes().map(|p| words.process(p));
        let letters = labels.map(|label| label.chars().count()).max().unwrap_or(0);
        let names = letters as f64 * LETTER;
        let widths = Widths {
            process: names,
            operation: &|construct| words.operation(construct).chars().count() as f64 * LETTER,
            is_local: &|construct| match &construct.kind {
                Kind::Event { member, .. } => wiring
                    .role(member.process, member.symbol)
                    .is_none_or(|role| role.ends.is_empty()),
                _ => false,
            },
        };
        let layout = Layout::new(&program.model, wiring, &widths);
        let channels = layout
            .marks
            .iter()
            .flat_map(|mark| mark.tips.iter().map(|tip| tip.channel))
            .chain(layout.arrows.iter().map(|arrow| arrow.channel));
        let found: std::collections::BTreeSet<Tag> = channels
            .filter(|&channel| !wiring.is_collective(channel))
            .map(|channel| words.tag(channel))
            .collect();
        Self {
            entries: outline(&program.model.system),
            tags: found.into_iter().zip(0..).collect(),
            layout,
            words,
            names,
        }
    }

    /// Writes the picture with a heading and a legend.
    pub fn write(&self, out: &mut impl Write, heading: Heading<'_>) -> io::Result<()> {
        let width = self
            .width()
            .max(heading.summary.chars().count() as f64 * LETTER + 2.0 * EDGE)
            .max(720.0);
        let (legend, legend_width) = (self.legend(), width - 2.0 * EDGE);
        let top = EDGE + 44.0 + legend.height(legend_width) + TOP;
        let canvas = Canvas {
            title: heading.title,
            width,
            height: top + self.below(),
            style: style::STYLE,
        };
        canvas.start(out)?;
        canvas.heading(out, (EDGE, EDGE + 10.0), &[heading.summary])?;
        legend.write_svg(out, (EDGE, EDGE + 44.0), legend_width)?;
        self.write_model(out, top)?;
        canvas.end(out)
    }

    /// Writes only the picture, for a page that has its style and its legend.
    pub fn write_bare(&self, out: &mut impl Write) -> io::Result<()> {
        let (width, height) = (Length(self.width()), Length(TOP + self.below()));
        writeln!(
            out,
            "<svg width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"picture of the program\">"
        )?;
        self.write_model(out, TOP)?;
        writeln!(out, "</svg>")
    }

    pub fn legend(&self) -> Legend {
        legend(&self.layout, &self.tags)
    }

    pub fn has_messages(&self) -> bool {
        !self.tags.is_empty()
    }

    fn width(&self) -> f64 {
        self.layout.width + 2.0 * (EDGE + self.names + 8.0)
    }

    /// Returns the distance from the first process to the lower edge.
    fn below(&self) -> f64 {
        self.layout.height + ROW + EDGE
    }

    fn write_model(&self, out: &mut impl Write, top: f64) -> io::Result<()> {
        style::write_arrowheads(out, self.tags.len())?;
        let left = EDGE + self.names + 8.0;
        writeln!(
            out,
            "<g id=\"model\" transform=\"translate({left} {})\">",
            Length(top)
        )?;
        for one in &self.layout.boxes {
            self.write_box(out, one)?;
        }
        self.write_lines(out)?;
        for pole in &self.layout.poles {
            self.write_pole(out, pole)?;
        }
        for arrow in &self.layout.arrows {
            self.write_arrow(out, arrow)?;
        }
        for mark in &self.layout.marks {
            self.write_mark(out, mark)?;
        }
        for one in &self.layout.boxes {
            self.write_count(out, one)?;
        }
        writeln!(out, "</g>")
    }

    /// Returns the tooltip of a construct.
    fn title(&self, index: usize) -> String {
        let entry = &self.entries[index];
        let words = self.words.construct(entry.construct, entry.depth);
        let text = match &entry.construct.kind {
            Kind::Loop { .. } => {
                let processes = entry.construct.processes.iter().copied();
                format!("{words}, processes {}", self.words.processes(processes))
            }
            _ => words,
        };
        let text = format!("[{}] {text}", entry.number);
        format!("<title>{}</title>", escape(&text))
    }

    fn write_box(&self, out: &mut impl Write, one: &LoopBox) -> io::Result<()> {
        let Point { x, y } = one.from;
        writeln!(
            out,
            "<rect id=\"c{}\" class=\"b d{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>",
            self.entries[one.construct].number,
            one.depth.min(style::DEPTHS - 1),
            Length(x),
            Length(y),
            Length(one.to.x - x),
            Length(one.to.y - y),
            self.title(one.construct)
        )
    }

    fn write_count(&self, out: &mut impl Write, one: &LoopBox) -> io::Result<()> {
        writeln!(
            out,
            "<text class=\"n\" x=\"{}\" y=\"{}\">{}x</text>",
            Length(one.from.x + 3.0),
            Length(one.from.y + 8.5),
            one.count
        )?;
        for &(process, y) in &one.moved {
            writeln!(
                out,
                "<text class=\"p m\" x=\"{}\" y=\"{}\">{}</text>",
                Length(one.from.x - 3.0),
                Length(y + 3.5),
                escape(self.words.process(process))
            )?;
        }
        Ok(())
    }

    fn write_lines(&self, out: &mut impl Write) -> io::Result<()> {
        let processes = self.words.program.model.processes();
        for (process, line) in processes.zip(&self.layout.lines) {
            write!(out, "<path class=\"l\" d=\"")?;
            for (number, point) in line.iter().enumerate() {
                let (x, y) = (Length(point.x), Length(point.y));
                if number == 0 {
                    write!(out, "M{x} {y}")?;
                    continue;
                }
                let before = line[number - 1];
                if before.y == point.y {
                    write!(out, "H{x}")?;
                } else {
                    let middle = Length((before.x + point.x) / 2.0);
                    write!(out, "C{middle} {} {middle} {y} {x} {y}", Length(before.y))?;
                }
            }
            writeln!(out, "\"/>")?;
            let label = self.words.process(process);
            let label = escape(&label);
            let (Some(first), Some(last)) = (line.first(), line.last()) else {
                continue;
            };
            writeln!(
                out,
                "<text class=\"p\" x=\"-5\" y=\"{}\">{label}</text>\
                 <text class=\"p r\" x=\"{}\" y=\"{}\">{label}</text>",
                Length(first.y + 3.5),
                Length(last.x + 5.0),
                Length(last.y + 3.5),
            )?;
        }
        Ok(())
    }

    fn write_pole(&self, out: &mut impl Write, pole: &Pole) -> io::Result<()> {
        let entry = &self.entries[pole.construct];
        let name = self.words.operation(entry.construct);
        let (Some(&top), Some(&bottom)) = (pole.members.first(), pole.members.last()) else {
            return Ok(());
        };
        let x = Length(pole.x);
        write!(
            out,
            "<g id=\"c{}\" class=\"c\">{}",
            entry.number,
            self.title(pole.construct)
        )?;
        if top < bottom {
            write!(
                out,
                "<path d=\"M{x} {}V{}\"/>",
                Length(top - 4.0),
                Length(bottom + 4.0)
            )?;
        }
        for &y in &pole.members {
            let class = if pole.is_open { " class=\"o\"" } else { "" };
            write!(
                out,
                "<circle{class} cx=\"{x}\" cy=\"{}\" r=\"2.5\"/>",
                Length(y)
            )?;
        }
        if pole.is_upright {
            let (x, y) = (Length(pole.x - 4.0), Length((top + bottom) / 2.0));
            write!(out, "<text transform=\"translate({x} {y})rotate(-90)\">")?;
        } else {
            write!(out, "<text x=\"{x}\" y=\"{}\">", Length(top - 6.0))?;
        }
        writeln!(out, "{}</text></g>", escape(&name))
    }

    fn class(&self, channel: Channel) -> String {
        let tag = self.words.tag(channel);
        let number = self.tags.get(&tag).copied().unwrap_or(0);
        format!("t{}", style::colour(number))
    }

    fn write_arrow(&self, out: &mut impl Write, arrow: &Arrow) -> io::Result<()> {
        let shift = 3.0 * arrow.rank as f64;
        let [tail, head] = [arrow.tail, arrow.head].map(|point| Point {
            y: point.y + shift,
            ..point
        });
        let class = if arrow.is_collective {
            "a s".to_owned()
        } else {
            format!("a {}", self.class(arrow.channel))
        };
        write!(
            out,
            "<path class=\"{class}\" data-f=\"{}\" data-t=\"{}\" d=\"M{} {}L{} {}\"",
            self.entries[arrow.from].number,
            self.entries[arrow.to].number,
            Length(tail.x),
            Length(tail.y),
            Length(head.x),
            Length(head.y),
        )?;
        if arrow.messages < 2 {
            return writeln!(out, "/>");
        }
        let many = if arrow.is_collective {
            format!("{} collective operations", arrow.messages)
        } else {
            format!(
                "{} messages, {}",
                arrow.messages,
                self.words.wire(arrow.channel)
            )
        };
        writeln!(out, "><title>{}</title></path>", escape(&many))?;
        if arrow.rank == 0 {
            writeln!(
                out,
                "<text class=\"q\" x=\"{}\" y=\"{}\">{}</text>",
                Length(tail.x + 3.0),
                Length(tail.y - 3.0),
                arrow.messages
            )?;
        }
        Ok(())
    }

    fn write_mark(&self, out: &mut impl Write, mark: &Mark) -> io::Result<()> {
        let number = &self.entries[mark.construct].number;
        let title = self.title(mark.construct);
        let Point { x, y } = mark.at;
        let Some(first) = mark.tips.first() else {
            return writeln!(
                out,
                "<path id=\"c{number}\" class=\"e\" d=\"M{} {}v4\">{title}</path>",
                Length(x),
                Length(y - 2.0)
            );
        };
        let class = self.class(first.channel);
        writeln!(
            out,
            "<path id=\"c{number}\" class=\"e {class}\"{} d=\"M{} {}v8\">{title}</path>",
            fate(first.fate),
            Length(x),
            Length(y - 4.0)
        )?;
        let lonely = mark.tips.iter().filter(|tip| tip.fate != Fate::Arrow);
        for tip in lonely {
            self.write_stub(out, mark.at, tip)?;
        }
        Ok(())
    }

    /// Draws a stub for a message without an arrow.
    fn write_stub(&self, out: &mut impl Write, at: Point, tip: &Tip) -> io::Result<()> {
        let is_down = match self.words.program.wires.wire(tip.channel) {
            Some(Wire::Messages {
                sender, receiver, ..
            }) => (receiver > sender) == tip.is_send,
            _ => false,
        };
        let far = Point {
            x: at.x + if tip.is_send { 11.0 } else { -11.0 },
            y: at.y + if is_down { 9.0 } else { -9.0 },
        };
        let class = self.class(tip.channel);
        if tip.fate == Fate::Dangling {
            return writeln!(
                out,
                "<path class=\"u {class}\" d=\"M{} {}L{} {}\"/>\
                 <circle class=\"o {class}\" cx=\"{}\" cy=\"{}\" r=\"2\"/>",
                Length(at.x),
                Length(at.y),
                Length(far.x),
                Length(far.y),
                Length(far.x),
                Length(far.y),
            );
        }
        let (from, to) = if tip.is_send { (at, far) } else { (far, at) };
        let kind = if tip.fate == Fate::Later { "a w" } else { "a" };
        writeln!(
            out,
            "<path class=\"{kind} {class}\" d=\"M{} {}L{} {}\"/>",
            Length(from.x),
            Length(from.y),
            Length(to.x),
            Length(to.y)
        )
    }
}

/// Returns the attribute from which a page describes the other end of a message.
const fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Arrow => "",
        Fate::Later => " data-fate=\"later\"",
        Fate::Outside => " data-fate=\"outside\"",
        Fate::Dangling => " data-fate=\"dangling\"",
    }
}

impl ProgramLabels<'_> {
    /// Returns the tag of a channel.
    pub(super) fn tag(&self, channel: Channel) -> Tag {
        match self.program.wires.wire(channel) {
            Some(Wire::Messages { tag, .. }) => *tag,
            _ => None,
        }
    }

    /// Describes a channel.
    pub(super) fn wire(&self, channel: Channel) -> String {
        let Some(Wire::Messages {
            sender,
            receiver,
            tag,
        }) = self.program.wires.wire(channel)
        else {
            return "collective operations".to_owned();
        };
        let known = |rank: &Option<u64>| rank.map_or_else(|| "?".to_owned(), |r| r.to_string());
        let tag = tag.map_or_else(String::new, |tag| format!(", tag {tag}"));
        format!("{} to {}{tag}", known(sender), known(receiver))
    }

    /// Returns the name of a collective operation.
    pub(super) fn operation(&self, construct: &Construct) -> String {
        let Kind::Collective { members, .. } = &construct.kind else {
            return String::new();
        };
        let mut names: Vec<String> = Vec::new();
        for member in members.iter() {
            let symbol = self.symbols.symbol(member.symbol);
            let name = symbol
                .get(Operand::Operation)
                .and_then(|operation| COLLECTIVES.name(operation))
                .unwrap_or_else(|| symbol.kind.name());
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names.join(", ")
    }
}
