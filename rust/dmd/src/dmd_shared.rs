// SPDX-License-Identifier: BSD-3-Clause

//! Values with several owners: `Rc`, `Arc`, and the blocks that expired `Weak` pointers keep.

use crate::{Conditional, DmdSizeOf, Ops, Shared, Unconditional};
use std::alloc::Layout;
use std::{rc, sync};

/// The block of a value behind two counters. The address before the value is in it even if the value
/// has no size.
#[inline(always)]
fn counted_block<T: ?Sized>(ops: &mut Ops, value: *const T, layout: Layout) -> usize {
    let size = Layout::new::<[usize; 2]>().extend(layout).map_or(0, |(all, _)| all.pad_to_align().size());
    ops.block_around(value.cast::<u8>().wrapping_sub(1), size)
}

/// The block of a value, and what hangs off the value.
#[inline(always)]
fn counted<T: DmdSizeOf + ?Sized>(ops: &mut Ops, value: &T) -> usize {
    counted_block(ops, value, Layout::for_value(value)) + value.dmd_size_of(ops)
}

macro_rules! pointers {
    ($($module:ident $pointer:ident;)+) => {$(
        impl<T: DmdSizeOf + ?Sized> DmdSizeOf<Unconditional> for $module::$pointer<T> {
            #[inline(always)]
            fn dmd_size_of(&self, ops: &mut Ops) -> usize {
                counted::<T>(ops, self)
            }
        }

        impl<T: DmdSizeOf + ?Sized> DmdSizeOf<Conditional> for $module::$pointer<T> {
            #[inline(always)]
            fn dmd_size_of(&self, ops: &mut Ops) -> usize {
                if ops.is_first($module::$pointer::as_ptr(self)) {
                    counted::<T>(ops, self)
                } else {
                    0
                }
            }
        }

        impl<T: DmdSizeOf + ?Sized> DmdSizeOf<Shared> for $module::$pointer<T> {
            #[inline(always)]
            fn dmd_size_of(&self, ops: &mut Ops) -> usize {
                if ops.is_first($module::$pointer::as_ptr(self)) {
                    ops.n_shared += 1;
                    let size = counted::<T>(ops, self);
                    ops.n_shared -= 1;
                    size
                } else {
                    0
                }
            }
        }

        // Counts only if the value is gone. Otherwise its owners count it.
        impl<T> DmdSizeOf<Conditional> for $module::Weak<T> {
            #[inline(always)]
            fn dmd_size_of(&self, ops: &mut Ops) -> usize {
                if self.strong_count() > 0 || self.ptr_eq(&$module::Weak::new()) || !ops.is_first(self.as_ptr()) {
                    return 0;
                }
                counted_block(ops, self.as_ptr(), Layout::new::<T>())
            }
        }

        impl<T> DmdSizeOf<Shared> for $module::Weak<T> {
            #[inline(always)]
            fn dmd_size_of(&self, ops: &mut Ops) -> usize {
                ops.n_shared += 1;
                let size = DmdSizeOf::<Conditional>::dmd_size_of(self, ops);
                ops.n_shared -= 1;
                size
            }
        }
    )+};
}

pointers! {
    rc Rc;
    sync Arc;
}
