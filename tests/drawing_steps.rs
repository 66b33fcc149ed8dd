//! Pictures of logical steps: looked at by xmllint and by a real browser.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use foldtrace_testing::attributes;

use crate::common::browser::{browse, checked, error, is_well_formed, with_check};
use crate::common::{EXAMPLES, Folder};

/// The merge tree of figure 3 of Isaacs et al.: 16 processes, of which each first of four gathers from the
/// three others, and answers them before it sends up. Process 9 computes longest.
#[derive(Default)]
struct MergeTree {
    trace: String,
    clocks: [u64; 16],
}

impl MergeTree {
    /// A call with its message: `line` is what the trace says of that.
    fn call(&mut self, who: usize, name: &str, line: &str, ready: u64) {
        let clock = &mut self.clocks[who];
        let (enter, end) = (*clock + 400, (*clock + 900).max(ready));
        writeln!(self.trace, "{who} local enter {name} time={enter}").unwrap();
        writeln!(self.trace, "{line} time={end}").unwrap();
        *clock = end + 100;
        writeln!(self.trace, "{who} local leave {name} time={}", *clock).unwrap();
    }

    fn work(&mut self, who: usize, ticks: u64) {
        self.clocks[who] += ticks;
    }

    fn message(&mut self, from: usize, to: usize, tag: u64) {
        self.call(from, "MPI_Send", &format!("{from} send {to} {tag}"), 0);
        let arrival = self.clocks[from] + 2_000;
        self.call(to, "MPI_Recv", &format!("{from} recv {to} {tag}"), arrival);
    }

    fn trace() -> String {
        let mut tree = Self::default();
        for who in 0..16 {
            writeln!(tree.trace, "{who} local enter MPI_Init time=0").unwrap();
            writeln!(tree.trace, "{who} local leave MPI_Init time=1").unwrap();
            let more = if who == 9 { 60_000 } else { 0 };
            tree.work(who, 12_000 + 1_700 * (who as u64 * 5 % 8) + more);
        }
        for level in [1, 4] {
            for parent in (0..16).step_by(4 * level) {
                let children = [1, 2, 3].map(|child| parent + child * level);
                for child in children {
                    tree.message(child, parent, 8);
                }
                tree.work(parent, 9_000);
                for child in children {
                    tree.message(parent, child, 9);
                }
            }
        }
        let last = tree.clocks.iter().max().unwrap() + 3_000;
        for who in 0..16 {
            tree.call(
                who,
                "MPI_Barrier",
                &format!("{who} sync MPI_Barrier 0-15"),
                last,
            );
        }
        tree.trace
    }

    fn store() -> Folder {
        let folder = Folder::new();
        folder.write("merge-tree-16.trace", Self::trace());
        let converted = folder.say("convert merge-tree-16.trace merge-tree-16.fold");
        converted.exits(0);
        folder
    }
}

#[test]
fn steps_of_every_example_are_drawn() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let svg = format!("steps {name}.fold --format svg");
        let first = folder.say(&svg).exits(0);
        assert_eq!(first.stdout, folder.say(&svg).exits(0).stdout);
        folder.write("a.svg", first.stdout);
        is_well_formed(&folder.path("a.svg"));
        let page = folder.say(&format!("steps {name}.fold --format html"));
        let html = page.exits(0).stdout;
        assert!(
            !html
                .replace("'http://www.w3.org/2000/svg'", "")
                .contains("://"),
            "{name}"
        );
        assert!(!html.contains("src="), "{name}");
        folder.write("a.html", html);
        let check = "return { rects: panes.map(pane => pane.rects.length), cells: cells.length,
            size: panes.map(pane => pane.plot.clientHeight * pane.plot.clientWidth) };";
        with_check(&folder, "a.html", check);
        let dom = browse(&folder, "a.html", "");
        assert_eq!(error(&dom), None, "{name}");
        assert!(dom.contains("data-ready=\"yes\""), "{name}");
        let found = checked(&dom);
        let cells = found["cells"].as_u64().unwrap();
        assert!(cells > 0, "{name}");
        assert_eq!(found["rects"], serde_json::json!([cells, cells]), "{name}");
        assert!(
            found["size"]
                .as_array()
                .unwrap()
                .iter()
                .all(|n| n.as_u64() > Some(1000)),
            "{found}"
        );
    }
}

/// By clicks, keys and wheel, as a person would.
#[test]
fn a_page_of_steps_answers() {
    let folder = MergeTree::store();
    let page = folder.say("steps merge-tree-16.fold --leaps --format html");
    folder.write("page.html", page.exits(0).stdout);
    let check = "
        const results = {};
        const middle = (element, x = 0.5) => {
            const box = element.getBoundingClientRect();
            return { clientX: box.x + box.width * x, clientY: box.y + box.height / 2, bubbles: true, button: 0, cancelable: true };
        };
        const point = (element, type, kind = MouseEvent) => element.dispatchEvent(new kind(type, middle(element)));
        const click = element => { point(element, 'pointerdown', PointerEvent); point(element, 'pointerup', PointerEvent); };
        const marked = () => panes.map(pane => pane.rects.findIndex(rect => rect.classList.contains('selected')));

        const first = items[0];
        first.click();
        const culprit = +first.dataset.cell;
        results.list = marked().every(index => index === culprit);
        results.item = first.classList.contains('selected');
        results.hash = location.hash === `#select=${culprit}`;
        results.who = rows[cells[culprit].row];
        results.path = document.querySelectorAll('.over .path').length;

        const answer = cells.find(cell => cell.kind === 2 && cell.row === 1);
        point(logical.rects[answer.index], 'mousemove');
        results.note = note.innerText;
        results.hovered = document.querySelectorAll('.hovered').length;
        results.near = document.querySelectorAll('.over .near').length;
        logical.plot.dispatchEvent(new MouseEvent('mouseleave'));
        results.left = note.hidden && !document.querySelector('.hovered, .near');

        // Half-way between two boxes there is a message.
        const [x, y, toX, toY] = logical.line(answer.received[0]);
        const plot = logical.plot.getBoundingClientRect();
        const place = { clientX: plot.x + ((x + toX) / 2 - logical.from) * logical.scale,
            clientY: plot.y + (y + toY) / 2 * plot.height / logical.height, bubbles: true };
        logical.plot.dispatchEvent(new MouseEvent('mousemove', place));
        results.message = note.innerText;

        const colours = () => logical.rects.map(rect => /l\\d/.exec(rect.getAttribute('class'))[0]).join();
        const before = colours();
        document.querySelector('input[value=\"2\"]').click();
        results.duration = colours() !== before && ramps[0].hidden && !ramps[2].hidden;
        document.querySelector('input[value=\"0\"]').click();
        results.back = colours() === before;

        click(physical.rects[3]);
        results.picture = marked();
        const scale = physical.scale;
        physical.plot.dispatchEvent(new WheelEvent('wheel', { ...middle(physical.plot), deltaY: -400 }));
        results.wheel = physical.scale > 2 * scale;
        const from = physical.from;
        window.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
        results.arrow = physical.from > from;
        const at = physical.from;
        physical.plot.dispatchEvent(new PointerEvent('pointerdown', middle(physical.plot)));
        window.dispatchEvent(new PointerEvent('pointermove', middle(physical.plot, 0.45)));
        window.dispatchEvent(new PointerEvent('pointerup', middle(physical.plot, 0.45)));
        results.drag = physical.from > at;
        for (const button of document.querySelectorAll('header button')) button.click();
        results.fit = Math.abs(physical.scale * physical.width - physical.room) < 1;
        window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
        results.escape = marked().every(index => index === -1) && location.hash === '';
        return results;";
    with_check(&folder, "page.html", check);
    let dom = browse(&folder, "page.html", "");
    assert_eq!(error(&dom), None);
    let results = checked(&dom);
    for sign in [
        "list", "item", "hash", "left", "duration", "back", "wheel", "arrow", "drag", "fit",
        "escape",
    ] {
        assert_eq!(results[sign], true, "{sign}: {results}");
    }
    assert_eq!(results["who"], "9");
    assert_eq!(results["path"], 2, "{results}");
    assert_eq!(
        (&results["hovered"], &results["near"]),
        (&2.into(), &2.into())
    );
    assert_eq!(results["picture"], serde_json::json!([3, 3]));
    let note = results["note"].as_str().unwrap();
    for fact in ["MPI_Recv", "receives from", "step", "late", "position"] {
        assert!(note.contains(fact), "{note}");
    }
    let message = results["message"].as_str().unwrap();
    assert!(message.contains("message from 0 to 1"), "{message}");
}

/// What is too much is left out, and said to be.
#[test]
fn parts_are_drawn() {
    let folder = MergeTree::store();
    let whole = folder
        .say("steps merge-tree-16.fold --leaps --format svg")
        .exits(0);
    assert!(!whole.stdout.contains("drawn"), "{}", whole.stdout);
    let part = folder.say(
        "steps merge-tree-16.fold --leaps --steps 1..3 --location 0 --location 4 --format svg",
    );
    let part = part.exits(0);
    assert!(part.stderr.is_empty(), "{}", part.stderr);
    for said in ["only steps 1 to 2 of 0 to", "only 2 of 16 locations"] {
        assert!(part.stdout.contains(said), "{said}");
    }
    let drawn = |svg: &str| svg.matches(", step ").count();
    let rows = |svg: &str| svg.matches("<text class=\"n\"").count();
    assert!(
        drawn(&part.stdout) > 0 && drawn(&part.stdout) <= 8,
        "{}",
        drawn(&part.stdout)
    );
    assert_eq!(rows(&part.stdout), 4);
    assert_eq!(rows(&whole.stdout), 32);

    // Long traces: more steps than a picture has columns.
    let mut trace = String::new();
    for turn in 0..500 {
        writeln!(
            trace,
            "0 send 1 7 time={}\n0 recv 1 7 time={}",
            20 * turn,
            20 * turn + 5
        )
        .unwrap();
    }
    folder.write("long.trace", trace);
    folder.say("convert long.trace long.fold").exits(0);
    let cut = folder.say("steps long.fold --format svg").exits(0);
    assert!(
        cut.stderr.contains("note: only steps 0 to 399 of 0 to 999"),
        "{}",
        cut.stderr
    );
    assert!(cut.stdout.contains("--steps FROM..TO"));
    let rest = folder
        .say("steps long.fold --format svg --steps 700..")
        .exits(0);
    assert!(rest.stderr.is_empty(), "{}", rest.stderr);
    folder.write("rest.svg", rest.stdout);
    is_well_formed(&folder.path("rest.svg"));

    for wrong in [
        "--steps 4..4 --format svg",
        "--steps 4 --format svg",
        "--steps x.. --format svg",
        "--steps 4..5",
        "--location 0",
        "--location 77 --format html",
    ] {
        folder.say(&format!("steps long.fold {wrong}")).exits(2);
    }
}

/// A long trace opens at the step in which most lateness begins, below a map of all steps with the other origins.
#[test]
fn a_long_trace_opens_where_lateness_begins() {
    let folder = Folder::new();
    let mut trace = String::new();
    for step in 0..2500_u64 {
        for rank in 0..3 {
            let late = match (step, rank) {
                (2400, 1) => 50,
                (100, 2) => 30,
                _ => 0,
            };
            let time = 100 * step + late;
            writeln!(trace, "{rank} sync MPI_Barrier 0-2 time={time}").unwrap();
        }
    }
    folder.write("late.trace", trace);
    let svg = folder
        .say("steps late.trace --format svg --top 2")
        .exits(0)
        .stdout;
    assert!(
        svg.contains("only steps 2,100 to 2,499 of 0 to 2,499"),
        "{svg}"
    );
    assert!(svg.contains("<title>1, step 2,400: "));
    assert!(svg.contains("the greatest lateness in each 8 steps of all 2,500"));
    let (_, map) = svg.split_once("<g class=\"c\">").unwrap();
    let (map, _) = map.split_once("</g>").unwrap();
    let colours = attributes(map, "rect", "class");
    assert_eq!(colours.len(), 3 * 313);
    let late: Vec<usize> = (0..colours.len())
        .filter(|&at| colours[at] != "l0")
        .collect();
    assert_eq!(late, [313 + 2400 / 8, 2 * 313 + 100 / 8]);
    assert!(svg.contains("<title>2 at step 100: "));

    folder.say("steps late.trace --top 2 -o late.html").exits(0);
    let check = "
        const results = {};
        const [drawn, other] = document.querySelectorAll('#origins button');
        results.drawn = drawn.dataset.cell !== undefined && other.dataset.cell === undefined;
        const shown = logical.boxes[+drawn.dataset.cell].x;
        results.opens = shown >= logical.from && shown <= logical.from + logical.room / logical.scale;
        other.click();
        const mark = document.querySelector('.map .selected');
        results.marked = mark.textContent.startsWith('2 at step 100');
        drawn.click();
        results.moved = document.querySelector('.map .selected').textContent.startsWith('1 at step 2,400');
        return results;";
    with_check(&folder, "late.html", check);
    let dom = browse(&folder, "late.html", "");
    assert_eq!(error(&dom), None);
    let results = checked(&dom);
    for sign in ["drawn", "opens", "marked", "moved"] {
        assert_eq!(results[sign], true, "{sign}: {results}");
    }
}

/// `FOLDTRACE_BLESS=1` writes the picture anew.
#[test]
fn the_gallery_shows_a_merge_tree() {
    let folder = MergeTree::store();
    let svg = folder.say("steps merge-tree-16.fold --leaps --format svg");
    let svg = svg.exits(0).stdout;
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/gallery");
    let path = gallery.join("merge-tree-16.svg");
    if std::env::var_os("FOLDTRACE_BLESS").is_some() {
        fs::write(&path, &svg).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), svg);
}
