//! Splits symbols into shapes, which only identify things, and numbers, which may be affine in loop indices.

use foldtrace_trace::{MAX_OPERANDS, Operand, Symbol, SymbolId, SymbolTable, UNDEFINED};

/// The maximum number of numbers in a symbol.
pub(super) const MAX_NUMBERS: usize = 2;

/// The numbers of a symbol and their slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub len: u8,
    pub slots: [u8; MAX_NUMBERS],
    pub values: [i64; MAX_NUMBERS],
    /// The index of the tag among the numbers, if there is one.
    tag: u8,
}

impl Numbers {
    pub fn values(&self) -> &[i64] {
        &self.values[..usize::from(self.len)]
    }

    pub fn slots(&self) -> &[u8] {
        &self.slots[..usize::from(self.len)]
    }

    fn from_symbol(symbol: &Symbol) -> Self {
        let mut numbers = Self::default();
        for (slot, operand) in symbol.kind.operands().iter().enumerate().take(MAX_OPERANDS) {
            let value = symbol.operands[slot];
            if operand.is_number() && value != UNDEFINED && usize::from(numbers.len) < MAX_NUMBERS {
                if *operand == Operand::Tag {
                    numbers.tag = numbers.len;
                }
                numbers.slots[usize::from(numbers.len)] = slot as u8;
                numbers.values[usize::from(numbers.len)] = value as i64;
                numbers.len += 1;
            }
        }
        numbers
    }
}

/// Returns the slots of a symbol that contain numbers.
pub(super) fn slots(symbol: &Symbol) -> Vec<u8> {
    Numbers::from_symbol(symbol).slots().to_vec()
}

/// The shapes of the symbols of a table. Two symbols have the same shape if they differ only in numbers.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    shapes: SymbolTable,
    /// The shape of each row of the table.
    of_row: Vec<u32>,
    /// The numbers of each row of the table, with a tag of 0 if the row's symbols differ in their tags.
    numbers: Vec<Numbers>,
}

impl Shapes {
    /// Adds the symbols that `table` has gained since the last call. Every call must pass the same growing table.
    pub fn update(&mut self, table: &SymbolTable) {
        for index in self.of_row.len()..table.len() {
            let symbol = table.symbol(SymbolId::new(index as u32));
            let numbers = Numbers::from_symbol(&symbol);
            let mut shape = symbol;
            for &slot in numbers.slots() {
                shape.operands[usize::from(slot)] = 0;
            }
            self.of_row.push(self.shapes.intern(shape).row_number());
            self.numbers.push(numbers);
        }
    }

    /// Returns the number of symbols added so far.
    pub(super) fn len(&self) -> usize {
        self.of_row.len()
    }

    /// Returns the shape of a symbol.
    pub(super) fn shape(&self, symbol: SymbolId) -> u32 {
        self.of_row[symbol.row()]
    }

    /// Returns how many numbers a symbol has.
    pub(super) fn numbers(&self, symbol: SymbolId) -> u8 {
        self.numbers[symbol.row()].len
    }

    /// Appends the numbers of a symbol.
    pub(super) fn append_numbers(&self, symbol: SymbolId, values: &mut Vec<i64>) {
        let numbers = &self.numbers[symbol.row()];
        let first = values.len();
        values.extend_from_slice(numbers.values());
        if symbol.tag() != 0
            && let Some(tag) = values.get_mut(first + usize::from(numbers.tag))
        {
            *tag = symbol.tag().into();
        }
    }
}
