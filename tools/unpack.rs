//! Puts the bytes of a module back in order that `tools/pack.mjs` has sorted. Compiled by itself into a WebAssembly of half a kilobyte,
//! which a page runs once: JavaScript that runs for the first time would take ten times as long as it.
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

/// The parts of an operation's immediates: up to two, four bits each.
fn immediates(operation: u8) -> usize {
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
        _ => 0,
    }
}

struct Unpacker {
    parts: [*const u8; PARTS],
    to: *mut u8,
}

impl Unpacker {
    unsafe fn byte(&mut self, part: usize) -> u8 {
        unsafe {
            let place = self.parts.get_unchecked_mut(part);
            let byte = **place;
            *place = place.add(1);
            *self.to = byte;
            self.to = self.to.add(1);
            byte
        }
    }

    unsafe fn bytes(&mut self, part: usize, count: u32) {
        for _ in 0..count {
            unsafe { self.byte(part) };
        }
    }

    /// A number, seven bits a byte.
    unsafe fn number(&mut self, part: usize) -> u32 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = unsafe { self.byte(part) };
            value |= u32::from(byte & 127) << (shift & 31);
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    }

    unsafe fn numbers(&mut self, part: usize, count: u32) {
        for _ in 0..count {
            unsafe { self.number(part) };
        }
    }

    unsafe fn operation(&mut self) {
        unsafe {
            let operation = self.byte(OPERATIONS);
            let mut parts = immediates(operation);
            while parts > 0 {
                self.number(parts & 15);
                parts >>= 4;
            }
            match operation {
                // A table of branches, and one more.
                0x0e => {
                    let labels = self.number(LABELS) + 1;
                    self.numbers(LABELS, labels);
                }
                // The types of what is selected.
                0x1c => {
                    let types = self.number(RARE);
                    self.numbers(RARE, types);
                }
                0x43 => self.bytes(BYTES, 4),
                0x44 => self.bytes(BYTES, 8),
                // Bulk memory and tables.
                0xfc => match self.number(RARE) {
                    0..=7 => {}
                    8 | 10 | 12 | 14 => self.numbers(RARE, 2),
                    _ => self.numbers(RARE, 1),
                },
                // Vectors: those of memory, constants, lanes.
                0xfd => {
                    let vector = self.number(RARE);
                    if let 0..=11 | 84..=93 = vector {
                        self.number(ALIGNMENTS);
                        self.number(OFFSETS);
                    }
                    match vector {
                        12 | 13 => self.bytes(BYTES, 16),
                        21..=34 | 84..=91 => self.bytes(BYTES, 1),
                        _ => {}
                    }
                }
                _ => {}
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
        let mut next = from.add(3 + PARTS).cast::<u8>();
        let mut parts = [next; PARTS];
        for (part, place) in parts.iter_mut().enumerate() {
            *place = next;
            next = next.add(*from.add(3 + part) as usize);
        }
        let mut unpacker = Unpacker { parts, to };
        unpacker.bytes(REST, *from.add(1));
        for _ in 0..*from.add(2) {
            let size = unpacker.number(SIZES);
            let end = unpacker.to.add(size as usize);
            let locals = unpacker.number(LOCALS);
            unpacker.numbers(LOCALS, 2 * locals);
            while unpacker.to < end {
                unpacker.operation();
            }
        }
        let left = to.add(*from as usize).offset_from(unpacker.to);
        unpacker.bytes(REST, left as u32);
    }
}
