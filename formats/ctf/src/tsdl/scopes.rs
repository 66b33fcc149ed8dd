//! The types that have names in TSDL, by scope.

use std::collections::HashMap;

use crate::class::Class;

/// Named types. The names of structures, variants and enumerations begin with `struct`, `variant` and `enum`.
#[derive(Default)]
pub(super) struct Scopes {
    /// The types of the whole text.
    global: HashMap<String, Class>,
    /// The types of the blocks around the current place, outermost first.
    inner: Vec<HashMap<String, Class>>,
}

impl Scopes {
    /// Begins a block.
    pub(super) fn open(&mut self) {
        self.inner.push(HashMap::new());
    }

    /// Ends a block.
    pub(super) fn close(&mut self) {
        self.inner.pop();
    }

    /// Defines a type in the innermost block. Returns `false` if the block has a type of this name.
    pub(super) fn define(&mut self, name: &str, class: Class) -> bool {
        let scope = self.inner.last_mut().unwrap_or(&mut self.global);
        scope.insert(name.to_owned(), class).is_none()
    }

    /// Returns the innermost type of this name.
    pub(super) fn find(&self, name: &str) -> Option<&Class> {
        let mut inner = self.inner.iter().rev();
        inner
            .find_map(|scope| scope.get(name))
            .or_else(|| self.global.get(name))
    }
}
