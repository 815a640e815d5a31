// SPDX-License-Identifier: BSD-3-Clause

//! The requests of dmd.h that stand alone. Each is inlined, so that the stack of a report begins in
//! the function that asked for it.

use crate::request::{ask, CText, Request, UNANSWERED};
use std::os::raw::{c_char, c_int, c_longlong};

/// The version of the requests that the running dmd supports; 0 elsewhere.
#[inline(always)]
pub fn version() -> usize {
    ask(0, Request::Running, 0, 0)
}

/// Whether the program runs under dmd.
#[inline(always)]
pub fn is_running() -> bool {
    version() > 0
}

/// The usable size of the block that starts at `p`, by the C library's allocator; 0 for null, and on
/// systems that cannot tell.
///
/// # Safety
///
/// `p` is null or the start of a live block of the C library's allocator. That is where Rust's
/// `System` allocator, which is the default, gets its memory.
pub unsafe fn usable_size<T: ?Sized>(p: *const T) -> usize {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    extern "C" {
        fn malloc_usable_size(p: *const u8) -> usize;
    }
    #[cfg(any(target_os = "macos", target_os = "ios"))]
    extern "C" {
        #[link_name = "malloc_size"]
        fn malloc_usable_size(p: *const u8) -> usize;
    }
    #[cfg(not(any(
        target_os = "linux",
        target_os = "android",
        target_os = "freebsd",
        target_os = "macos",
        target_os = "ios"
    )))]
    unsafe fn malloc_usable_size(_: *const u8) -> usize {
        0
    }
    if p.cast::<u8>().is_null() {
        return 0;
    }
    unsafe { malloc_usable_size(p.cast()) }
}

/// A request that returns a size. If nobody answers, the size comes from the allocator.
#[inline(always)]
unsafe fn measure<T: ?Sized>(request: Request, p: *const T) -> usize {
    let size = ask(UNANSWERED, request, p.cast::<u8>() as usize, 0);
    if size == UNANSWERED {
        unsafe { usable_size(p) }
    } else {
        size
    }
}

/// Measures the block that starts at `p` and reports it until the next dump or clear. Returns the
/// usable size, under dmd 0 if no block starts there.
///
/// # Safety
///
/// As for [`usable_size`], unless dmd is running, which takes any address and lists a wrong one.
#[inline(always)]
pub unsafe fn report<T: ?Sized>(p: *const T) -> usize {
    unsafe { measure(Request::Report, p) }
}

/// Like [`report`], but until [`unreport`] or until the block is freed: for allocators that count.
///
/// # Safety
///
/// As for [`report`].
#[inline(always)]
pub unsafe fn report_on_alloc<T: ?Sized>(p: *const T) -> usize {
    unsafe { measure(Request::ReportOnAlloc, p) }
}

/// Like [`report`], for a block with several owners: each reports it so, and is credited with its
/// share.
///
/// # Safety
///
/// As for [`report`].
#[inline(always)]
pub unsafe fn report_shared<T: ?Sized>(p: *const T) -> usize {
    unsafe { measure(Request::ReportShared, p) }
}

/// Withdraws all reports of the block that starts at `p`, and returns its usable size.
///
/// # Safety
///
/// As for [`report`].
#[inline(always)]
pub unsafe fn unreport<T: ?Sized>(p: *const T) -> usize {
    unsafe { measure(Request::Unreport, p) }
}

/// Reports the block that contains the address `p`. Returns its usable size; 0 if `p` is in no
/// block, and always without dmd.
#[inline(always)]
pub fn report_enclosing<T: ?Sized>(p: *const T) -> usize {
    ask(0, Request::ReportEnclosing, p.cast::<u8>() as usize, 0)
}

/// Like [`report_enclosing`], for a block with several owners.
#[inline(always)]
pub fn report_enclosing_shared<T: ?Sized>(p: *const T) -> usize {
    ask(0, Request::ReportEnclosing, p.cast::<u8>() as usize, 1)
}

/// Forgets all reports except those on allocation, and all memory reports.
#[inline(always)]
pub fn clear_reports() {
    ask(0, Request::ClearReports, 0, 0);
}

/// Analyses all live blocks, writes the result with this label, and clears the reports. Returns the
/// number of the dump, 0 if it was not written. Registered reporters run before.
#[inline(always)]
pub fn dump(label: &str) -> usize {
    #[cfg(feature = "registered")]
    crate::registered::before_dump();
    ask(0, Request::Dump, CText::new(label).address(), 0)
}

/// Writes the heap graph: all live blocks and the pointers between them. Returns its number among
/// the dumps, 0 if it was not written.
#[inline(always)]
pub fn graph(label: &str) -> usize {
    ask(0, Request::Graph, CText::new(label).address(), 0)
}

/// Marks this moment in the timeline.
#[inline(always)]
pub fn mark(text: &str) {
    ask(0, Request::Mark, CText::new(text).address(), 0);
}

/// The usable bytes of all live blocks with this tag; 0 without dmd.
#[inline(always)]
pub fn tag_bytes(name: &str) -> usize {
    ask(0, Request::TagBytes, CText::new(name).address(), 0)
}

/// The number of live blocks with this tag; 0 without dmd.
#[inline(always)]
pub fn tag_blocks(name: &str) -> usize {
    ask(0, Request::TagBlocks, CText::new(name).address(), 0)
}

/// What the bytes of a memory report are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Kind {
    /// Memory outside of the heap.
    NonHeap,
    /// Heap blocks.
    Heap,
    /// Anything that is no part of the explicit tree.
    Other,
}

/// The units of a memory report's amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Units {
    /// Bytes.
    Bytes,
    /// A number of things.
    Count,
    /// A number that only grows.
    CountCumulative,
    /// Hundredths of a per cent.
    Percentage,
}

/// A value that the program publishes with the next dump.
#[derive(Clone, Copy, Debug)]
pub struct MemoryReport<'a> {
    /// The process, empty for this one.
    pub process: &'a str,
    /// For example `explicit/cookies/disk-cache`.
    pub path: &'a str,
    /// What the bytes are.
    pub kind: Kind,
    /// The units of the amount.
    pub units: Units,
    /// The value.
    pub amount: i64,
    /// A sentence, or nothing.
    pub description: &'a str,
}

/// struct dmd_memory_report.
#[repr(C)]
struct CMemoryReport {
    process: *const c_char,
    path: *const c_char,
    kind: c_int,
    units: c_int,
    amount: c_longlong,
    description: *const c_char,
}

/// Publishes a value. Returns how many memory reports the next dump has so far; 0 without dmd.
#[inline(always)]
pub fn memory_report(report: &MemoryReport) -> usize {
    let process = CText::new(report.process);
    let path = CText::new(report.path);
    let description = CText::new(report.description);
    let value = CMemoryReport {
        process: process.address() as *const c_char,
        path: path.address() as *const c_char,
        kind: report.kind as c_int,
        units: report.units as c_int,
        amount: report.amount,
        description: description.address() as *const c_char,
    };
    ask(0, Request::MemoryReport, &value as *const CMemoryReport as usize, 0)
}
