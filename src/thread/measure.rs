//! How large a thread is.

use super::Thread;
use super::entry::Entry;
use super::limit::LimitExceeded;
use crate::document::Call;

/// The rough size of a list's element beside its texts.
const ELEMENT: usize = 200;

/// The fewest bytes that add an element to a list, in any framing.
const LEAST: usize = 4;

impl Thread {
    /// Measures its messages and calls, and what runs report beside them. The run is to end where their bytes are more than
    /// `bytes`, or the elements of one list more than `items`. Returns how many bytes may come before it is measured again.
    pub(crate) fn measure(&mut self, bytes: usize, items: usize) -> usize {
        let size = self.list.iter().map(size).sum::<usize>() + self.report.size(ELEMENT);
        if size > bytes {
            self.exceed(LimitExceeded { code: "thread-too-large", option: "limits.threadBytes", limit: bytes });
        }
        let (messages, calls) =
            self.list.iter().fold((0, 0), |(messages, calls), entry| (messages + 1, calls + entry.calls.len()));
        let longest = self.report.longest().max(messages).max(calls);
        if longest > items {
            self.exceed(LimitExceeded { code: "thread-too-large", option: "limits.items", limit: items });
        }
        room(bytes, size).min(room(items, longest).saturating_mul(LEAST))
    }
}

/// A thread that is nearly full is not measured again for each byte.
fn room(limit: usize, taken: usize) -> usize {
    limit.saturating_sub(taken).max(limit / 64)
}

fn size(entry: &Entry) -> usize {
    let call = |call: &Call| ELEMENT + call.row.bytes();
    ELEMENT + entry.row.bytes() + entry.calls.iter().map(call).sum::<usize>()
}
