//! Giving an output its name while another one may have it.

use std::fs;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

/// Gives `from` the name `target`. What had that name has the name `from` afterwards, or none: where the
/// file system cannot exchange names, it waits at `aside` and is then removed.
///
/// # Errors
/// If the names cannot be changed; `target` then is what it was.
pub fn exchange(from: &Path, target: &Path, aside: &Path) -> io::Result<()> {
    let flags = if target.exists() {
        RenameFlags::EXCHANGE
    } else {
        RenameFlags::NOREPLACE
    };
    match renameat_with(CWD, from, CWD, target, flags) {
        // Not every file system can exchange two names, or refuse to replace one.
        Err(Errno::INVAL | Errno::NOSYS) => in_steps(from, target, aside),
        other => other.map_err(Into::into),
    }
}

/// The fall-back: for a moment there is no target.
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
