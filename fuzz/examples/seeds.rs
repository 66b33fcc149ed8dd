//! Writes the seeds of each target to `corpus/TARGET`: the inputs in `tests/data`, in the form that the target expects.
//!
//! Other files in these folders, such as inputs that the fuzzer has found before, are kept.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_fuzz::pieces::{ARCHIVE, CTF, KINETO, LONGEST, PARAVER, STORE, join};

/// The lengths before a trace in the inputs of `chunks`: of the part that is read to recognise the format, and of the
/// pieces.
const CHUNKS: [[u8; 8]; 3] = [[1; 8], [40, 3, 0, 7, 1, 100, 2, 255], [255; 8]];

/// Returns the paths of the entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Returns the paths of all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false => vec![path],
    };
    entries(folder).into_iter().flat_map(below).collect()
}

/// Returns the inputs of a format, each with a name.
fn inputs(data: &Path, format: &str) -> Vec<(String, PathBuf)> {
    let cases = ["good", "bad"].map(|kind| entries(&data.join(format).join(kind)));
    let inputs = cases.into_iter().flatten().flat_map(|case| {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let is_input = |path: &PathBuf| !path.ends_with("expected.txt");
        let inputs = entries(&case).into_iter().filter(is_input);
        Vec::from_iter(inputs.map(|input| (format!("{format}-{name}"), input)))
    });
    inputs.collect()
}

/// Returns an OTF2 archive as pieces. Its anchor may have any name.
fn archive(folder: &Path) -> Vec<u8> {
    let is_anchor = |path: &PathBuf| path.extension().is_some_and(|e| e == "otf2");
    let anchor = entries(folder).into_iter().find(is_anchor);
    let stem = anchor.map_or("traces".into(), |anchor| {
        anchor.file_stem().unwrap().to_string_lossy().into_owned()
    });
    pack(ARCHIVE, |name| {
        folder.join(name.replacen("traces", &stem, 1))
    })
}

/// Returns a trace of CTF as pieces: its metadata, and its first streams, whatever their names are.
fn ctf(folder: &Path) -> Vec<u8> {
    let is_stream = |path: &PathBuf| path.is_file() && !path.ends_with(CTF[0]);
    let streams = entries(folder).into_iter().filter(is_stream);
    let files = std::iter::once(folder.join(CTF[0])).chain(streams);
    let pieces = (0..).zip(files.take(CTF.len()));
    let pieces = pieces.filter_map(|(number, path)| Some((number, fs::read(path).ok()?)));
    join(&Vec::from_iter(pieces))
}

fn pack(names: &[&str], path: impl Fn(&str) -> PathBuf) -> Vec<u8> {
    let pieces = (0..).zip(names).filter_map(|(number, name)| {
        let bytes = fs::read(path(name)).ok()?;
        (bytes.len() <= LONGEST).then_some((number, bytes))
    });
    join(&Vec::from_iter(pieces))
}

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = here.join("../tests/data");
    let seed = |target: &str, name: &str, bytes: &[u8]| {
        let folder = here.join("corpus").join(target);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
    };
    for folder in entries(&data) {
        let format = folder.file_name().unwrap().to_string_lossy().into_owned();
        for (name, input) in inputs(&data, &format) {
            match &*format {
                "otf2" => seed("otf2", &name, &archive(&input)),
                "ctf" | "ctf2" => seed("ctf", &name, &ctf(&input)),
                "paraver" => {
                    // One seed has all files of the trace.
                    if input.extension().is_some_and(|it| it == "prv") {
                        let companion =
                            |file: &str| input.with_file_name(file.replacen("trace", "input", 1));
                        seed("paraver", &name, &pack(PARAVER, companion));
                    }
                }
                // A database cannot come from a pipe, so it is no seed of `chunks`.
                "nsight" | "rocpd" => {
                    if input
                        .extension()
                        .is_some_and(|it| it == "sqlite" || it == "db")
                    {
                        seed(&format, &name, &fs::read(&input).unwrap());
                    }
                }
                "kineto" => {
                    let paths = if input.is_dir() {
                        files(&input)
                    } else {
                        vec![input]
                    };
                    let pieces = (0..).zip(paths.iter().take(KINETO.len()));
                    let pieces = pieces.map(|(number, path)| (number, fs::read(path).unwrap()));
                    seed("kineto", &name, &join(&Vec::from_iter(pieces)));
                }
                "fold" => seed("fold", &name, &pack(STORE, |file| input.join(file))),
                _ if input.is_dir() => {
                    for (number, file) in files(&input).iter().enumerate() {
                        seed(
                            &format,
                            &format!("{name}-{number}"),
                            &fs::read(file).unwrap(),
                        );
                    }
                }
                _ => {
                    let bytes = fs::read(&input).unwrap();
                    seed(&format, &name, &bytes);
                    for (number, lengths) in CHUNKS.iter().enumerate() {
                        let cut = [lengths.as_slice(), &bytes].concat();
                        seed("chunks", &format!("{name}-{number}"), &cut);
                    }
                }
            }
        }
    }
    let everything = fs::read(data.join("stores/everything.trace")).unwrap();
    seed("text", "everything", &everything);
}
