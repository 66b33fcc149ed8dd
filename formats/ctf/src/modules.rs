//! Programs and libraries in the memory of processes, by which functions get names that are the same in all processes.

use std::collections::BTreeMap;

/// The programs and libraries of a process, by their first addresses.
#[derive(Debug, Default)]
pub(crate) struct Modules(BTreeMap<u64, Module>);

#[derive(Debug)]
struct Module {
    bytes: u64,
    name: String,
}

impl Modules {
    /// Adds a program or library, which replaces those that it overlaps at its beginning.
    pub(crate) fn add(&mut self, address: u64, bytes: u64, path: &str) {
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        self.0.insert(address, Module { bytes, name });
    }

    /// Returns the name of a function: the module with the address within it, or the address alone.
    pub(crate) fn function(&self, address: u64) -> String {
        let before = self.0.range(..=address).next_back();
        match before.map(|(start, module)| (address - start, module)) {
            Some((offset, module)) if offset < module.bytes => {
                format!("{}+{offset:#x}", module.name)
            }
            _ => format!("{address:#x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_named_after_their_modules() {
        let mut modules = Modules::default();
        modules.add(0x1000, 0x100, "/usr/bin/program");
        modules.add(0x2000, 0x100, "lib.so");
        assert_eq!(modules.function(0x1010), "program+0x10");
        assert_eq!(modules.function(0x20ff), "lib.so+0xff");
        assert_eq!(modules.function(0x2100), "0x2100");
        assert_eq!(modules.function(1), "0x1");
    }
}
