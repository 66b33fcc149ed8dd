//! Frames: everything that must be equal for two terms to be iterations of the same loop.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use foldtrace_trace::SymbolId;
use hashbrown::HashTable;

use super::shape::Shapes;

const HASHER: FixedState = FixedState::with_seed(0x6e6c_7200);

/// A placeholder for a missing frame or term.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Frame {
    /// An event; `like` is a symbol of that shape.
    Event {
        shape: u32,
        like: SymbolId,
        numbers: u8,
    },
    /// A loop. `steps` has one entry per constant of the body's terms. The constants of the loop itself are its
    /// count, followed by those of its body at loop index zero.
    Loop { body: Box<[u32]>, steps: Box<[i64]> },
}

impl Frame {
    fn hash(&self) -> u64 {
        match self {
            Self::Event { shape, .. } => HASHER.hash_one(shape),
            Self::Loop { body, steps } => HASHER.hash_one((&**body, &**steps)),
        }
    }
}

/// Interned frames: equal frames have the same id.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    ids: HashTable<u32>,
}

impl Frames {
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    pub fn get(&self, frame: u32) -> &Frame {
        &self.frames[frame as usize]
    }

    /// Returns the number of constants of a term with this frame.
    pub fn constants(&self, frame: u32) -> usize {
        match self.get(frame) {
            Frame::Event { numbers, .. } => usize::from(*numbers),
            Frame::Loop { steps, .. } => 1 + steps.len(),
        }
    }

    pub fn of_symbol(&mut self, symbol: SymbolId, shapes: &Shapes) -> u32 {
        let shape = shapes.shape(symbol);
        let is = |frame: &Frame| matches!(frame, Frame::Event { shape: s, .. } if *s == shape);
        self.intern(HASHER.hash_one(shape), is, || Frame::Event {
            shape,
            like: symbol,
            numbers: shapes.numbers(symbol),
        })
    }

    pub fn of_loop(&mut self, body: &[u32], steps: &[i64]) -> u32 {
        let is = |frame: &Frame| matches!(frame, Frame::Loop { body: b, steps: s } if **b == *body && **s == *steps);
        self.intern(HASHER.hash_one((body, steps)), is, || Frame::Loop {
            body: body.into(),
            steps: steps.into(),
        })
    }

    fn intern(
        &mut self,
        hash: u64,
        is: impl Fn(&Frame) -> bool,
        make: impl FnOnce() -> Frame,
    ) -> u32 {
        let frames = &self.frames;
        if let Some(&id) = self.ids.find(hash, |&id| is(&frames[id as usize])) {
            return id;
        }
        let id = self.frames.len() as u32;
        self.frames.push(make());
        let frames = &self.frames;
        self.ids
            .insert_unique(hash, id, |&id| frames[id as usize].hash());
        id
    }

    /// Removes all frames except those in `used` and the frames nested in them. Returns the new id of each frame, or
    /// [`NONE`] if it was removed.
    pub fn keep(&mut self, used: &[u32]) -> Vec<u32> {
        let mut new_ids = vec![NONE; self.frames.len()];
        for &frame in used {
            new_ids[frame as usize] = 0;
        }
        // Nested frames are interned before the frames that contain them, so one reverse pass reaches them all.
        for (id, frame) in self.frames.iter().enumerate().rev() {
            if let Frame::Loop { body, .. } = frame
                && new_ids[id] != NONE
            {
                body.iter().for_each(|&inner| new_ids[inner as usize] = 0);
            }
        }
        let kept = new_ids.iter_mut().filter(|id| **id != NONE);
        kept.zip(0..).for_each(|(id, new)| *id = new);
        let mut ids = new_ids.iter();
        self.frames.retain(|_| ids.next() != Some(&NONE));
        self.ids.clear();
        for frame in &mut self.frames {
            if let Frame::Loop { body, .. } = frame {
                body.iter_mut().for_each(|id| *id = new_ids[*id as usize]);
            }
        }
        let frames = &self.frames;
        for (frame, id) in frames.iter().zip(0..) {
            self.ids
                .insert_unique(frame.hash(), id, |&id| frames[id as usize].hash());
        }
        new_ids
    }
}
