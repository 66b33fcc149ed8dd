//! Dictionary-encoded columns: few distinct texts, each stored once.

use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Int32Array, Int32Builder, StringArray};
use arrow::datatypes::{DataType, Int32Type};
use arrow::error::ArrowError;
use indexmap::IndexSet;

/// Returns the type of a dictionary-encoded column.
pub(crate) fn word_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The distinct words of a column. Words are only added, so keys remain valid.
#[derive(Debug, Default)]
pub(crate) struct Words {
    words: IndexSet<String>,
    /// The words as an array, until words are added.
    array: Option<Arc<StringArray>>,
}

impl Words {
    /// Returns the key of a word.
    pub(crate) fn key(&mut self, word: &str) -> i32 {
        if let Some(key) = self.words.get_index_of(word) {
            return key as i32;
        }
        self.array = None;
        self.words.insert_full(word.to_owned()).0 as i32
    }

    /// Returns the keys of some rows as a dictionary-encoded column.
    pub(crate) fn column(&mut self, keys: &mut Int32Builder) -> Result<ArrayRef, ArrowError> {
        let words = &self.words;
        let array = self
            .array
            .get_or_insert_with(|| Arc::new(StringArray::from_iter_values(words)));
        let keys: Int32Array = keys.finish();
        let column = DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(array) as ArrayRef)?;
        Ok(Arc::new(column))
    }
}
