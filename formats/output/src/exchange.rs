//! Gives an output folder its final name, and exchanges it with an older output of that name.

use std::fs;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

/// Renames the folder `from` to `target`. An older folder at `target` is at `from` afterwards; if the file
/// system cannot exchange names, the older folder is moved to `aside` and then removed.
///
/// # Errors
/// If a rename fails (`target` is then unchanged), or if the older folder cannot be removed from `aside`
/// (`target` is then the new folder).
pub(crate) fn exchange(from: &Path, target: &Path, aside: &Path) -> io::Result<()> {
    let flags = if target.exists() {
        RenameFlags::EXCHANGE
    } else {
        RenameFlags::NOREPLACE
    };
    match renameat_with(CWD, from, CWD, target, flags) {
        // Some file systems support neither flag.
        Err(Errno::INVAL | Errno::NOSYS) => in_steps(from, target, aside),
        other => other.map_err(Into::into),
    }
}

/// Exchanges the folders with plain renames. For a moment, nothing has the name `target`.
fn in_steps(from: &Path, target: &Path, aside: &Path) -> io::Result<()> {
    if !target.exists() {
        return fs::rename(from, target);
    }
    fs::rename(target, aside)?;
    if let Err(error) = fs::rename(from, target) {
        fs::rename(aside, target)?;
        return Err(error);
    }
    fs::remove_dir_all(aside)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn folder_with(path: &Path, content: &str) {
        fs::create_dir_all(path).unwrap();
        fs::write(path.join("content"), content).unwrap();
    }

    #[test]
    fn without_exchange_a_folder_is_replaced_in_steps() {
        let around = tempfile::tempdir().unwrap();
        let target = around.path().join("run.fold");
        let hidden = around.path().join("hidden");
        for content in ["the first", "the second"] {
            let new = hidden.join("new");
            folder_with(&new, content);
            in_steps(&new, &target, &hidden.join("old")).unwrap();
            let found = fs::read_to_string(target.join("content"));
            assert_eq!(found.unwrap(), content);
            assert_eq!(fs::read_dir(&hidden).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_step_that_fails_gives_the_old_folder_its_name_back() {
        let around = tempfile::tempdir().unwrap();
        let target = around.path().join("run.fold");
        folder_with(&target, "the old one");
        let hidden = around.path().join("hidden");
        fs::create_dir(&hidden).unwrap();
        in_steps(&hidden.join("missing"), &target, &hidden.join("old")).unwrap_err();
        let found = fs::read_to_string(target.join("content"));
        assert_eq!(found.unwrap(), "the old one");
    }
}
