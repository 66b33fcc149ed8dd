//! Shards of a conversion: each has some of the parts of the store, without their topology, which needs the symbols of all parts.

use std::path::Path;

use foldtrace_stream::read::Progress;
use foldtrace_trace::{TraceError, WideFields};
use serde::{Deserialize, Serialize};

use super::{Shard, ShardContents, ShardWriter, Wanted};
use crate::folder::Form;
use crate::models::PartModels;
use crate::part::{Layout, MemoryPool, PartEnd, PartWriter};
use crate::schema::QUANTITY;
use crate::writer::StoreWriter;

/// A part, with its models.
pub type AdoptedPart = (PartEnd, PartModels);

/// The layout of a store in the form in which it is saved.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SavedLayout {
    form: Form,
    level: i32,
    row_group_rows: usize,
}

impl From<Layout> for SavedLayout {
    fn from(layout: Layout) -> Self {
        Self {
            form: layout.form,
            level: layout.level.compression_level(),
            row_group_rows: layout.row_group_rows,
        }
    }
}

/// The parts of a shard.
#[derive(Debug, Serialize, Deserialize)]
pub struct PartsOfShard {
    layout: SavedLayout,
    parts: Vec<AdoptedPart>,
}

impl PartsOfShard {
    /// Returns the layout of the store that the parts belong to.
    ///
    /// # Errors
    /// Returns an error if there is no such layout.
    pub fn layout(&self) -> Result<Layout, TraceError> {
        let layout = Layout {
            row_group_rows: self.layout.row_group_rows,
            ..Layout::default().with_form(self.layout.form)
        };
        layout.with_level(self.layout.level)
    }

    /// Returns whether the parts have a layout.
    #[must_use]
    pub fn has_layout(&self, layout: Layout) -> bool {
        self.layout == layout.into()
    }

    /// Returns whether other parts have the same layout.
    #[must_use]
    pub fn have_layout_of(&self, other: &Self) -> bool {
        self.layout == other.layout
    }
}

/// A writer of the parts of a shard, which can be written in parallel.
#[derive(Debug)]
pub struct PartsWriter {
    shard: ShardWriter,
    layout: Layout,
    memory: MemoryPool,
}

impl PartsWriter {
    /// Begins to write parts to a shard.
    #[must_use]
    pub fn new(shard: ShardWriter, layout: Layout) -> Self {
        Self {
            shard,
            layout,
            memory: MemoryPool::default(),
        }
    }

    /// Begins part `number` of the store.
    ///
    /// # Errors
    /// Returns an error if the files of the part cannot be created.
    pub fn part(&self, number: u32) -> Result<PartWriter<'static>, TraceError> {
        let memory = self.memory.clone();
        PartWriter::new(self.shard.path(), number, &self.layout, None, memory)
    }

    /// Completes the shard. What it says about itself contains its parts.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written, or the upload of the shard was stopped.
    pub fn finish<T: ShardContents>(
        self,
        parts: Vec<AdoptedPart>,
        contents: impl FnOnce(PartsOfShard) -> T,
        progress: &Progress,
    ) -> Result<(), TraceError> {
        let parts = PartsOfShard {
            layout: self.layout.into(),
            parts,
        };
        self.shard.finish(contents(parts), progress)
    }
}

impl StoreWriter<'_> {
    /// Takes the parts of all shards into the folder of the store, in the order of their numbers. `parts` takes those of a shard out
    /// of what it says about itself.
    ///
    /// # Errors
    /// Returns an error if a file cannot be linked or copied, or the work was stopped.
    pub fn adopt<T: ShardContents>(
        &mut self,
        shards: &mut [Shard<T>],
        parts: impl Fn(&mut T) -> &mut PartsOfShard,
        progress: &Progress,
    ) -> Result<Vec<AdoptedPart>, TraceError> {
        let store = self.path().to_owned();
        let taken = shards
            .iter_mut()
            .flat_map(|shard| std::mem::take(&mut parts(&mut shard.contents).parts));
        let mut taken: Vec<AdoptedPart> = taken.collect();
        let wide = taken.iter();
        let wide = wide.fold(WideFields::default(), |all, (end, _)| all.union(end.wide));
        // Footers of quantities that are corrected are those of the store, not of the shard.
        let is_changed =
            |path: &Path| wide != WideFields::default() && path.starts_with(QUANTITY.name);
        for shard in shards {
            let wanted = Wanted {
                is_wanted: &|_| true,
                is_changed: &is_changed,
            };
            shard.take_into(&store, &wanted, &mut self.hashed, progress)?;
        }
        for (end, models) in &mut taken {
            end.move_to(&store, self.layout());
            models.move_to(&store, end.number());
        }
        taken.sort_unstable_by_key(|(end, _)| end.number());
        Ok(taken)
    }
}
