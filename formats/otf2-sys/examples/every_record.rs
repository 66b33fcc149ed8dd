//! Writes an archive with every kind of record: `every_record FOLDER` prints the anchor's path.
#![allow(clippy::print_stdout)]

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
