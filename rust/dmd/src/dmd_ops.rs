// SPDX-License-Identifier: BSD-3-Clause

//! How blocks are measured, and which shared values a walk has seen.

use crate::request::{ask, Request, UNANSWERED};
use crate::DmdSizeOf;
use std::collections::HashSet;

/// Measures the blocks that a walk through values finds, and remembers the shared values that it
/// has seen.
///
/// The set of these takes heap memory itself: drop the `Ops` before you call [`crate::dump`].
#[derive(Debug, Default)]
pub struct Ops {
    usable_size: Option<unsafe fn(*const u8) -> usize>,
    seen: HashSet<usize>,
    pub(crate) n_shared: usize, /* owners with several owners around what is being measured */
}

impl Ops {
    /// Without dmd, blocks have the size that was requested.
    pub fn new() -> Ops {
        Ops::default()
    }

    /// Without dmd, blocks have the size that this function of the allocator returns. For Rust's own
    /// allocator, `System`, that is [`crate::usable_size`].
    ///
    /// # Safety
    ///
    /// All values that these `Ops` measure have their blocks from the allocator of that function.
    pub unsafe fn with_usable_size(usable_size: unsafe fn(*const u8) -> usize) -> Ops {
        Ops { usable_size: Some(usable_size), ..Ops::default() }
    }

    /// What hangs off a value: the blocks that it owns, without the value itself.
    #[inline(always)]
    pub fn size_of<T: DmdSizeOf + ?Sized>(&mut self, value: &T) -> usize {
        value.dmd_size_of(self)
    }

    /// Measures the block that starts at `p`. `requested` is its size as it was requested.
    ///
    /// # Safety
    ///
    /// `p` is the start of a live heap block.
    #[inline(always)]
    pub unsafe fn block<T: ?Sized>(&mut self, p: *const T, requested: usize) -> usize {
        let request = if self.n_shared > 0 { Request::ReportShared } else { Request::Report };
        let size = ask(UNANSWERED, request, p.cast::<u8>() as usize, 0);
        match self.usable_size {
            _ if size != UNANSWERED => size,
            Some(usable_size) => unsafe { usable_size(p.cast()) },
            None => requested,
        }
    }

    /// Measures the block that contains the address `p`. `estimate` is its size without dmd.
    #[inline(always)]
    pub fn block_around<T: ?Sized>(&mut self, p: *const T, estimate: usize) -> usize {
        let is_shared = (self.n_shared > 0) as usize;
        let size = ask(0, Request::ReportEnclosing, p.cast::<u8>() as usize, is_shared);
        if size > 0 {
            size
        } else {
            estimate
        }
    }

    /// Whether this is the first call with this address.
    pub fn is_first<T: ?Sized>(&mut self, p: *const T) -> bool {
        self.seen.insert(p.cast::<u8>() as usize)
    }

    /// Reports all blocks that `measure` finds as blocks with several owners.
    #[inline(always)]
    pub fn shared<R>(&mut self, measure: impl FnOnce(&mut Ops) -> R) -> R {
        self.n_shared += 1;
        let result = measure(self);
        self.n_shared -= 1;
        result
    }
}
