//! Pictures of programs: every example is drawn, and looked at by xmllint and by a real browser.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use foldtrace::fold::Selection;
use foldtrace::program::{Cost, Merging, Program, costs};
use foldtrace::read::Progress;
use foldtrace::store::StoreReader;

use crate::common::browser::{browse, checked, error, is_well_formed, with_check};
use crate::common::{EXAMPLES, Folder};

/// Pictures as text, of the communication and of all events.
fn draw(folder: &Folder, store: &str, format: &str) -> [String; 2] {
    ["comm", "all"].map(|events| {
        let arguments = format!("loops {store} --global --events {events} --format {format}");
        let first = folder.say(&arguments).exits(0).stdout;
        assert_eq!(first, folder.say(&arguments).exits(0).stdout);
        first
    })
}

#[test]
fn every_example_is_drawn() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let store = format!("{name}.fold");
        for (number, svg) in draw(&folder, &store, "svg").iter().enumerate() {
            let file = format!("{number}.svg");
            folder.write(&file, svg);
            is_well_formed(&folder.path(&file));
        }
        let text = folder
            .say(&format!("loops {store} --global"))
            .exits(0)
            .stdout;
        let lines = text.lines().skip(1);
        let constructs = lines.filter(|line| line.trim() != "done").count();
        for (number, html) in draw(&folder, &store, "html").iter().enumerate() {
            let page = format!("{number}.html");
            folder.write(&page, html);
            // No other file is asked for; the name of a vocabulary is none.
            let addresses = html.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
            let addresses = addresses.replace("'http://www.w3.org/2000/svg'", "");
            assert!(!addresses.contains("://"), "{name}");
            assert!(!addresses.contains("src="), "{name}");
            with_check(
                &folder,
                &page,
                "return [...constructs.values()].map(c => !!c.mark && !!c.line);",
            );
            let dom = browse(&folder, &page, "");
            assert!(dom.contains("data-ready=\"yes\""), "{name}");
            assert_eq!(error(&dom), None, "{name}");
            let found = checked(&dom);
            let found = found.as_array().unwrap();
            assert!(found.iter().all(|both| both == true), "{name}");
            assert!(number == 1 || found.len() == constructs, "{name}");
        }
    }
}

#[test]
fn a_page_links_text_and_picture() {
    let folder = Folder::with_store("vcycle-4");
    let page = folder.say("loops vcycle-4.fold --global --format html");
    folder.write("page.html", page.exits(0).stdout);
    // Where the address says so; then by clicks and keys as a person would.
    let check = "
        const marked = () => [...document.querySelectorAll('.selected')].map(e => e.id || e.dataset.number);
        const middle = element => {
            const box = element.getBoundingClientRect();
            return { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, button: 0 };
        };
        const point = (element, type, kind = MouseEvent) => element.dispatchEvent(new kind(type, middle(element)));
        const results = { address: marked() };

        const line = document.querySelector('#text [data-number=\"2.1.3\"]');
        point(line, 'click');
        results.text = marked();
        results.hash = location.hash;
        results.arrows = document.querySelectorAll('.related').length;

        const mark = document.getElementById('c2.1.5');
        point(mark, 'pointerdown', PointerEvent);
        point(mark, 'pointerup', PointerEvent);
        results.picture = marked();

        point(mark, 'mousemove');
        results.hover = document.getElementById('note').innerText;
        results.hovered = [...document.querySelectorAll('.hovered')].map(e => e.id || e.dataset.number);
        point(document.getElementById('c2'), 'mouseleave');
        document.getElementById('picture').dispatchEvent(new MouseEvent('mouseleave'));
        results.left = document.getElementById('note').hidden;
        point(document.querySelector('#text [data-number=\"2.1\"]'), 'mousemove');
        results.loop = document.getElementById('note').innerText;

        const way = document.querySelector('[data-f=\"2.1.5\"]');
        point(way, 'mousemove');
        results.way = document.getElementById('note').innerText;

        const scale = view.scale;
        picture.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, clientX: 700, clientY: 300, bubbles: true, cancelable: true }));
        results.wheel = view.scale > scale;
        const before = view.x;
        window.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
        results.arrow = view.x > before;
        const x = view.x;
        picture.dispatchEvent(new PointerEvent('pointerdown', { clientX: 700, clientY: 300, button: 0, bubbles: true }));
        picture.dispatchEvent(new PointerEvent('pointermove', { clientX: 650, clientY: 300, bubbles: true }));
        picture.dispatchEvent(new PointerEvent('pointerup', { clientX: 650, clientY: 300, bubbles: true }));
        results.drag = view.x > x;
        for (const button of document.querySelectorAll('header button')) button.click();
        results.sight = svg.getAttribute('viewBox').split(' ').every(n => Number.isFinite(+n));
        window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
        results.escape = marked();
        return results;";
    with_check(&folder, "page.html", check);
    let dom = browse(&folder, "page.html", "#select=2.1");
    assert_eq!(error(&dom), None);
    let results = checked(&dom);
    let both = |number: &str| serde_json::json!([number, format!("c{number}")]);
    assert_eq!(results["address"], both("2.1"));
    assert_eq!(results["text"], both("2.1.3"));
    assert_eq!(results["hash"], "#select=2.1.3");
    assert_eq!(results["arrows"], 1);
    assert_eq!(results["picture"], both("2.1.5"));
    assert_eq!(results["hovered"], both("2.1.5"));
    let hover = results["hover"].as_str().unwrap();
    for fact in [
        "[2.1.5]",
        "1 send 0 7",
        "104 times",
        "832 B",
        "time in the call",
    ] {
        assert!(hover.contains(fact), "{hover}");
    }
    let of_loop = results["loop"].as_str().unwrap();
    for fact in ["[2.1]", "26x processes 0-3", "1,248", "per iteration"] {
        assert!(of_loop.contains(fact), "{of_loop}");
    }
    let way = results["way"].as_str().unwrap();
    for fact in ["[2.1.5] 1 send 0 7", "[2.1.7] 1 recv 0 7"] {
        assert!(way.contains(fact), "{way}");
    }
    for sign in ["left", "wheel", "arrow", "drag", "sight"] {
        assert_eq!(results[sign], true, "{sign}: {results}");
    }
    assert_eq!(results["escape"], serde_json::json!([]));
}

/// Names of a trace are text, whatever is in them.
#[test]
fn names_do_not_become_markup() {
    let folder = Folder::new();
    let name = "<img src=x onerror=alert(1)>\"&'</script><b>";
    let mut trace = String::new();
    for _ in 0..5 {
        trace += &format!("0 local {name}\n0 send 1 7\n0 recv 1 7\n");
    }
    folder.write("a.trace", trace);
    folder.say("convert a.trace <b>.fold").exits(0);
    let svg = folder.say("loops <b>.fold --global --events all --format svg");
    folder.write("a.svg", svg.exits(0).stdout);
    is_well_formed(&folder.path("a.svg"));
    let html = folder.say("loops <b>.fold --global --events all --format html");
    folder.write("a.html", html.exits(0).stdout);
    let check = "return { text: text.children[1].textContent, title: document.title,
        foreign: document.querySelectorAll('img, #text b b, h1 b').length };";
    with_check(&folder, "a.html", check);
    let dom = browse(&folder, "a.html", "");
    assert_eq!(error(&dom), None);
    let results = checked(&dom);
    assert!(
        results["text"].as_str().unwrap().contains("<img"),
        "{results}"
    );
    assert_eq!(results["title"], "<b>");
    assert_eq!(results["foreign"], 0);
}

/// Six processes, of which two and two exchange messages: first those that are three apart, then
/// neighbours, then those that are two apart.
fn groups() -> String {
    let mut trace = String::new();
    let mut message = |from: usize, to: usize, tag: usize| {
        for word in ["send", "recv"] {
            writeln!(trace, "{from} {word} {to} {tag}").unwrap();
        }
    };
    let mut exchange = |pairs: &[(usize, usize, usize)], tag| {
        for &(a, b, times) in pairs {
            for _ in 0..times {
                message(a, b, tag);
                message(b, a, tag);
            }
        }
    };
    for _ in 0..6 {
        exchange(&[(0, 3, 5), (1, 4, 6), (2, 5, 7)], 1);
        exchange(&[(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1), (4, 5, 1)], 2);
        exchange(&[(0, 1, 4), (2, 3, 4), (4, 5, 4)], 1);
    }
    exchange(&[(0, 2, 5), (1, 3, 6), (4, 5, 9)], 3);
    trace
}

/// `FOLDTRACE_BLESS=1` writes those pictures of the gallery anew whose traces are here.
#[test]
fn the_gallery_is_as_drawn() {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/gallery");
    let folder = Folder::with_store("vcycle-4");
    folder.write("groups-6.trace", groups());
    folder.say("convert groups-6.trace groups-6.fold").exits(0);
    for name in ["vcycle-4", "groups-6"] {
        let svg = folder.say(&format!("loops {name}.fold --global --format svg"));
        let svg = svg.exits(0).stdout;
        let path = gallery.join(format!("{name}.svg"));
        if std::env::var_os("FOLDTRACE_BLESS").is_some() {
            fs::write(&path, &svg).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), svg, "{name}");
    }
    let mut shown = fs::read_to_string(gallery.join("README.md")).unwrap();
    shown.retain(|letter| letter != '\n');
    for entry in fs::read_dir(&gallery).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name != "README.md" {
            is_well_formed(&path);
            assert!(fs::metadata(&path).unwrap().len() < 500_000, "{name}");
            assert!(shown.contains(&format!("({name})")), "{name}");
        }
    }
}

/// Time and bytes, against what follows from the trace by hand.
#[test]
fn costs_are_those_of_the_trace() {
    let folder = Folder::new();
    let mut trace = String::new();
    for turn in 0..5 {
        let start = 100 * turn;
        for (line, time) in [
            ("0 local enter MPI_Send time=", 10),
            ("0 send 1 7 bytes=8 time=", 12),
            ("0 local leave MPI_Send time=", 15),
            ("1 local enter MPI_Recv time=", 11),
            ("0 recv 1 7 bytes=8 time=", 20),
            ("1 local leave MPI_Recv time=", 31),
        ] {
            writeln!(trace, "{line}{}", start + time).unwrap();
        }
    }
    folder.write("a.trace", trace);
    folder.say("convert a.trace a.fold").exits(0);
    let store = StoreReader::open(&folder.path("a.fold")).unwrap();
    let locations: Vec<_> = store.locations().collect();
    let of = |selection| {
        let program = Program::from_store(
            &store,
            &locations,
            &Merging::new(selection),
            &Progress::default(),
        )
        .unwrap();
        costs(&store, &program, &Progress::default()).unwrap()
    };
    let cost = |ticks, sent, received| Cost {
        ticks,
        sent,
        received,
    };
    // A loop of 5, from the first event to the last one: 400 ticks of either process.
    let expected = [cost(800, 40, 40), cost(25, 40, 0), cost(100, 0, 40)];
    assert_eq!(of(Selection::Communication), expected);
    let all = of(Selection::All);
    let messages = all.iter().filter(|cost| cost.sent + cost.received == 40);
    assert_eq!(messages.map(|cost| cost.ticks).sum::<i64>(), 125);
    assert!(all.iter().any(|cost| cost.sent == 40));
}

#[test]
fn only_programs_are_drawn() {
    let folder = Folder::with_store("ring-4");
    for format in ["svg", "html"] {
        let ran = folder.say(&format!("loops ring-4.fold --format {format}"));
        let ran = ran.exits(2);
        assert!(ran.stdout.is_empty());
        assert!(ran.stderr.contains("--global"), "{}", ran.stderr);
    }
}

#[test]
fn a_program_without_communication_is_a_page() {
    let folder = Folder::new();
    folder.write("alone.trace", "0 local work\n0 local rest\n");
    folder.say("convert -q alone.trace alone.fold").exits(0);
    let html = folder.say("loops alone.fold --global --format html");
    folder.write("a.html", html.exits(0).stdout);
    let dom = browse(&folder, "a.html", "");
    assert_eq!(error(&dom), None);
    assert!(dom.contains("data-ready=\"yes\""), "{dom}");
}
