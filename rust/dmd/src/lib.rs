// SPDX-License-Identifier: BSD-3-Clause

//! Measures the memory of Rust values, and lets [dmd](https://github.com/dmd/dmd) check the
//! measuring.
//!
//! A program that publishes how much memory its parts use must know which value owns which heap
//! block. This crate knows it for the types of the standard library, and
//! `#[derive(DmdSizeOf)]` finds it out for yours. A field that nobody can measure does not compile,
//! so nobody adds a field and forgets it.
//!
//! ```
//! use dmd::DmdSizeOf;
//! use std::sync::Arc;
//!
//! #[derive(DmdSizeOf)]
//! struct Page {
//!     url: String,
//!     lines: Vec<String>,
//!     #[dmd(shared)]
//!     style: Arc<Vec<u8>>,
//!     #[dmd(ignore = "belongs to the window, which measures it")]
//!     window: *const u8,
//! }
//!
//! fn measure_pages(pages: &[Page]) -> usize {
//!     let reporter = dmd::Reporter::begin("explicit/pages");
//!     reporter.measure(pages)
//! }
//! ```
//!
//! In an ordinary run this only adds up sizes. Under dmd (`valgrind --tool=dmd ./program` or
//! `dmdv run --engine=native ./program`) it also reports each block, and after
//! [`dump`] dmd lists the blocks that nobody measured, those that were measured twice, and
//! reporters whose sums are wrong.
//!
//! # Sizes
//!
//! Under dmd a block has its usable size, which is what the allocator really provided. Elsewhere it
//! has the size that was requested, since the crate does not know the program's allocator. If you
//! do, pass its function to [`Ops::with_usable_size`]. The blocks of hash maps, trees, lists, ring
//! buffers, `Rc` and `Arc` can only be found by dmd. Elsewhere their size is computed from the layout
//! that the standard library uses.
//!
//! # Limits
//!
//! - Measuring recurses: a list of a million boxes within boxes needs a deep stack.
//! - A `BTreeMap` that became empty keeps one node, which is not found.
//! - A `RefCell` that is mutably borrowed at the moment is not measured.
//! - `Mutex` and `RwLock` are locked: do not measure them in a thread that holds the lock.
//! - Blocks that are owned by a closure or a thread-local are only found if some field leads there.

#![warn(missing_docs)]
#![warn(unsafe_op_in_unsafe_fn)]

// dmd recognises these files by their names, and shows stacks of reports from where the program called
// them.
#[path = "dmd_btree.rs"]
mod btree;
#[path = "dmd_containers.rs"]
mod containers;
#[path = "dmd_hash.rs"]
mod hash;
#[path = "dmd_leaves.rs"]
mod leaves;
#[path = "dmd_measure.rs"]
mod measure;
#[path = "dmd_ops.rs"]
mod ops;
#[cfg(feature = "registered")]
#[path = "dmd_registered.rs"]
mod registered;
#[path = "dmd_report.rs"]
mod report;
#[path = "dmd_request.rs"]
mod request;
#[path = "dmd_scope.rs"]
mod scope;
#[path = "dmd_shared.rs"]
mod shared;

#[doc(hidden)]
#[path = "dmd_derived.rs"]
pub mod derived;

#[cfg(feature = "derive")]
pub use dmd_macros::DmdSizeOf;

pub use measure::{size_of, Conditional, DmdSizeOf, Owned, Shared, Unconditional};
pub use ops::Ops;
#[cfg(feature = "registered")]
pub use registered::{poll_reporters, start_reporters, stop_reporters, Collection, RegisteredReporter};
pub use report::{
    clear_reports, dump, graph, is_running, mark, memory_report, report, report_enclosing,
    report_enclosing_shared, report_on_alloc, report_shared, tag_blocks, tag_bytes, unreport, usable_size,
    version, Kind, MemoryReport, Units,
};
pub use scope::{Handle, Joined, Reporter, Tag};
