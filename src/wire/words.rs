//! Sets of words, each a type. Rows have their numbers.

/// Makes a type of a set of words.
macro_rules! words {
    ($(#[$about:meta])* $visible:vis $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)] // The words say it.
        $visible enum $name { $($(#[$of])* $variant),* }

        #[allow(dead_code)] // Not all are read, or written by their names.
        impl $name {
            pub(crate) const WORDS: &'static [&'static str] = &[$($word),*];
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word.
            pub fn name(self) -> &'static str {
                Self::WORDS.get(self as usize).copied().unwrap_or_default()
            }

            pub(crate) fn numbered(number: u8) -> Option<Self> {
                Self::ALL.get(usize::from(number)).copied()
            }

            pub(crate) fn parse(word: &str) -> Option<Self> {
                Self::WORDS.iter().position(|known| *known == word).and_then(|at| Self::ALL.get(at).copied())
            }
        }
    };
}

pub(crate) use words;
