// SPDX-License-Identifier: BSD-3-Clause

//! Mistakes in measuring, and their correct twins: `faults NAME` and `faults NAME fixed`.

use dmd::{Conditional, DmdSizeOf, Ops, Reporter, Shared, Unconditional};
use std::sync::Arc;

struct Session {
    name: String,
    cookies: Vec<u8>,
    is_fixed: bool,
}

impl DmdSizeOf for Session {
    fn dmd_size_of(&self, ops: &mut Ops) -> usize {
        let cookies = if self.is_fixed { ops.size_of(&self.cookies) } else { 0 };
        ops.size_of(&self.name) + cookies
    }
}

/// A measuring function that leaves a field out.
fn forgotten_field(is_fixed: bool) {
    let session = Session { name: "a session".to_string(), cookies: vec![1; 500], is_fixed };
    Reporter::begin("explicit/sessions").measure(&session);
    dmd::dump("");
}

#[derive(DmdSizeOf)]
struct Window {
    #[dmd(ignore = "the cache measures its images")]
    image: Arc<Vec<u8>>,
    title: String,
}

/// A field is ignored because somebody else measures it, who does not.
fn ignored_field(is_fixed: bool) {
    let image = Arc::new(vec![1; 500]);
    let window = Window { image: image.clone(), title: "a window".to_string() };
    Reporter::begin("explicit/windows").measure(&window);
    if is_fixed {
        measure_as::<Unconditional, _>("explicit/cache", &image);
    }
    dmd::dump("");
    drop(window.image);
}

fn measure_as<P, T: DmdSizeOf<P>>(path: &str, value: &T) {
    let reporter = Reporter::begin(path);
    reporter.claim(value.dmd_size_of(&mut Ops::new()));
}

/// Two owners count one value.
fn arc_counted_twice(is_fixed: bool) {
    let image = Arc::new([1u8; 500]);
    let again = image.clone();
    if is_fixed {
        measure_as::<Shared, _>("explicit/one", &image);
        measure_as::<Shared, _>("explicit/two", &again);
    } else {
        measure_as::<Unconditional, _>("explicit/one", &image);
        measure_as::<Unconditional, _>("explicit/two", &again);
    }
    dmd::dump("");
}

/// One owner shares, the other does not.
fn arc_mixed(is_fixed: bool) {
    let image = Arc::new([1u8; 500]);
    measure_as::<Shared, _>("explicit/one", &image);
    if is_fixed {
        measure_as::<Shared, _>("explicit/two", &image);
    } else {
        measure_as::<Conditional, _>("explicit/two", &image);
    }
    dmd::dump("");
}

/// A reporter counts a shared value once for each of its owners.
fn arc_shared_again(is_fixed: bool) {
    let images = [Arc::new([1u8; 500])];
    let reporter = Reporter::begin("explicit/images");
    let mut ops = Ops::new();
    for _ in 0..2 {
        if !is_fixed {
            ops = Ops::new();
        }
        reporter.claim(DmdSizeOf::<Shared>::dmd_size_of(&images, &mut ops));
    }
    drop((reporter, ops));
    dmd::dump("");
}

/// The claim leaves out a part of what was measured.
fn wrong_claim(is_fixed: bool) {
    let (a, b) = (vec![1u8; 500], vec![1u8; 600]);
    let reporter = Reporter::begin("explicit/wrong");
    let size = dmd::size_of(&a);
    reporter.claim(if is_fixed { size + dmd::size_of(&b) } else { dmd::size_of(&b) });
    drop(reporter);
    dmd::dump("");
}

/// Two reporters measure one value.
fn measured_twice(is_fixed: bool) {
    let lines = vec!["a line".to_string()];
    Reporter::begin("explicit/one").measure(&lines);
    if !is_fixed {
        Reporter::begin("explicit/two").measure(&lines[0]);
    }
    dmd::dump("");
}

/// A reporter that never ends.
fn left_open(is_fixed: bool) {
    let text = "a text".to_string();
    let reporter = Reporter::begin("explicit/open");
    reporter.measure(&text);
    if is_fixed {
        drop(reporter);
    } else {
        std::mem::forget(reporter);
    }
    dmd::dump("");
}

/// A report of an address within a block.
fn interior(is_fixed: bool) {
    let bytes = vec![1u8; 500];
    let reporter = Reporter::begin("explicit/bytes");
    if is_fixed {
        reporter.measure(&bytes);
    } else {
        reporter.claim(unsafe { Ops::new().block(&bytes[8], 500) });
    }
    drop(reporter);
    dmd::dump("");
}

/// A report of a value that is on the stack.
fn on_stack(is_fixed: bool) {
    let value = Box::new([1u8; 500]);
    let local = [1u8; 500];
    let reporter = Reporter::begin("explicit/value");
    reporter.measure(&value);
    if !is_fixed {
        reporter.claim(unsafe { Ops::new().block(&local, 500) });
    }
    drop(reporter);
    dmd::dump("");
}

fn drop_it<T>(value: T) -> Option<T> {
    drop(value);
    None
}

/// A report of a block that was freed.
fn freed(is_fixed: bool) {
    let value = Box::new([1u8; 500]);
    let address: *const [u8; 500] = &*value;
    let kept = if is_fixed { Some(value) } else { drop_it(value) };
    let reporter = Reporter::begin("explicit/value");
    reporter.claim(unsafe { Ops::new().block(address, 500) });
    drop(reporter);
    dmd::dump("");
    drop(kept);
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let is_fixed = std::env::args().nth(2).is_some();
    let faults: [(&str, fn(bool)); 11] = [
        ("forgotten_field", forgotten_field),
        ("ignored_field", ignored_field),
        ("arc_counted_twice", arc_counted_twice),
        ("arc_mixed", arc_mixed),
        ("arc_shared_again", arc_shared_again),
        ("wrong_claim", wrong_claim),
        ("measured_twice", measured_twice),
        ("left_open", left_open),
        ("interior", interior),
        ("on_stack", on_stack),
        ("freed", freed),
    ];
    for (_, fault) in faults.iter().filter(|(each, _)| *each == name) {
        fault(is_fixed);
    }
}
