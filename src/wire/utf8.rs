//! Bytes to text, split anywhere (WHATWG Encoding, UTF-8 decode).

use super::text::keep_private;

/// A streaming UTF-8 decoder. Malformed sequences become U+FFFD; a code point that is cut waits for its rest.
#[derive(Debug, Default)]
pub struct Utf8Decoder {
    /// The beginning of a code point.
    cut: Vec<u8>,
}

impl Utf8Decoder {
    /// Hands the text of `bytes` to `sink`, in as few pieces as it takes; one, without a copy, if nothing is odd.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut impl FnMut(&str)) {
        let joined;
        let rest = if self.cut.is_empty() {
            bytes
        } else {
            joined = [&std::mem::take(&mut self.cut), bytes].concat();
            &joined
        };
        // Valid text is decoded several times as fast. The other reader finds the place where it is malformed.
        match simdutf8::basic::from_utf8(rest) {
            Ok("") => {}
            Ok(text) => sink(&keep_private(text)),
            Err(_) => self.repair(rest, sink),
        }
    }

    /// Bytes that are not UTF-8 as a whole: malformed somewhere, or cut at their end.
    #[inline(never)]
    fn repair(&mut self, bytes: &[u8], sink: &mut dyn FnMut(&str)) {
        for chunk in bytes.utf8_chunks() {
            // Something else follows where the rest of a code point was missing.
            self.finish(sink);
            if !chunk.valid().is_empty() {
                sink(&keep_private(chunk.valid()));
            }
            self.cut.extend_from_slice(chunk.invalid());
            if std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_some()) {
                self.finish(sink);
            }
        }
    }

    /// The end of the stream: a code point that was never finished becomes U+FFFD.
    pub fn finish(&mut self, sink: &mut dyn FnMut(&str)) {
        if !std::mem::take(&mut self.cut).is_empty() {
            sink("\u{FFFD}");
        }
    }
}

/// Text that is here as a whole.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let (mut decoder, mut text) = (Utf8Decoder::default(), String::new());
    decoder.feed(bytes, &mut |piece| text.push_str(piece));
    decoder.finish(&mut |piece| text.push_str(piece));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(chunks: &[&[u8]]) -> String {
        let mut decoder = Utf8Decoder::default();
        let mut text = String::new();
        for chunk in chunks {
            decoder.feed(chunk, &mut |piece| text.push_str(piece));
        }
        decoder.finish(&mut |piece| text.push_str(piece));
        text
    }

    #[test]
    fn any_cut_gives_the_same_text() {
        let samples: [&[u8]; 4] =
            ["a€🙂\u{10FFFF}ש".as_bytes(), b"\xf0\x9f\x99", b"a\xff\xe2\x82b\xf0\x9f\x99\x80\x80", b"\xed\xa0\x80z"];
        for sample in samples {
            let whole = decode(&[sample]);
            assert_eq!(whole, keep_private(&String::from_utf8_lossy(sample)));
            assert_eq!(whole, super::decode(sample));
            for cut in 0..=sample.len() {
                let (a, b) = sample.split_at(cut);
                assert_eq!(decode(&[a, b]), whole, "{sample:x?} at {cut}");
            }
            let bytes: Vec<&[u8]> = sample.chunks(1).collect();
            assert_eq!(decode(&bytes), whole, "{sample:x?} byte by byte");
        }
    }
}
