//! Writes an archive with every kind of record and prints the path of its anchor: `every_record FOLDER`.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("usage: every_record FOLDER")?;
    let anchor = otf2_sys::samples::every_record(Path::new(&folder))?;
    println!("{}", anchor.display());
    Ok(())
}
