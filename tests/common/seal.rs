//! Seals a store that a test has changed, as `schemas/store.md` says: hashes and manifest are right
//! again, whatever the tables say.

use std::fs;
use std::path::Path;

use blake3::hazmat::HasherExt;
use serde_json::{Value, json};

const GROUP: usize = 1 << 16;

/// Adds the files of a folder to `names`, each with `prefix` before its name.
fn list(folder: &Path, prefix: &str, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            list(&entry.path(), &format!("{name}/"), names);
        } else {
            names.push(name);
        }
    }
}

/// Writes `hashes` and `manifest.json` anew; `edit` may change what the manifest says. A manifest that
/// is no JSON object stays as it is.
pub fn seal(store: &Path, edit: impl FnOnce(&mut Value)) {
    let path = store.join("manifest.json");
    let manifest = fs::read(&path).ok();
    let manifest = manifest.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(mut manifest @ Value::Object(_)) = manifest else {
        return;
    };
    let _ = fs::remove_file(store.join("hashes"));
    let mut names = Vec::new();
    list(store, "", &mut names);
    names.retain(|name| name != "manifest.json");
    names.sort();
    let mut hashes = Vec::new();
    for name in &names {
        let bytes = fs::read(store.join(name)).unwrap();
        let groups = bytes.chunks(GROUP).enumerate();
        for (number, group) in groups.filter(|_| bytes.len() > GROUP) {
            let mut hasher = blake3::Hasher::new();
            hasher.set_input_offset((number * GROUP) as u64);
            hasher.update(group);
            hashes.extend(hasher.finalize_non_root());
        }
    }
    if !hashes.is_empty() {
        fs::write(store.join("hashes"), hashes).unwrap();
        names.push("hashes".to_owned());
        names.sort();
    }
    let entries = names.into_iter().map(|name| {
        let bytes = fs::read(store.join(&name)).unwrap();
        let hash = blake3::hash(&bytes).to_hex().to_string();
        json!({"path": name, "bytes": bytes.len(), "blake3": hash})
    });
    manifest["files"] = entries.collect();
    manifest["checksum"] = json!("");
    edit(&mut manifest);
    let text = serde_json::to_string_pretty(&manifest).unwrap();
    let checksum = blake3::hash(text.as_bytes()).to_hex();
    let text = text.replace(
        "\"checksum\": \"\"",
        &format!("\"checksum\": \"{checksum}\""),
    );
    fs::write(&path, text).unwrap();
}
