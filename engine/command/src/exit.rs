//! The exit codes of the command.

/// The exit code of a command without errors and losses.
pub const CLEAN: u8 = 0;
/// The exit code for a fault of foldtrace itself.
pub const INTERNAL: u8 = 1;
/// The exit code for invalid arguments.
pub const USAGE: u8 = 2;
/// The exit code of a command that finished, but lost a part of the input; the loss was reported.
pub const LOSS: u8 = 3;
/// The exit code if the input is missing, unreadable or malformed.
pub const INPUT: u8 = 4;
/// The exit code if the output cannot be written.
pub const OUTPUT: u8 = 5;
/// The exit code after a signal, the same that shells report for Ctrl-C.
pub const INTERRUPTED: u8 = 130;
