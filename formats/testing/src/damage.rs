//! Checks what readers do with damaged files.

use std::path::Path;
use std::time::{Duration, Instant};

use foldtrace_trace::Format;

use crate::read;

/// The number of changed files.
const FILES: usize = 60;

/// The time that a file may take, in both ways of reading.
const PATIENCE: Duration = Duration::from_secs(20);

/// Checks that files in which some bytes are changed are read in a short time, with the same events whether or not they are
/// salvaged, unless reading fails; and that nothing is written to them, or beside them. They have the name `name`.
pub fn check_changed_bytes(format: &dyn Format, good: &Path, name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let good = std::fs::read(good).unwrap();
    let mut state = 1_u64;
    let mut below = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % bound
    };
    for _ in 0..FILES {
        let mut bytes = good.clone();
        for _ in 0..1 + below(8) {
            let at = below(bytes.len());
            bytes[at] = match below(3) {
                0 => 0,
                1 => 0xff,
                _ => below(256) as u8,
            };
        }
        std::fs::write(&path, &bytes).unwrap();
        let start = Instant::now();
        let plain = read(format, &path, false);
        let salvaged = read(format, &path, true);
        if let (Ok(plain), Ok(salvaged)) = (&plain, &salvaged)
            && plain.errors.is_empty()
        {
            assert!(plain.events == salvaged.events);
        }
        assert!(start.elapsed() < PATIENCE);
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "the file has changed");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
