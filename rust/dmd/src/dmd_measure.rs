// SPDX-License-Identifier: BSD-3-Clause

//! The trait.

use crate::Ops;

/// How a type is measured.
///
/// Usually `#[derive(DmdSizeOf)]` implements it. By hand, for a type with blocks of its own:
///
/// ```
/// use dmd::{DmdSizeOf, Ops};
///
/// struct Buffer {
///     start: *mut u8, // from the global allocator
///     size: usize,
/// }
///
/// impl DmdSizeOf for Buffer {
///     fn dmd_size_of(&self, ops: &mut Ops) -> usize {
///         unsafe { ops.block(self.start, self.size) }
///     }
/// }
/// ```
///
/// `P` says how values with several owners (`Rc`, `Arc`, expired `Weak`) count that are part of the
/// type. [`Owned`], the default, has no implementation for them, so that nobody counts one several
/// times by accident: choose [`Conditional`], [`Unconditional`] or [`Shared`], in a field by an
/// attribute, such as `#[dmd(shared)]`. Containers pass it on to their elements. Types that derive
/// the trait have chosen it for their fields and ignore it.
#[cfg_attr(
    dmd_has_diagnostics,
    diagnostic::on_unimplemented(
        message = "dmd cannot measure `{Self}`",
        label = "nothing says which heap blocks a `{Self}` owns",
        note = "for a type of yours: write `#[derive(DmdSizeOf)]` above it, or `dmd::known_size!({Self});` if it owns no heap block",
        note = "for an `Rc` or `Arc`: choose `#[dmd(shared)]`, `#[dmd(conditional)]` or `#[dmd(unconditional)]` for the field",
        note = "for a type of another crate: write `#[dmd(with = \"function\")]` at the field, or `#[dmd(ignore = \"why it is not measured\")]`"
    )
)]
pub trait DmdSizeOf<P = Owned> {
    /// Measures what hangs off the value: all blocks that it owns, without its own bytes.
    fn dmd_size_of(&self, ops: &mut Ops) -> usize;
}

/// Values with several owners cannot be measured.
#[derive(Debug)]
pub enum Owned {}

/// A value with several owners counts when the `Ops` meet it first.
#[derive(Debug)]
pub enum Conditional {}

/// A value with several owners counts wherever it is. Only one of its owners may do so.
#[derive(Debug)]
pub enum Unconditional {}

/// Each reporter counts the whole value once, and dmd credits it with its share: every owner must
/// measure it so.
#[derive(Debug)]
pub enum Shared {}

/// Measures what hangs off a value: all blocks that it owns, without its own bytes.
#[inline(always)]
pub fn size_of<T: DmdSizeOf + ?Sized>(value: &T) -> usize {
    value.dmd_size_of(&mut Ops::new())
}

/// Says that values of these types, which are the program's own, own no heap block.
///
/// ```
/// struct Colour(u32);
/// dmd::known_size!(Colour);
/// ```
#[macro_export]
macro_rules! known_size {
    ($($type:ty),+ $(,)?) => {$(
        impl<P> $crate::DmdSizeOf<P> for $type {
            #[inline(always)]
            fn dmd_size_of(&self, _: &mut $crate::Ops) -> usize {
                0
            }
        }
    )+};
}
