// SPDX-License-Identifier: BSD-3-Clause

//! Measures a value of each kind, with a reporter of its name, and prints the size.

#![allow(dead_code)] // nothing reads what is measured

use dmd::{Conditional, DmdSizeOf, Ops, Owned, Shared, Unconditional};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::*;
use std::ffi::{CString, OsString};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock, Weak};

fn text(i: usize) -> String {
    format!("text number {}", i)
}

fn texts(n: usize) -> impl Iterator<Item = String> {
    (0..n).map(text)
}

#[derive(DmdSizeOf)]
struct Generic<'a, T, const N: usize>
where
    T: Clone,
{
    values: [T; N],
    borrowed: &'a str,
    nothing: PhantomData<Vec<T>>,
    after: Option<Box<T>>,
}

#[derive(DmdSizeOf)]
struct Tuple<T>(String, pub(crate) Vec<T>, #[dmd(ignore = "the caller's")] *const T)
where
    T: DmdSizeOf;

#[derive(DmdSizeOf)]
struct Unit;

#[derive(DmdSizeOf)]
enum Kind {
    Nothing,
    Pair(String, Box<u64>),
    Named {
        name: String,
        #[dmd(with = "size_of_foreign")]
        foreign: std::vec::IntoIter<u8>,
    },
}

#[derive(DmdSizeOf)]
#[allow(dead_code)]
enum Never {}

fn size_of_foreign(bytes: &std::vec::IntoIter<u8>, ops: &mut Ops) -> usize {
    unsafe { ops.block(bytes.as_slice().as_ptr(), 300) }
}

#[derive(DmdSizeOf)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

trait Shape: DmdSizeOf {}

#[derive(DmdSizeOf)]
struct Polygon {
    points: Vec<(f32, f32)>,
}

impl Shape for Polygon {}

#[derive(DmdSizeOf)]
struct Sharer {
    #[dmd(conditional)]
    first: Arc<String>,
    #[dmd(conditional)]
    again: Option<Arc<String>>,
    #[dmd(conditional)]
    gone: Weak<[u8; 500]>,
    #[dmd(unconditional)]
    only: Rc<Vec<String>>,
}

struct Measuring {
    values: Vec<Box<dyn std::any::Any>>,
}

impl Measuring {
    /// Measures a value for the reporter `name`, and keeps it until the dump.
    fn case_with<P, T: DmdSizeOf<P> + 'static>(&mut self, name: &str, value: T) {
        let value = Box::new(value);
        let reporter = dmd::Reporter::begin(&format!("explicit/{}", name));
        let size = value.dmd_size_of(&mut Ops::new());
        println!("{} {}", name, reporter.claim(size));
        drop(reporter);
        self.values.push(value);
    }

    fn case<T: DmdSizeOf + 'static>(&mut self, name: &str, value: T) {
        self.case_with::<Owned, T>(name, value);
    }
}

fn emptied_map() -> HashMap<u32, u64> {
    let mut map: HashMap<u32, u64> = (0..50).map(|i| (i, 1)).collect();
    (0..50).for_each(|i| drop(map.remove(&i)));
    map
}

fn turned_deque() -> VecDeque<String> {
    let mut deque: VecDeque<String> = texts(10).collect();
    (0..5).for_each(|_| drop(deque.pop_front()));
    deque.extend(texts(7));
    deque
}

fn thinned_tree() -> BTreeMap<u32, String> {
    let mut tree: BTreeMap<u32, String> = texts(3000).enumerate().map(|(i, t)| (i as u32, t)).collect();
    (0..3000).filter(|i| i % 3 != 0).for_each(|i| drop(tree.remove(&i)));
    tree
}

fn simple(m: &mut Measuring) {
    m.case("box", Box::new(1u32));
    m.case("box_of_nothing", Box::new(()));
    m.case("box_of_slice", vec![1u16; 77].into_boxed_slice());
    m.case("box_of_str", String::from("some text").into_boxed_str());
    m.case("box_of_trait", Box::new(Polygon { points: vec![(1.0, 2.0); 9] }) as Box<dyn Shape>);
    m.case("pinned_box", Box::pin(text(1)));
    m.case("vec", Vec::<u64>::with_capacity(33));
    m.case("vec_of_vecs", vec![vec![1u8, 2, 3], Vec::new(), vec![4]]);
    m.case("vec_of_nothing", vec![(), ()]);
    m.case("string", text(2));
    m.case("os_string", OsString::from("os"));
    m.case("path", PathBuf::from("/a/path"));
    m.case("c_string", CString::new("see").unwrap());
    m.case("option", (Some(text(3)), None::<String>));
    m.case("result", [Ok(text(4)), Err(Box::new(1u8))]);
    m.case("cow", [Cow::Borrowed("borrowed"), Cow::Owned(text(5))]);
    m.case("array", [text(6), text(7)]);
    m.case(
        "tuple",
        (1u8, text(8), 'c', vec![1u8], (), 2u64, 3i8, text(9), 1.5f32, true, Box::new(1), [0u8; 3]),
    );
    m.case("range", text(10)..text(11));
    m.case("cells", (Cell::new(1), RefCell::new(text(12))));
    m.case("mutex", (Mutex::new(text(13)), RwLock::new(vec![text(14)])));
    m.case("overaligned", Box::new(Overaligned([1; 64])));
}

#[repr(align(64))]
struct Overaligned([u8; 64]);
dmd::known_size!(Overaligned);

fn collections(m: &mut Measuring) {
    m.case("deque", turned_deque());
    m.case("deque_without_elements", VecDeque::<u64>::with_capacity(100));
    m.case("list", texts(9).collect::<LinkedList<_>>());
    m.case("list_of_nothing", [(), ()].into_iter().collect::<LinkedList<_>>());
    m.case("heap", texts(20).collect::<BinaryHeap<_>>());
    m.case("heap_without_elements", BinaryHeap::<u32>::with_capacity(20));
    m.case("map", texts(100).map(|t| (t.clone(), t)).collect::<HashMap<_, _>>());
    m.case("map_of_three", [(1u8, 2u8), (2, 3), (3, 4)].into_iter().collect::<HashMap<_, _>>());
    m.case("map_of_seven", (0..7u64).map(|i| (i, [i; 5])).collect::<HashMap<_, _>>());
    m.case("map_emptied", emptied_map());
    m.case("map_empty", HashMap::<String, String>::new());
    m.case("set", texts(30).collect::<HashSet<_>>());
    m.case("set_of_nothing", [()].into_iter().collect::<HashSet<_>>());
    m.case("tree", texts(1000).enumerate().collect::<BTreeMap<_, _>>());
    m.case("tree_of_one", [(1u8, text(15))].into_iter().collect::<BTreeMap<_, _>>());
    m.case("tree_thinned", thinned_tree());
    m.case("tree_of_large", (0..500u32).map(|i| (i, [1u64; 20])).collect::<BTreeMap<_, _>>());
    m.case("tree_set", (0..20000u16).collect::<BTreeSet<_>>());
    m.case("tree_empty", BTreeMap::<u8, u8>::new());
}

fn shared(m: &mut Measuring) {
    let (one, two) = (Arc::new(text(16)), Rc::new(Unit));
    m.case_with::<Unconditional, _>("arc", Arc::new([7u8; 100]));
    m.case_with::<Conditional, _>("arc_conditional", vec![one.clone(), one.clone(), one]);
    m.case_with::<Conditional, _>("rc_of_nothing", (two.clone(), Some(two)));
    m.case_with::<Shared, _>("arc_of_slice", Arc::<[u16]>::from(vec![1u16; 9]));
    m.case_with::<Shared, _>("rc_of_str", [Rc::<str>::from("abc")]);
    m.case_with::<Unconditional, _>("rc_overaligned", Rc::new(Overaligned([2; 64])));
    m.case_with::<Shared, _>(
        "map_of_arcs",
        (0..9).map(|i| (text(i), Arc::new(i))).collect::<HashMap<_, _>>(),
    );
    let gone = Arc::new([1; 500]);
    let first = Arc::new(text(17));
    let sharer = Sharer {
        again: Some(first.clone()),
        first,
        gone: Arc::downgrade(&gone),
        only: Rc::new(texts(3).collect()),
    };
    drop(gone);
    m.case("sharer", sharer);
}

fn derived(m: &mut Measuring) {
    m.case(
        "generic",
        Generic {
            values: [text(18), text(19)],
            borrowed: "x",
            nothing: PhantomData,
            after: Some(Box::new(text(20))),
        },
    );
    m.case("tuple_struct", Tuple(text(21), vec![1u64; 3], std::ptr::null()));
    m.case("unit_struct", Unit);
    let named = Kind::Named { name: text(23), foreign: vec![1u8; 300].into_iter() };
    m.case("enum", vec![Kind::Nothing, Kind::Pair(text(22), Box::new(1)), named]);
    let leaf = |i| Tree { name: text(i), children: Vec::new() };
    m.case("recursive", Tree { name: text(24), children: vec![leaf(1), leaf(2)] });
    m.case("pinned_and_boxed", vec![Some(Pin::new(Box::new(text(25))))]);
}

fn main() {
    let mut m = Measuring { values: Vec::with_capacity(100) };
    simple(&mut m);
    collections(&mut m);
    shared(&mut m);
    derived(&mut m);
    dmd::dump("containers");
    drop(m.values);
}
