//! Pictures of programs: every example is drawn, and looked at by xmllint and by a real browser.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{EXAMPLES, Folder};
use serde_json::Value;

/// What a browser makes of a page once its script has run.
fn browse(folder: &Folder, page: &str, fragment: &str) -> String {
    let profile = folder.path("profile");
    let address = format!("file://{}{fragment}", folder.path(page).display());
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .args(["--window-size=1200,800", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(address)
        .output()
        .expect("chromium of the package chromium");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn is_well_formed(path: &Path) {
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet"])
        .arg(path)
        .output()
        .expect("xmllint of the package libxml2-utils");
    assert!(output.status.success(), "{output:?}");
}

/// The page with a script behind its own that leaves what `check` returns in the document.
fn with_check(folder: &Folder, page: &str, check: &str) {
    let html = fs::read_to_string(folder.path(page)).unwrap();
    let script = format!(
        "<script>document.body.dataset.checked = JSON.stringify((() => {{ {check} }})());</script>\n</body>"
    );
    assert!(html.contains("</body>"));
    folder.write(page, html.replace("</body>", &script));
}

/// What went wrong in the scripts of a page.
fn error(dom: &str) -> Option<&str> {
    let (_, rest) = dom.split_once("data-error=\"")?;
    rest.split('"').next()
}

/// What the check has left.
fn checked(dom: &str) -> Value {
    let (_, rest) = dom
        .split_once("data-checked=\"")
        .unwrap_or_else(|| panic!("the script did not run: {}", &dom[..dom.len().min(3000)]));
    let (json, _) = rest.split_once('"').unwrap();
    let json = quick_xml::escape::unescape(json).unwrap();
    serde_json::from_str(&json).unwrap()
}

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
    for fact in ["[2.1]", "26x processes 0-3", "1,248", "an iteration"] {
        assert!(of_loop.contains(fact), "{of_loop}");
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
