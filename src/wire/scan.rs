//! The inner loops for deltas: the search for bytes that a JSON string has to escape, and comparisons.
//!
//! Written out, because the module is built for size: rustc then neither vectorises nor unrolls loops, `memchr` pays for
//! its set-up on the dozen bytes that a delta has, and WebAssembly's `memcmp` goes byte by byte.

use block::{block, differing, is_zero, others, specials};

/// Where the first quote, backslash or control character is, or the length.
pub(super) fn special(bytes: &[u8]) -> usize {
    first::<0>(bytes)
}

/// The same, or where the first byte `OR` is.
pub(super) fn special_or<const OR: u8>(bytes: &[u8]) -> usize {
    first::<OR>(bytes)
}

/// How many bytes are not ASCII.
pub(super) fn non_ascii(bytes: &[u8]) -> usize {
    let (blocks, rest) = bytes.as_chunks::<16>();
    let count = |count, bytes: &[u8; 16]| count + others(block(bytes)).count_ones() as usize;
    blocks.iter().fold(rest.iter().filter(|byte| !byte.is_ascii()).count(), count)
}

/// Where the first of them is, or the length.
pub(super) fn first_non_ascii(bytes: &[u8]) -> usize {
    let mut at = 0;
    for bytes in bytes.as_chunks::<16>().0 {
        let found = others(block(bytes));
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += 16;
    }
    at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii()).count()
}

/// `OR` 0 is a control character, so it adds nothing.
fn first<const OR: u8>(bytes: &[u8]) -> usize {
    let mut at = 0;
    for bytes in bytes.as_chunks::<16>().0 {
        let found = specials::<OR>(block(bytes));
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += 16;
    }
    // The last sixteen once more: in those that come twice is nothing.
    if let Some(last) = bytes.last_chunk::<16>() {
        let found = specials::<OR>(block(last));
        return if found == 0 { bytes.len() } else { bytes.len() - 16 + found.trailing_zeros() as usize };
    }
    let is = |byte: u8| byte == b'"' || byte == b'\\' || byte < 0x20 || byte == OR;
    bytes.iter().position(|&byte| is(byte)).unwrap_or(bytes.len())
}

/// How many digits the bytes begin with; at most sixteen are counted.
pub(super) fn digits(bytes: &[u8]) -> usize {
    match bytes.first_chunk() {
        Some(bytes) => block::digits(block(bytes)).trailing_ones() as usize,
        None => bytes.iter().take_while(|byte| byte.is_ascii_digit()).count(),
    }
}

/// Whether two texts are the same. For ids, of which one usually is the same as the last one.
#[inline(never)]
pub(crate) fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    while let (Some((x, more)), Some((y, others))) = (a.split_first_chunk::<8>(), b.split_first_chunk::<8>()) {
        if u64::from_le_bytes(*x) != u64::from_le_bytes(*y) {
            return false;
        }
        (a, b) = (more, others);
    }
    a == b
}

/// Whether `bytes` begin with `start`, of any length. Looks at all of it: nearly always they do.
#[inline(always)]
pub(super) fn starts_with(bytes: &[u8], start: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..start.len()) else { return false };
    // The last sixteen once more.
    let (Some(last), Some(other)) = (bytes.last_chunk::<16>(), start.last_chunk::<16>()) else { return bytes == start };
    let blocks = bytes.as_chunks::<16>().0.iter().zip(start.as_chunks::<16>().0);
    let mut found = differing(block(last), block(other), block(&[0; 16]));
    for (a, b) in blocks {
        found = differing(block(a), block(b), found);
    }
    is_zero(found)
}

/// The same of a text with a known length of 4 to 32. Whatever the length is, words that overlap cover it.
#[inline(always)]
pub(super) fn same_literal<const N: usize>(a: &[u8; N], b: &[u8; N]) -> bool {
    if N < 8 {
        return half(a, 0) == half(b, 0) && half(a, N - 4) == half(b, N - 4);
    }
    word(a, 0) == word(b, 0)
        && (N < 16 || word(a, 8) == word(b, 8))
        && (N < 24 || word(a, 16) == word(b, 16))
        && word(a, N - 8) == word(b, N - 8)
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[inline(always)]
fn half(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Sixteen bytes at once.
#[cfg(target_arch = "wasm32")]
mod block {
    use std::arch::wasm32::*;

    #[inline(always)]
    pub fn block(bytes: &[u8; 16]) -> v128 {
        let whole = u128::from_le_bytes(*bytes);
        u64x2(whole as u64, (whole >> 64) as u64)
    }

    /// The bits that differ, and those that did.
    #[inline(always)]
    pub fn differing(a: v128, b: v128, others: v128) -> v128 {
        v128_or(v128_xor(a, b), others)
    }

    #[inline(always)]
    pub fn is_zero(block: v128) -> bool {
        !v128_any_true(block)
    }

    /// A bit for each.
    #[inline(always)]
    pub fn specials<const OR: u8>(block: v128) -> u32 {
        let quotes = v128_or(u8x16_eq(block, u8x16_splat(b'"')), u8x16_eq(block, u8x16_splat(b'\\')));
        let others = v128_or(u8x16_lt(block, u8x16_splat(0x20)), u8x16_eq(block, u8x16_splat(OR)));
        u32::from(u8x16_bitmask(v128_or(quotes, others)))
    }

    /// A bit for each that is not ASCII.
    #[inline(always)]
    pub fn others(block: v128) -> u32 {
        u32::from(u8x16_bitmask(block))
    }

    /// A bit for each digit.
    #[inline(always)]
    pub fn digits(block: v128) -> u32 {
        u32::from(u8x16_bitmask(u8x16_lt(u8x16_sub(block, u8x16_splat(b'0')), u8x16_splat(10))))
    }
}

/// The same with what every processor has.
#[cfg(not(target_arch = "wasm32"))]
mod block {
    pub fn block(bytes: &[u8; 16]) -> u128 {
        u128::from_le_bytes(*bytes)
    }

    pub fn differing(a: u128, b: u128, others: u128) -> u128 {
        (a ^ b) | others
    }

    pub fn is_zero(block: u128) -> bool {
        block == 0
    }

    pub fn specials<const OR: u8>(block: u128) -> u32 {
        let quotes = zeros(block ^ each(b'"')) | zeros(block ^ each(b'\\'));
        high_bits(quotes | zeros(block & each(!0x1F)) | zeros(block ^ each(OR)))
    }

    pub fn others(block: u128) -> u32 {
        high_bits(block & each(0x80))
    }

    pub fn digits(block: u128) -> u32 {
        let value = block ^ each(b'0');
        high_bits(zeros(value & each(!7)) | zeros((value & each(!1)) ^ each(8)))
    }

    const fn each(byte: u8) -> u128 {
        u128::from_le_bytes([byte; 16])
    }

    /// The high bit of each byte that is zero.
    fn zeros(block: u128) -> u128 {
        !(((block & each(0x7F)) + each(0x7F)) | block | each(0x7F))
    }

    /// The high bits side by side; no other bit may be set.
    fn high_bits(block: u128) -> u32 {
        let half = |half: u64| (half >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        (half(block as u64) | half((block >> 64) as u64) << 8) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_counted_up_to_sixteen() {
        for length in 0..20 {
            for end in ["", ":", "/", "x, and what comes next", "\u{FC}"] {
                let text = "9".repeat(length) + end;
                assert_eq!(digits(text.as_bytes()), if text.len() < 16 { length } else { length.min(16) }, "{text}");
            }
        }
    }

    #[test]
    fn the_first_of_them_is_found_wherever_it_stands() {
        for length in 0..70 {
            let plain = vec![0xF3; length];
            assert_eq!(special(&plain), length);
            for at in 0..length {
                for byte in [b'"', b'\\', 0, 0x1F, 0xF4] {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    bytes[length - 1] = b'"';
                    let first = if byte == 0xF4 && at < length - 1 { length - 1 } else { at };
                    assert_eq!(special(&bytes), first);
                    assert_eq!(special_or::<0xF4>(&bytes), at);
                    let others = |byte: &u8| !byte.is_ascii();
                    assert_eq!(non_ascii(&bytes), bytes.iter().copied().filter(|byte| others(byte)).count());
                    let ascii: Vec<u8> = bytes.iter().map(|&b| if b == 0xF3 { b'a' } else { b }).collect();
                    assert_eq!(first_non_ascii(&ascii), ascii.iter().position(others).unwrap_or(length));
                }
            }
        }
    }
}
