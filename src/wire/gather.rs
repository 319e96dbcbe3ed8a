//! Lists from iterators.

/// [`Iterator::collect`] into a list, in less code: the library's guesses how long the list gets, and has a form for each kind
/// of iterator, which is a quarter of a kilobyte for each use.
pub(crate) trait Gather: Iterator + Sized {
    fn gather(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        for item in self {
            list.push(item);
        }
        list
    }
}

impl<I: Iterator> Gather for I {}
