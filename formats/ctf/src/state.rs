//! What decoding remembers from one field to the next.

use crate::class::Role;
use crate::description::Uuid;
use crate::program::Slot;

/// What decoding needs to know from the fields that were decoded before.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub slots: Vec<u64>,
    roles: [Option<u64>; Role::COUNT],
    /// Whether what identifies the location of events may have changed.
    has_moved: bool,
    /// The value of the clock; `None` before the first one.
    pub clock: Option<u64>,
    /// Where the texts of the current event begin in those of all events.
    pub first_text: usize,
    /// The UUID that packets should have.
    pub uuid: Option<Uuid>,
    /// Whether a packet has had another UUID.
    pub is_foreign: bool,
}

impl State {
    /// Creates the state at the beginning of a stream.
    pub(crate) fn new(slots: usize, uuid: Option<Uuid>) -> Self {
        Self {
            slots: vec![0; slots],
            uuid,
            ..Self::default()
        }
    }

    /// Returns the value of the field with a role.
    #[inline]
    pub(crate) fn role(&self, role: Role) -> Option<u64> {
        self.roles[role as usize]
    }

    /// Sets the value of the field with a role.
    #[inline]
    fn set_role(&mut self, role: Role, value: u64) {
        let known = &mut self.roles[role as usize];
        if *known != Some(value) {
            *known = Some(value);
            self.has_moved |= role.is_of_location();
        }
    }

    /// Returns whether what identifies the location of events may have changed since the last call.
    #[inline]
    pub(crate) fn take_move(&mut self) -> bool {
        std::mem::take(&mut self.has_moved)
    }

    /// Forgets the value of the field with a role.
    pub(crate) fn forget(&mut self, role: Role) {
        self.roles[role as usize] = None;
    }

    /// Forgets the values of all roles.
    pub(crate) fn forget_roles(&mut self) {
        self.roles = [None; Role::COUNT];
        self.has_moved = true;
    }

    /// Remembers an integer with the bits of `low` for what is decoded later: whether it is of the clock, its role, and its slot.
    #[inline]
    pub(crate) fn remember(
        &mut self,
        value: u64,
        low: u64,
        (is_clock, role, slot): (bool, Option<Role>, Slot),
    ) {
        if is_clock {
            self.advance_clock(value, low);
        }
        if let Some(role) = role {
            self.set_role(role, value);
        }
        self.slots[slot as usize] = value;
    }

    /// Takes the lowest bits of the clock, those of `low`. It never goes back.
    #[inline]
    fn advance_clock(&mut self, value: u64, low: u64) {
        let clock = self.clock.unwrap_or(0);
        // All 64 bits are taken as they are: the next larger power of two is 0.
        let carry = if value < clock & low {
            low.wrapping_add(1)
        } else {
            0
        };
        self.clock = Some((clock & !low | value).wrapping_add(carry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_wrap_around() {
        let mut state = State::default();
        state.advance_clock(0x1_2345, u64::MAX);
        state.advance_clock(0x46, 0xff);
        assert_eq!(state.clock, Some(0x1_2346));
        state.advance_clock(0x45, 0xff);
        assert_eq!(state.clock, Some(0x1_2445));
        state.advance_clock(3, u64::MAX);
        assert_eq!(state.clock, Some(3));
    }
}
