// SPDX-License-Identifier: BSD-3-Clause

//! Types of the standard library that own no block, and those that own one block of bytes.

use crate::{known_size, DmdSizeOf, Ops};
use std::cell::Cell;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::marker::{PhantomData, PhantomPinned};
use std::num::*;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::*;

known_size!(bool, char, (), str, OsStr, CStr, Path);
known_size!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);
known_size!(NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize);
known_size!(NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize);
known_size!(AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize);
known_size!(AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize);
known_size!(std::time::Duration, std::time::Instant, std::time::SystemTime);
known_size!(std::net::IpAddr, std::net::Ipv4Addr, std::net::Ipv6Addr);
known_size!(std::net::SocketAddr, std::net::SocketAddrV4, std::net::SocketAddrV6);
known_size!(std::any::TypeId, std::alloc::Layout, std::cmp::Ordering, std::ops::RangeFull);
known_size!(std::thread::ThreadId, std::fs::File, std::net::TcpStream, std::net::TcpListener);
known_size!(std::net::UdpSocket, std::sync::Once, std::process::ExitStatus, PhantomPinned);
known_size!(std::collections::hash_map::RandomState, std::convert::Infallible);

macro_rules! owns_nothing {
    ($([$($generic:tt)*] $type:ty;)+) => {$(
        impl<P, $($generic)*> DmdSizeOf<P> for $type {
            #[inline(always)]
            fn dmd_size_of(&self, _: &mut Ops) -> usize {
                0
            }
        }
    )+};
}

// What is borrowed belongs to somebody else. A copy of a value that can be copied owns nothing.
owns_nothing! {
    [T: ?Sized] &T;
    [T: ?Sized] &mut T;
    [T: ?Sized] PhantomData<T>;
    [T: Copy] Cell<T>;
    [T] AtomicPtr<T>;
    [R] fn() -> R;
    [A, R] fn(A) -> R;
    [A, B, R] fn(A, B) -> R;
    [A, B, C, R] fn(A, B, C) -> R;
}

/// A block of so many bytes. Without bytes there is no block.
#[inline(always)]
fn bytes(ops: &mut Ops, start: *const u8, capacity: usize) -> usize {
    if capacity == 0 {
        return 0;
    }
    unsafe { ops.block(start, capacity) }
}

impl<P> DmdSizeOf<P> for String {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        bytes(ops, self.as_ptr(), self.capacity())
    }
}

impl<P> DmdSizeOf<P> for OsString {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        bytes(ops, self.as_bytes().as_ptr(), self.capacity())
    }
}

impl<P> DmdSizeOf<P> for PathBuf {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        bytes(ops, self.as_os_str().as_bytes().as_ptr(), self.capacity())
    }
}

impl<P> DmdSizeOf<P> for CString {
    #[inline(always)]
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        bytes(ops, self.as_ptr().cast(), self.as_bytes_with_nul().len())
    }
}
