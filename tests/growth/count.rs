//! Counters.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Instructions, allocated bytes, bytes of patches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts(pub [u64; 3]);

impl Counts {
    pub const INSTRUCTIONS: usize = 0;
    pub const ALLOCATED: usize = 1;
    pub const PATCHES: usize = 2;
    pub const NAMES: [&str; 3] = ["instructions", "bytes allocated", "bytes of patches"];

    /// From what callgrind writes, without what moves the elements of a list: that one inserts in front is allowed.
    pub fn instructions(dump: &str) -> Self {
        let (mut count, mut moves, mut called) = (0, false, false);
        for line in dump.lines() {
            if let Some(function) = line.strip_prefix("fn=") {
                moves = function.contains("memmove") || function.contains("memcpy");
            } else if line.starts_with("calls=") {
                // The next line has what the called function took, which is counted there.
                called = true;
            } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
                let own: u64 = line.rsplit(' ').next().unwrap().parse().unwrap();
                if !std::mem::take(&mut called) && !moves {
                    count += own;
                }
            }
        }
        Self([count, 0, 0])
    }
}

struct Counting;

thread_local! {
    /// Of this thread, because the tests of a file run side by side.
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

/// Bytes that this thread has allocated so far. What is freed is not taken off: it took its time.
pub fn allocated() -> u64 {
    ALLOCATED.with(Cell::get)
}

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATED.try_with(|allocated| allocated.set(allocated.get() + layout.size() as u64));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = ALLOCATED.try_with(|allocated| allocated.set(allocated.get() + size as u64));
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The measured code runs in here: valgrind finds it by its name.
#[unsafe(no_mangle)]
#[inline(never)]
pub fn growth_measured(work: &mut dyn FnMut()) {
    work();
}
