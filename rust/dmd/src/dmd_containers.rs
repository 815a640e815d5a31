// SPDX-License-Identifier: BSD-3-Clause

//! Types of the standard library that hold values of other types.

use crate::{DmdSizeOf, Ops};
use std::borrow::Cow;
use std::cell::{RefCell, UnsafeCell};
use std::collections::{BinaryHeap, LinkedList, VecDeque};
use std::mem::{size_of, size_of_val, ManuallyDrop};
use std::num::Wrapping;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError, RwLock};

/// The largest word of a value that consists of a pointer to a block and of numbers, outside of its
/// part `except`: the pointer.
pub(crate) unsafe fn words_of<T>(value: &T, except: std::ops::Range<usize>) -> (usize, usize) {
    let word = size_of::<usize>();
    let start = value as *const T as usize;
    let (mut largest, mut second) = (0, 0);
    for at in (start..start + size_of::<T>() / word * word).step_by(word) {
        if at < except.end && at + word > except.start {
            continue;
        }
        let this = unsafe { (at as *const usize).read_volatile() };
        if this > largest {
            second = std::mem::replace(&mut largest, this);
        } else if this > second {
            second = this;
        }
    }
    (largest, second)
}

impl<T: DmdSizeOf<P> + ?Sized, P> DmdSizeOf<P> for Box<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let size = size_of_val::<T>(self);
        let block = if size > 0 { unsafe { ops.block::<T>(&**self, size) } } else { 0 };
        block + (**self).dmd_size_of(ops)
    }
}

impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for [T] {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let mut sum = 0;
        for x in self {
            sum += x.dmd_size_of(ops);
        }
        sum
    }
}

impl<T: DmdSizeOf<P>, P, const N: usize> DmdSizeOf<P> for [T; N] {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        self[..].dmd_size_of(ops)
    }
}

/// The array of a container with room for so many elements, in which `p` lies.
#[inline(always)]
fn array_around<T>(ops: &mut Ops, p: *const u8, capacity: usize) -> usize {
    let size = capacity * size_of::<T>();
    if size > 0 {
        ops.block_around(p, size)
    } else {
        0
    }
}

impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for Vec<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let size = self.capacity() * size_of::<T>();
        let array = if size > 0 { unsafe { ops.block(self.as_ptr(), size) } } else { 0 };
        array + self[..].dmd_size_of(ops)
    }
}

impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for VecDeque<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let (start, _) = unsafe { words_of(self, 0..0) };
        // Before Rust 1.67 one place more than can be used.
        let n_places = self.capacity() + cfg!(dmd_deque_has_gap) as usize;
        let mut sum = array_around::<T>(ops, start as *const u8, n_places);
        for x in self {
            sum += x.dmd_size_of(ops);
        }
        sum
    }
}

impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for BinaryHeap<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let (start, _) = unsafe { words_of(self, 0..0) };
        let mut sum = array_around::<T>(ops, start as *const u8, self.capacity());
        for x in self {
            sum += x.dmd_size_of(ops);
        }
        sum
    }
}

impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for LinkedList<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        /// A node as the standard library lays it out.
        #[allow(dead_code)]
        struct Node<T>(usize, usize, T);
        let mut sum = 0;
        for x in self {
            sum += ops.block_around(x, size_of::<Node<T>>()) + x.dmd_size_of(ops);
        }
        sum
    }
}

impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for Option<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        match self {
            Some(x) => x.dmd_size_of(ops),
            None => 0,
        }
    }
}

impl<T: DmdSizeOf<P>, E: DmdSizeOf<P>, P> DmdSizeOf<P> for Result<T, E> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        match self {
            Ok(x) => x.dmd_size_of(ops),
            Err(x) => x.dmd_size_of(ops),
        }
    }
}

impl<B: ToOwned + ?Sized, P> DmdSizeOf<P> for Cow<'_, B>
where
    B::Owned: DmdSizeOf<P>,
{
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        match self {
            Cow::Borrowed(_) => 0,
            Cow::Owned(x) => x.dmd_size_of(ops),
        }
    }
}

impl<T: DmdSizeOf<P> + ?Sized, P> DmdSizeOf<P> for Pin<Box<T>> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let value: &T = self;
        let size = size_of_val(value);
        let block = if size > 0 { unsafe { ops.block::<T>(value, size) } } else { 0 };
        block + value.dmd_size_of(ops)
    }
}

impl<T: DmdSizeOf<P> + ?Sized, P> DmdSizeOf<P> for ManuallyDrop<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        (**self).dmd_size_of(ops)
    }
}

impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for Wrapping<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        self.0.dmd_size_of(ops)
    }
}

impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for RefCell<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        match self.try_borrow() {
            Ok(x) => x.dmd_size_of(ops),
            Err(_) => 0,
        }
    }
}

impl<T: Copy, P> DmdSizeOf<P> for UnsafeCell<T> {
    #[inline(always)]
    fn dmd_size_of(&self, _: &mut Ops) -> usize {
        0
    }
}

impl<T: DmdSizeOf<P> + ?Sized, P> DmdSizeOf<P> for Mutex<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        self.lock().unwrap_or_else(PoisonError::into_inner).dmd_size_of(ops)
    }
}

impl<T: DmdSizeOf<P> + ?Sized, P> DmdSizeOf<P> for RwLock<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        self.read().unwrap_or_else(PoisonError::into_inner).dmd_size_of(ops)
    }
}

#[cfg(dmd_has_once_cell)]
impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for std::cell::OnceCell<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        match self.get() {
            Some(x) => x.dmd_size_of(ops),
            None => 0,
        }
    }
}

#[cfg(dmd_has_once_cell)]
impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for std::sync::OnceLock<T> {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        match self.get() {
            Some(x) => x.dmd_size_of(ops),
            None => 0,
        }
    }
}

macro_rules! ranges {
    ($($range:ident: $($field:ident)+;)+) => {$(
        impl<T: DmdSizeOf<P>, P> DmdSizeOf<P> for std::ops::$range<T> {
            #[inline(always)]
            fn dmd_size_of(&self, ops: &mut Ops) -> usize {
                0 $(+ self.$field.dmd_size_of(ops))+
            }
        }
    )+};
}

ranges! {
    Range: start end;
    RangeFrom: start;
    RangeTo: end;
    RangeToInclusive: end;
}

macro_rules! tuples {
    ($($name:ident $index:tt)+) => {
        impl<$($name: DmdSizeOf<P>,)+ P> DmdSizeOf<P> for ($($name,)+) {
            #[inline(always)]
            fn dmd_size_of(&self, ops: &mut Ops) -> usize {
                0 $(+ self.$index.dmd_size_of(ops))+
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0 B 1);
tuples!(A 0 B 1 C 2);
tuples!(A 0 B 1 C 2 D 3);
tuples!(A 0 B 1 C 2 D 3 E 4);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
