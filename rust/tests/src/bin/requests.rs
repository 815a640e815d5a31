// SPDX-License-Identifier: BSD-3-Clause

//! Makes the requests that tests/native/programs/requests.c makes, and prints the answers.

#[inline(never)]
fn once_block() -> Vec<u8> {
    Vec::with_capacity(1000)
}

#[inline(never)]
fn twice_block() -> Vec<u8> {
    Vec::with_capacity(2000)
}

#[inline(never)]
fn dark_block() -> Vec<u8> {
    Vec::with_capacity(3000)
}

#[inline(never)]
fn tagged_block() -> Vec<u8> {
    Vec::with_capacity(4000)
}

fn say(what: &str, answer: usize) {
    eprintln!("{} {}", what, answer);
}

fn reports(once: &Vec<u8>, twice: &Vec<u8>) {
    let local = 0;
    let good = dmd::Reporter::begin("explicit/good");
    let size = good.claim(unsafe { dmd::report(once.as_ptr()) });
    say("size", (size == unsafe { dmd::usable_size(once.as_ptr()) } || dmd::is_running()) as usize);
    drop(good);
    let bad = dmd::Reporter::begin("explicit/bad");
    unsafe { dmd::report(twice.as_ptr()) };
    bad.claim(17);
    drop(bad);
    unsafe { dmd::report(twice.as_ptr()) };
    if dmd::is_running() {
        say("local", unsafe { dmd::report(&local) });
    }
    say("null", unsafe { dmd::report(std::ptr::null::<u8>()) });
    say("enclosing", (dmd::report_enclosing(once[0..0].as_ptr().wrapping_add(999)) >= 1000) as usize);
}

fn main() {
    let report = dmd::MemoryReport {
        process: "",
        path: "explicit/x",
        kind: dmd::Kind::Heap,
        units: dmd::Units::Bytes,
        amount: 42,
        description: "Some.",
    };
    say("running", dmd::version());
    let (once, twice, dark) = (once_block(), twice_block(), dark_block());
    let tag = dmd::Tag::push("tag");
    let tagged = tagged_block();
    drop(tag);
    say("bytes", (dmd::tag_bytes("tag") >= 4000) as usize);
    say("blocks", dmd::tag_blocks("tag"));
    reports(&once, &twice);
    say("published", dmd::memory_report(&report));
    dmd::mark("here");
    say("dump", dmd::dump("first"));
    dmd::clear_reports();
    say("dump", dmd::dump(&"second".repeat(1000)));
    drop((once, twice, dark, tagged));
}
