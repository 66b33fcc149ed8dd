//! Tests the limits of the allocator, alone in a process, because the count of allocations is that of a process.

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::hint::black_box;

use foldtrace_command::allocator::keep_pages;

/// Returns the number of allocations that have pages of their own.
#[expect(unsafe_code, reason = "there is no safe way to ask the allocator")]
fn with_own_pages() -> usize {
    // SAFETY: `mallinfo2` has no arguments and returns integers.
    unsafe { libc::mallinfo2().hblks }
}

#[test]
fn a_column_of_a_batch_is_in_the_heap() {
    assert!(keep_pages());
    let before = with_own_pages();
    let column = black_box(vec![1_u64; 65_536]);
    assert_eq!(with_own_pages(), before);
    let large = black_box(vec![1_u64; 1 << 20]);
    assert_eq!(with_own_pages(), before + 1);
    drop((column, large));
}
