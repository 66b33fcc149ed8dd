//! Random damage to the files of an archive.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use fastrand::Rng;

/// What can happen to a file.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    Flip(u8),
    Set(u8),
    Insert(u8, usize),
    Delete(usize),
    Cut,
    /// Two blocks change places: length and distance.
    Swap(usize, usize),
    Zero(usize),
}

#[derive(Clone, Debug)]
pub struct Mutation {
    pub file: PathBuf,
    pub at: usize,
    pub damage: Damage,
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} at byte {} of {}",
            self.damage,
            self.at,
            self.file.display()
        )
    }
}

impl Mutation {
    /// Damages any file of an archive anywhere.
    pub fn random(random: &mut Rng, archive: &BTreeMap<PathBuf, Vec<u8>>) -> Self {
        // The few small files as often as the many large ones.
        let endings = ["otf2", "def", "evt", "marker", "snap", "thumb"];
        let of = |ending: &str| -> Vec<&PathBuf> {
            let has = |file: &&PathBuf| file.extension().is_some_and(|e| e == ending);
            archive.keys().filter(has).collect()
        };
        let kinds: Vec<_> = endings
            .iter()
            .map(|e| of(e))
            .filter(|f| !f.is_empty())
            .collect();
        let kind = &kinds[random.usize(..kinds.len())];
        let file = kind[random.usize(..kind.len())].clone();
        let length = archive[&file].len();
        // Heads and ends hold what everything else depends on.
        let at = match random.u8(..8) {
            0 => random.usize(..length.min(24)),
            1 => length - 1 - random.usize(..length.min(24)),
            _ => random.usize(..length),
        };
        let scale = random.u32(1..9);
        let block = 1 + random.usize(..1 << scale);
        let damage = match random.u8(..9) {
            0 | 1 => Damage::Flip(random.u8(..8)),
            2 => Damage::Set(random.u8(..)),
            3 => Damage::Set([0, 1, 2, 3, 5, 6, 0x7f, 0xfe, 0xff][random.usize(..9)]),
            4 => Damage::Insert(random.u8(..), block),
            5 => Damage::Delete(block),
            6 => Damage::Cut,
            7 => Damage::Swap(block, random.usize(1..200)),
            _ => Damage::Zero(block),
        };
        Self { file, at, damage }
    }

    /// The bytes of the file after the damage.
    pub fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let (mut bytes, at) = (bytes.to_vec(), self.at);
        let length = bytes.len();
        match self.damage {
            Damage::Flip(bit) => bytes[at] ^= 1 << bit,
            Damage::Set(byte) => bytes[at] = byte,
            Damage::Insert(byte, count) => {
                bytes.splice(at..at, (0..count).map(|i| byte.wrapping_mul(i as u8 | 1)));
            }
            Damage::Delete(count) => drop(bytes.drain(at..length.min(at + count))),
            Damage::Cut => bytes.truncate(at),
            Damage::Swap(count, distance) => {
                let other = (at + count + distance).min(length);
                for i in 0..count.min(length - other) {
                    bytes.swap(at + i, other + i);
                }
            }
            Damage::Zero(count) => bytes[at..length.min(at + count)].fill(0),
        }
        bytes
    }
}
