//! Pictures and pages, as xmllint and a real browser see them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::Folder;

/// What a browser makes of a page once its script has run.
pub fn browse(folder: &Folder, page: &str, fragment: &str) -> String {
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

pub fn is_well_formed(path: &Path) {
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet"])
        .arg(path)
        .output()
        .expect("xmllint of the package libxml2-utils");
    assert!(output.status.success(), "{output:?}");
}

/// The page with a script behind its own that leaves what `check` returns in the document.
pub fn with_check(folder: &Folder, page: &str, check: &str) {
    let html = fs::read_to_string(folder.path(page)).unwrap();
    let script = format!(
        "<script>document.body.dataset.checked = JSON.stringify((() => {{ {check} }})());</script>\n</body>"
    );
    assert!(html.contains("</body>"));
    folder.write(page, html.replace("</body>", &script));
}

/// What went wrong in the scripts of a page.
pub fn error(dom: &str) -> Option<&str> {
    let (_, rest) = dom.split_once("data-error=\"")?;
    rest.split('"').next()
}

/// What the check has left.
pub fn checked(dom: &str) -> Value {
    let (_, rest) = dom
        .split_once("data-checked=\"")
        .unwrap_or_else(|| panic!("the script did not run: {}", &dom[..dom.len().min(3000)]));
    let (json, _) = rest.split_once('"').unwrap();
    let json = quick_xml::escape::unescape(json).unwrap();
    serde_json::from_str(&json).unwrap()
}
