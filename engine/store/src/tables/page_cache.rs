//! Keeps decoded pages that several streams read: locations with few events share pages.

use std::sync::Arc;

use parquet::column::page::Page;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// The size of the cache, in bytes of decoded pages per thread: about a page of each column of an event.
const BYTES: u64 = 2 << 20;

/// The expected size of a page, in bytes.
const PAGE: u64 = 1 << 16;

/// A page of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    table: &'static str,
    part: u32,
    /// The offset of the column in the file.
    column: u64,
    /// The number of the data page; `None` for the dictionary.
    page: Option<u32>,
}

#[derive(Clone)]
struct Size;

impl Weighter<Key, Page> for Size {
    fn weight(&self, _: &Key, page: &Page) -> u64 {
        page.buffer().len() as u64 + 1
    }
}

/// Decoded pages of a store. Clones share them.
#[derive(Clone)]
pub(crate) struct PageCache(Arc<Cache<Key, Page, Size>>);

impl Default for PageCache {
    fn default() -> Self {
        let bytes = BYTES * rayon::current_num_threads() as u64;
        Self(Arc::new(Cache::with_weighter(
            (bytes / PAGE) as usize,
            bytes,
            Size,
        )))
    }
}

impl std::fmt::Debug for PageCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageCache").finish_non_exhaustive()
    }
}

impl PageCache {
    /// Returns the pages of the table of a part.
    pub fn table(&self, table: &'static str, part: u32) -> CachedTable {
        CachedTable {
            pages: self.clone(),
            table,
            part,
        }
    }
}

/// The decoded pages of the table of a part.
#[derive(Clone)]
pub(crate) struct CachedTable {
    pages: PageCache,
    table: &'static str,
    part: u32,
}

impl CachedTable {
    /// Returns the pages of the column that begins at an offset of the file.
    pub fn column(&self, column: u64) -> CachedColumn {
        CachedColumn {
            pages: self.pages.clone(),
            next: Key {
                table: self.table,
                part: self.part,
                column,
                page: Some(0),
            },
        }
    }
}

/// A cursor over the decoded pages of a column.
pub(crate) struct CachedColumn {
    pages: PageCache,
    /// The next data page.
    next: Key,
}

impl CachedColumn {
    /// Advances to the data page after the next one.
    pub fn advance(&mut self) {
        self.next.page = self.next.page.map(|page| page + 1);
    }

    /// Returns the next data page if it is known.
    pub fn data_page(&self) -> Option<Page> {
        self.pages.0.get(&self.next)
    }

    /// Keeps the next data page.
    pub fn keep_data_page(&self, page: &Page) {
        self.pages.0.insert(self.next, page.clone());
    }

    /// Returns the dictionary if it is known.
    pub fn dictionary(&self) -> Option<Page> {
        self.pages.0.get(&self.dictionary_key())
    }

    /// Keeps the dictionary.
    pub fn keep_dictionary(&self, page: &Page) {
        self.pages.0.insert(self.dictionary_key(), page.clone());
    }

    fn dictionary_key(&self) -> Key {
        Key {
            page: None,
            ..self.next
        }
    }
}
