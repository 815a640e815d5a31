// SPDX-License-Identifier: BSD-3-Clause

//! A program with a trait of its own for measuring, in the manner of Servo's malloc_size_of: a size
//! function, one for interior pointers, and one for pointers that were seen. dmd's requests are
//! these functions.

use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::sync::Arc;

type SizeFn = unsafe extern "C" fn(*const c_void) -> usize;

struct MallocSizeOfOps {
    size_of: SizeFn,
    enclosing_size_of: Option<SizeFn>,
    have_seen: Box<dyn FnMut(*const c_void) -> bool>,
}

trait MallocSizeOf {
    fn size_of(&self, ops: &mut MallocSizeOfOps) -> usize;
}

impl MallocSizeOf for String {
    fn size_of(&self, ops: &mut MallocSizeOfOps) -> usize {
        unsafe { (ops.size_of)(self.as_ptr().cast()) }
    }
}

impl<K, V: MallocSizeOf> MallocSizeOf for HashMap<K, V> {
    fn size_of(&self, ops: &mut MallocSizeOfOps) -> usize {
        let table = match (ops.enclosing_size_of, self.keys().next()) {
            (Some(enclosing), Some(key)) => unsafe { enclosing((key as *const K).cast()) },
            _ => 0,
        };
        table + self.values().map(|value| value.size_of(ops)).sum::<usize>()
    }
}

impl<T: MallocSizeOf> MallocSizeOf for Arc<T> {
    fn size_of(&self, ops: &mut MallocSizeOfOps) -> usize {
        let p: *const c_void = Arc::as_ptr(self).cast();
        if (ops.have_seen)(p) {
            return 0;
        }
        let block = ops.enclosing_size_of.map_or(0, |enclosing| unsafe { enclosing(p) });
        block + (**self).size_of(ops)
    }
}

unsafe extern "C" fn report(p: *const c_void) -> usize {
    unsafe { dmd::report(p) }
}

unsafe extern "C" fn report_enclosing(p: *const c_void) -> usize {
    dmd::report_enclosing(p)
}

fn main() {
    let text = Arc::new("shared".to_string());
    let map: HashMap<u32, Arc<String>> =
        (0..100).map(|i| (i, if i % 2 == 0 { text.clone() } else { Arc::new(i.to_string()) })).collect();
    let mut seen = HashSet::new();
    let mut ops = MallocSizeOfOps {
        size_of: report,
        enclosing_size_of: Some(report_enclosing),
        have_seen: Box::new(move |p| !seen.insert(p)),
    };
    let reporter = dmd::Reporter::begin("explicit/map");
    reporter.claim(map.size_of(&mut ops));
    drop(reporter);
    drop(ops);
    dmd::dump("map");
}
