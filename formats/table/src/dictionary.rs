//! Dictionary-encoded columns of texts: each distinct text is stored once.

use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow::datatypes::{DataType, Int32Type};
use arrow::error::ArrowError;
use indexmap::IndexSet;

/// Returns the type of a dictionary-encoded column.
pub(crate) fn dictionary_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The distinct texts of a column. Texts are only added, so keys remain valid.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    texts: IndexSet<String>,
    /// The texts as an array, until texts are added.
    array: Option<Arc<StringArray>>,
}

impl Dictionary {
    /// Returns the key of a text.
    pub(crate) fn key(&mut self, text: &str) -> i32 {
        if let Some(key) = self.texts.get_index_of(text) {
            return key as i32;
        }
        self.array = None;
        self.texts.insert_full(text.to_owned()).0 as i32
    }

    /// Returns the keys of some rows as a dictionary-encoded column.
    pub(crate) fn column(&mut self, keys: Int32Array) -> Result<ArrayRef, ArrowError> {
        let texts = &self.texts;
        let array = self
            .array
            .get_or_insert_with(|| Arc::new(StringArray::from_iter_values(texts)));
        let column = DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(array) as ArrayRef)?;
        Ok(Arc::new(column))
    }
}
