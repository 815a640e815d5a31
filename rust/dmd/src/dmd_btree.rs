// SPDX-License-Identifier: BSD-3-Clause

//! B-trees. All that a map hands out are its keys and values, in order; they lie in the nodes.
//!
//! The keys of a node are an array. So a key belongs to a known node if it follows that node's last
//! key in memory; otherwise it is the first key of another node. All leaves are at the same depth:
//! between two keys of an inner node lies a whole subtree.

use crate::{DmdSizeOf, Ops};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::{size_of, MaybeUninit};

/// Entries of a full node.
const CAPACITY: usize = 11;

/// Nodes as the standard library lays them out.
#[allow(dead_code)]
struct Leaf<K, V> {
    parent: usize,
    parent_index: u16,
    n: u16,
    keys: [MaybeUninit<K>; CAPACITY],
    values: [MaybeUninit<V>; CAPACITY],
}

#[allow(dead_code)]
#[repr(C)]
struct Inner<K, V> {
    leaf: Leaf<K, V>,
    children: [usize; CAPACITY + 1],
}

/// A tree of this height has more entries than there can be.
const MAX_HEIGHT: usize = 32;

/// Follows the keys of a tree in order.
struct Walk {
    next: [usize; MAX_HEIGHT], /* by height: where the next key of the node there will be; 0: none */
    key_size: usize,
}

impl Walk {
    fn new(key_size: usize) -> Walk {
        Walk { next: [0; MAX_HEIGHT], key_size }
    }

    /// The height of a key's node, and whether it is the first key of that node.
    fn see(&mut self, key: usize) -> (usize, bool) {
        let known = self.next.iter().position(|&next| next == key && key != 0);
        let new = || self.next.iter().position(|&next| next == 0).unwrap_or(MAX_HEIGHT - 1);
        let height = known.unwrap_or_else(new);
        self.next[..height].fill(0);
        self.next[height] = key + self.key_size;
        (height, known.is_none())
    }
}

/// The nodes of a tree.
#[inline(always)]
fn nodes<'a, K: 'a, V>(ops: &mut Ops, keys: impl Iterator<Item = &'a K>) -> usize {
    let mut walk = Walk::new(size_of::<K>());
    let mut sum = 0;
    for key in keys {
        let (height, is_first) = walk.see(key as *const K as usize);
        if is_first {
            let is_leaf = height == 0;
            let size = if is_leaf { size_of::<Leaf<K, V>>() } else { size_of::<Inner<K, V>>() };
            sum += ops.block_around(key, size);
        }
    }
    sum
}

impl<K: DmdSizeOf<P>, V: DmdSizeOf<P>, P> DmdSizeOf<P> for BTreeMap<K, V> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let mut sum = nodes::<K, V>(ops, self.keys());
        for (k, v) in self {
            sum += k.dmd_size_of(ops) + v.dmd_size_of(ops);
        }
        sum
    }
}

impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for BTreeSet<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let mut sum = nodes::<T, ()>(ops, self.iter());
        for x in self {
            sum += x.dmd_size_of(ops);
        }
        sum
    }
}
