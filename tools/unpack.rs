//! Puts the bytes of a module back in order that `tools/pack.mjs` has sorted. Compiled by itself into a WebAssembly of one kilobyte,
//! which a page runs once: JavaScript that runs for the first time would take ten times as long as it.
//!
//! Engines run it as their quickest compiler leaves it, so what most operations need stands in one loop: a call would take longer than
//! that.
//!
//! It checks nothing. The build compares what comes back with the module, so no other bytes than these are ever published.

#![no_std]

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

/// How many parts there are: what is no code, the operations, sizes, locals, and the kinds of immediates.
const PARTS: usize = 16;
const REST: usize = 0;
const OPERATIONS: usize = 1;
const SIZES: usize = 2;
const LOCALS: usize = 3;
/// Immediates that are rare.
const RARE: usize = 4;
const LABELS: usize = 6;
const ALIGNMENTS: usize = 11;
const OFFSETS: usize = 12;
/// Floats, vectors and lanes, byte by byte.
const BYTES: usize = 15;
/// In place of parts: what follows depends on the operation.
const OTHER: usize = BYTES;

/// The parts of each operation's immediates: up to two, four bits each.
static IMMEDIATES: [u8; 256] = {
    let mut all = [0; 256];
    let mut operation = 0;
    while operation < 256 {
        all[operation] = immediates(operation) as u8;
        operation += 1;
    }
    all
};

const fn immediates(operation: usize) -> usize {
    match operation {
        0x02..=0x04 => 5,
        0x0c | 0x0d => LABELS,
        0x10 => 7,
        0x11 => RARE << 4 | RARE,
        0x20 => 8,
        0x21 => 9,
        0x22 => 10,
        0x23..=0x26 | 0x3f | 0x40 | 0xd0 | 0xd2 => RARE,
        0x28..=0x3e => OFFSETS << 4 | ALIGNMENTS,
        0x41 => 13,
        0x42 => 14,
        0x0e | 0x1c | 0x43 | 0x44 | 0xfc | 0xfd => OTHER,
        _ => 0,
    }
}

/// Where the next byte of each part stands.
type Parts = [*const u8; PARTS];

/// Copies bytes of a part. Returns where the next one goes, as all of these do.
#[inline(never)]
unsafe fn bytes(parts: &mut Parts, part: usize, mut to: *mut u8, count: u32) -> *mut u8 {
    unsafe {
        let place = parts.get_unchecked_mut(part);
        let mut from = *place;
        for _ in 0..count {
            *to = *from;
            from = from.add(1);
            to = to.add(1);
        }
        *place = from;
        to
    }
}

/// Copies numbers of a part, seven bits a byte.
#[inline(never)]
unsafe fn numbers(parts: &mut Parts, part: usize, mut to: *mut u8, mut count: u32) -> *mut u8 {
    unsafe {
        let place = parts.get_unchecked_mut(part);
        let mut from = *place;
        while count > 0 {
            let byte = *from;
            *to = byte;
            from = from.add(1);
            to = to.add(1);
            if byte < 128 {
                count -= 1;
            }
        }
        *place = from;
        to
    }
}

/// The next number of a part, which stays there.
#[inline(never)]
unsafe fn next(parts: &Parts, part: usize) -> u32 {
    let (mut value, mut shift) = (0, 0);
    let mut place = unsafe { *parts.get_unchecked(part) };
    loop {
        let byte = unsafe { *place };
        place = unsafe { place.add(1) };
        value |= u32::from(byte & 127) << (shift & 31);
        shift += 7;
        if byte < 128 {
            return value;
        }
    }
}

/// Copies what follows an operation of which `IMMEDIATES` cannot say it.
#[inline(never)]
unsafe fn other(parts: &mut Parts, operation: u8, to: *mut u8) -> *mut u8 {
    unsafe {
        let part = match operation {
            0x43 => return bytes(parts, BYTES, to, 4),
            0x44 => return bytes(parts, BYTES, to, 8),
            0x0e => LABELS,
            _ => RARE,
        };
        let first = next(parts, part);
        let to = numbers(parts, part, to, 1);
        match operation {
            // A table of branches, and one more.
            0x0e => numbers(parts, LABELS, to, first + 1),
            // The types of what is selected.
            0x1c => numbers(parts, RARE, to, first),
            // Bulk memory and tables.
            0xfc => match first {
                0..=7 => to,
                8 | 10 | 12 | 14 => numbers(parts, RARE, to, 2),
                _ => numbers(parts, RARE, to, 1),
            },
            // Vectors: those of memory, constants, lanes.
            _ => {
                let mut to = to;
                if let 0..=11 | 84..=93 = first {
                    to = numbers(parts, ALIGNMENTS, to, 1);
                    to = numbers(parts, OFFSETS, to, 1);
                }
                match first {
                    12 | 13 => bytes(parts, BYTES, to, 16),
                    21..=34 | 84..=91 => bytes(parts, BYTES, to, 1),
                    _ => to,
                }
            }
        }
    }
}

/// Writes the module at `to`. At `from` stand, as numbers of 32 bits, how long the module is, how much comes before its code, how
/// many functions there are, and the lengths of the parts; then the parts.
///
/// # Safety
///
/// `from` must point to bytes that `tools/pack.mjs` made, and `to` to enough room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unpack(from: *const u32, to: *mut u8) {
    unsafe {
        let mut begin = from.add(3 + PARTS).cast::<u8>();
        let mut parts = [begin; PARTS];
        for (part, place) in parts.iter_mut().enumerate() {
            *place = begin;
            begin = begin.add(*from.add(3 + part) as usize);
        }
        let last = to.add(*from as usize);
        let mut to = bytes(&mut parts, REST, to, *from.add(1));
        let mut operations = parts[OPERATIONS];
        for _ in 0..*from.add(2) {
            let size = next(&parts, SIZES);
            to = numbers(&mut parts, SIZES, to, 1);
            let end = to.add(size as usize);
            let groups = next(&parts, LOCALS);
            to = numbers(&mut parts, LOCALS, to, 1 + 2 * groups);
            while to < end {
                let operation = *operations;
                operations = operations.add(1);
                *to = operation;
                to = to.add(1);
                let mut kinds = *IMMEDIATES.get_unchecked(operation as usize) as usize;
                if kinds == OTHER {
                    to = other(&mut parts, operation, to);
                    continue;
                }
                while kinds > 0 {
                    let place = parts.get_unchecked_mut(kinds & 15);
                    let mut from = *place;
                    loop {
                        let byte = *from;
                        from = from.add(1);
                        *to = byte;
                        to = to.add(1);
                        if byte < 128 {
                            break;
                        }
                    }
                    *place = from;
                    kinds >>= 4;
                }
            }
        }
        bytes(&mut parts, REST, to, last.offset_from(to) as u32);
    }
}
