// SPDX-License-Identifier: BSD-3-Clause

//! Scopes of a thread: reporters and tags. Guards end them. A guard belongs to its thread and to the
//! function that made it: do not hold one across an `await`.

use crate::request::{ask, CText, Request};
use crate::{DmdSizeOf, Ops};
use std::cell::Cell;
use std::marker::PhantomData;

/// Keeps a guard in its thread.
type OfThisThread = PhantomData<*const ()>;

const EXCLUSIVE: usize = 1;
const ABANDONED: usize = 1;

/// A reporter, open until this guard is dropped. Reports that the thread makes in between carry its
/// path, and its claim, which is what it measured by its own count, is compared with them. If a
/// panic drops it, the claim is not checked.
#[must_use = "the reporter ends when its guard is dropped"]
pub struct Reporter {
    depth: usize, /* identifies it if inner ones were left open */
    claimed: Cell<usize>,
    was_panicking: bool,
    of_this_thread: OfThisThread,
}

impl Reporter {
    #[inline(always)]
    fn with(path: &str, flags: usize) -> Reporter {
        Reporter {
            depth: ask(0, Request::ReporterBegin, CText::new(path).address(), flags),
            claimed: Cell::new(0),
            was_panicking: std::thread::panicking(),
            of_this_thread: PhantomData,
        }
    }

    /// Opens a reporter, such as `explicit/cookies`.
    #[inline(always)]
    pub fn begin(path: &str) -> Reporter {
        Reporter::with(path, 0)
    }

    /// Opens a reporter whose claim leaves out what reporters within it measure.
    #[inline(always)]
    pub fn begin_exclusive(path: &str) -> Reporter {
        Reporter::with(path, EXCLUSIVE)
    }

    /// Adds to the claim, and returns its argument.
    #[inline(always)]
    pub fn claim(&self, size: usize) -> usize {
        self.claimed.set(self.claimed.get().wrapping_add(size));
        size
    }

    /// Measures what hangs off a value, and claims it. A value with several owners counts once in
    /// each call.
    #[inline(always)]
    pub fn measure<T: DmdSizeOf + ?Sized>(&self, value: &T) -> usize {
        self.measure_with(&mut Ops::new(), value)
    }

    /// Like [`Reporter::measure`], with `ops` that several calls use: a value with several owners
    /// then counts once in all of them.
    #[inline(always)]
    pub fn measure_with<T: DmdSizeOf + ?Sized>(&self, ops: &mut Ops, value: &T) -> usize {
        self.claim(value.dmd_size_of(ops))
    }

    /// A handle of this thread's innermost reporter, by which other threads join it.
    #[inline(always)]
    pub fn handle(&self) -> Handle {
        Handle(ask(0, Request::ReporterHandle, 0, 0))
    }
}

impl Drop for Reporter {
    #[inline(always)]
    fn drop(&mut self) {
        let is_abandoned = !self.was_panicking && std::thread::panicking();
        let how = self.depth * 2 + if is_abandoned { ABANDONED } else { 0 };
        ask(0, Request::ReporterEnd, self.claimed.get(), how);
    }
}

/// A reporter, for threads that measure for it.
#[derive(Clone, Copy, Debug)]
pub struct Handle(usize);

impl Handle {
    /// Until the guard is dropped, this thread's reports belong to the reporter.
    #[inline(always)]
    pub fn join(self) -> Joined {
        ask(0, Request::ReporterJoin, self.0, 0);
        Joined { of_this_thread: PhantomData }
    }
}

/// A thread's part in another thread's reporter.
#[must_use = "the thread leaves the reporter when the guard is dropped"]
pub struct Joined {
    of_this_thread: OfThisThread,
}

impl Drop for Joined {
    #[inline(always)]
    fn drop(&mut self) {
        let _ = self.of_this_thread;
        ask(0, Request::ReporterLeave, 0, 0);
    }
}

/// Tags the blocks that the thread allocates until this guard is dropped.
#[must_use = "the tag is removed when its guard is dropped"]
pub struct Tag {
    depth: usize,
    of_this_thread: OfThisThread,
}

impl Tag {
    /// Pushes a tag.
    #[inline(always)]
    pub fn push(name: &str) -> Tag {
        Tag { depth: ask(0, Request::TagPush, CText::new(name).address(), 0), of_this_thread: PhantomData }
    }
}

impl Drop for Tag {
    #[inline(always)]
    fn drop(&mut self) {
        let _ = self.of_this_thread;
        ask(0, Request::TagPop, self.depth, 0);
    }
}
