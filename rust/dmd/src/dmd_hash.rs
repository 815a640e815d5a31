// SPDX-License-Identifier: BSD-3-Clause

//! Hash tables.
//!
//! The table is one block: the entries, then one control byte for each, then some more. The map has
//! a pointer to the control bytes, which is in the middle of the block, and three numbers: the
//! number of entries less one, and two smaller ones. A map has no function that returns the pointer,
//! so that it is taken from the map's words.

use crate::containers::words_of;
use crate::{DmdSizeOf, Ops};
use std::collections::{HashMap, HashSet};
use std::mem::{align_of, size_of};

/// Extra control bytes behind the last one, as many as are compared at a time.
const GROUP: usize = if cfg!(target_feature = "sse2") { 16 } else { 8 };

/// The block of a table with this number of places, as the standard library lays it out.
fn estimate<E>(n_places: usize) -> usize {
    let align = align_of::<E>().max(GROUP);
    let entries = (n_places * size_of::<E>() + align - 1) / align * align;
    entries + n_places + GROUP
}

/// The table of a map or set: `map` is the whole object, `hasher` the part that belongs to the
/// hasher.
#[inline(always)]
fn table<M, S, E>(ops: &mut Ops, map: &M, hasher: &S) -> usize {
    let start = hasher as *const S as usize;
    let (control, mask) = unsafe { words_of(map, start..start + size_of::<S>()) };
    if mask == 0 {
        return 0;
    }
    ops.block_around(control as *const u8, estimate::<E>(mask + 1))
}

impl<K: DmdSizeOf<P>, V: DmdSizeOf<P>, S, P> DmdSizeOf<P> for HashMap<K, V, S> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let mut sum = table::<_, S, (K, V)>(ops, self, self.hasher());
        for (k, v) in self {
            sum += k.dmd_size_of(ops) + v.dmd_size_of(ops);
        }
        sum
    }
}

impl<T: DmdSizeOf<P>, S, P> DmdSizeOf<P> for HashSet<T, S> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let mut sum = table::<_, S, T>(ops, self, self.hasher());
        for x in self {
            sum += x.dmd_size_of(ops);
        }
        sum
    }
}
