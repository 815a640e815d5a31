// SPDX-License-Identifier: BSD-3-Clause

//! Registered reporters: one of each kind of thread, one that forgets a value, and one that is gone.
//! Dumps, says so, and answers until its standard input ends.

use dmd::{DmdSizeOf, Kind, RegisteredReporter, Units};
use std::io::Read;
use std::sync::{Arc, Mutex};

#[derive(DmdSizeOf)]
struct Shelf {
    titles: Vec<String>,
}

fn shelf(n: usize) -> Shelf {
    Shelf { titles: (0..n).map(|i| format!("title number {}", i)).collect() }
}

fn main() {
    let books = Arc::new(Mutex::new(shelf(100)));
    let films = shelf(30);
    let measured = books.clone();
    let _books = RegisteredReporter::in_any_thread("explicit/books", move |call| {
        let size = dmd::size_of(&*measured.lock().unwrap());
        call.heap("explicit/books", size, "The books.");
        call.value("books", Kind::Other, Units::Count, 100, "");
    });
    let _films = RegisteredReporter::new("explicit/films", move |call| {
        let size = dmd::size_of(&films);
        call.heap("explicit/films", size + 1000, "The films, and 1,000 bytes that nobody has.");
    });
    drop(RegisteredReporter::new("explicit/gone", |call| call.heap("explicit/gone", 1, "")));
    dmd::start_reporters(true).unwrap();
    dmd::dump("rust");
    println!("ready");
    let reader = std::thread::spawn(|| std::io::stdin().read_to_end(&mut Vec::new()));
    while !reader.is_finished() {
        dmd::poll_reporters();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let size = dmd::size_of(&*books.lock().unwrap());
    println!("{}", size);
}
