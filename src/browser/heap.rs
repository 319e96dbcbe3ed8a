//! The module's memory. Rust's own allocator for WebAssembly weighs 2.5 kB (gzip), and this one half a kilobyte: what is freed
//! says how long it is, so no block has a header.
//!
//! Blocks up to 256 kB come in sizes with four steps to each power of two, so at most a fifth of one stays unused. A freed block
//! waits in the list of its size. Longer blocks are whole pages: free ones next to each other become one, and the last one
//! grows in its place with the memory, as the text of a long answer does.

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::{memory_grow, memory_size};
use std::cell::UnsafeCell;
use std::ptr::null_mut;

#[global_allocator]
static HEAP: Heap = Heap(UnsafeCell::new(Blocks { free: [null_mut(); CLASSES], next: 0, end: 0, runs: null_mut() }));

const PAGE: usize = 1 << 16;
/// Sizes up to four pages.
const CLASSES: usize = 56;

struct Heap(UnsafeCell<Blocks>);

// SAFETY: the module has one thread.
unsafe impl Sync for Heap {}

struct Blocks {
    /// The free blocks of each size.
    free: [*mut Free; CLASSES],
    /// From here to `end` nothing was given out yet.
    next: usize,
    end: usize,
    /// Free pages, by address.
    runs: *mut Free,
}

struct Free {
    next: *mut Free,
    /// For runs of pages.
    len: usize,
}

/// The class that holds more than `len` bytes up to the next step, and the step's logarithm.
fn class(len: usize) -> (usize, u32) {
    // Steps of at least 8 bytes: what is aligned to that stays so.
    let step = (len | 32).ilog2() - 2;
    (((step as usize - 3) << 2) + (len >> step), step)
}

fn pages(len: usize) -> usize {
    (len + PAGE - 1) & !(PAGE - 1)
}

impl Blocks {
    fn take(&mut self, len: usize) -> usize {
        let (class, step) = class(len - 1);
        let Some(free) = self.free.get_mut(class) else { return self.take_pages(pages(len)) };
        let block = *free;
        if !block.is_null() {
            *free = unsafe { (*block).next };
            return block as usize;
        }
        self.cut((((len - 1) >> step) + 1) << step)
    }

    #[inline(never)]
    fn cut(&mut self, len: usize) -> usize {
        if self.end - self.next < len {
            let more = pages(len);
            let at = self.take_pages(more);
            if at == 0 {
                return 0;
            }
            if at != self.end {
                // The rest of the page is split into free blocks.
                while self.next != self.end {
                    let len = self.end - self.next;
                    let (class, step) = class(len);
                    self.put(class - 1, self.next);
                    self.next += len >> step << step;
                }
                self.next = at;
            }
            self.end = at + more;
        }
        let at = self.next;
        self.next += len;
        at
    }

    fn put(&mut self, class: usize, at: usize) {
        if let Some(free) = self.free.get_mut(class) {
            let block = at as *mut Free;
            unsafe { (*block).next = *free };
            *free = block;
        }
    }

    fn give(&mut self, at: usize, len: usize) {
        let (class, _) = class(len - 1);
        if class < CLASSES { self.put(class, at) } else { self.give_pages(at, pages(len)) }
    }

    #[inline(never)]
    fn take_pages(&mut self, len: usize) -> usize {
        let mut link = &raw mut self.runs;
        unsafe {
            while !(*link).is_null() {
                let run = *link;
                if (*run).len >= len {
                    (*run).len -= len;
                    if (*run).len == 0 {
                        *link = (*run).next;
                    }
                    return run as usize + (*run).len;
                }
                link = &raw mut (*run).next;
            }
        }
        let at = memory_grow::<0>(len / PAGE);
        if at == usize::MAX { 0 } else { at * PAGE }
    }

    #[inline(never)]
    fn give_pages(&mut self, at: usize, len: usize) {
        let new = at as *mut Free;
        let mut before = null_mut::<Free>();
        let mut link = &raw mut self.runs;
        unsafe {
            while !(*link).is_null() && *link < new {
                before = *link;
                link = &raw mut (*before).next;
            }
            *new = Free { next: *link, len };
            *link = new;
            Self::join(new);
            if !before.is_null() {
                Self::join(before);
            }
        }
    }

    /// A run that ends where the next begins becomes one with it.
    unsafe fn join(run: *mut Free) {
        unsafe {
            let next = (*run).next;
            if run as usize + (*run).len == next as usize {
                (*run).len += (*next).len;
                (*run).next = (*next).next;
            }
        }
    }

    /// Makes a block longer in its place, if it ends where the memory does.
    #[inline(never)]
    fn grow(at: usize, len: usize, more: usize) -> bool {
        at + len == memory_size::<0>() * PAGE && memory_grow::<0>(more / PAGE) != usize::MAX
    }
}

unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Nothing in the module is aligned to more.
        if layout.align() > 8 {
            return null_mut();
        }
        unsafe { (*self.0.get()).take(layout.size()) as *mut u8 }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { (*self.0.get()).give(at as usize, layout.size()) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        let (old, _) = class(layout.size() - 1);
        let (new, _) = class(len - 1);
        if old < CLASSES {
            if old == new {
                return at;
            }
        } else if new >= CLASSES {
            let (before, after) = (pages(layout.size()), pages(len));
            if before == after || before < after && Blocks::grow(at as usize, before, after - before) {
                return at;
            }
        }
        unsafe {
            let to = self.alloc(Layout::from_size_align_unchecked(len, layout.align()));
            if !to.is_null() {
                to.copy_from_nonoverlapping(at, len.min(layout.size()));
                self.dealloc(at, layout);
            }
            to
        }
    }
}
