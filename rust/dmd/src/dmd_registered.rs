// SPDX-License-Identifier: BSD-3-Clause

//! Reporters that are registered with the library dmd-reporters: they run when somebody asks, in
//! production too.

use crate::{Kind, Units};
use std::cell::Cell;
use std::ffi::CString;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int, c_longlong, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicI32, Ordering};

type Measure = unsafe extern "C" fn(call: *mut c_void, closure: *mut c_void);

#[link(name = "dmd-reporters")]
extern "C" {
    static dmd_reporters_wanted_: AtomicI32;
    fn dmd_reporters_answer_();
    fn dmd_reporters_before_dump_();
    fn dmd_reporters_register(
        measure: Measure,
        closure: *mut c_void,
        name: *const c_char,
        flags: c_int,
    ) -> c_int;
    fn dmd_reporters_unregister(id: c_int);
    fn dmd_reporters_report(
        call: *mut c_void,
        path: *const c_char,
        kind: c_int,
        units: c_int,
        amount: c_longlong,
        description: *const c_char,
    );
    fn dmd_reporters_is_anonymized(call: *const c_void) -> c_int;
    fn dmd_reporters_start(flags: c_int) -> c_int;
    fn dmd_reporters_stop();
}

const ANY_THREAD: c_int = 1;
const WITH_THREAD: c_int = 1;

/// The text up to its first NUL.
fn c_text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or("")).unwrap_or_default()
}

/// One collection, as a reporter sees it.
pub struct Collection {
    call: *mut c_void,
    of_this_thread: PhantomData<*const ()>,
}

impl Collection {
    /// Reports heap that was measured, such as `explicit/cookies`. `description` is a sentence, or
    /// empty.
    pub fn heap(&self, path: &str, bytes: usize, description: &str) {
        self.value(path, Kind::Heap, Units::Bytes, bytes as i64, description);
    }

    /// Reports a value. One that cannot be right, such as a count under explicit/, is refused, and
    /// counted.
    pub fn value(&self, path: &str, kind: Kind, units: Units, amount: i64, description: &str) {
        let (path, description) = (c_text(path), c_text(description));
        // The library copies the strings.
        unsafe {
            dmd_reporters_report(
                self.call,
                path.as_ptr(),
                kind as c_int,
                units as c_int,
                amount,
                description.as_ptr(),
            )
        }
    }

    /// Whether paths must not contain private strings, such as file names and URLs.
    pub fn is_anonymized(&self) -> bool {
        unsafe { dmd_reporters_is_anonymized(self.call) != 0 }
    }
}

type Function = Box<dyn FnMut(&Collection) + Send>;

thread_local! {
    /// The reporter that runs in this thread.
    static RUNNING: Cell<*const Function> = Cell::new(std::ptr::null());
}

unsafe extern "C" fn run(call: *mut c_void, closure: *mut c_void) {
    let function = closure as *mut Function;
    let collection = Collection { call, of_this_thread: PhantomData };
    RUNNING.with(|running| running.set(function));
    // The library runs one reporter at a time, and none after it was unregistered.
    let done = catch_unwind(AssertUnwindSafe(|| unsafe { (*function)(&collection) }));
    RUNNING.with(|running| running.set(std::ptr::null()));
    if done.is_err() {
        std::process::abort(); // C cannot unwind; the panic has printed its message
    }
}

/// A reporter that is registered for as long as this value lives.
///
/// It runs when `dmdv memory` asks the program, and before each dump under dmd. Its function may
/// allocate and measure. It must not panic: that aborts the program. Dropping waits for the end of
/// the function if it runs in another thread, so hold no lock then that the function takes.
#[must_use = "the reporter is unregistered when this value is dropped"]
pub struct RegisteredReporter {
    id: c_int,
    function: *mut Function,
}

// The function may be dropped in any thread.
unsafe impl Send for RegisteredReporter {}

impl RegisteredReporter {
    fn with(name: &str, flags: c_int, function: Function) -> Option<RegisteredReporter> {
        let function = Box::into_raw(Box::new(function));
        let name = c_text(name);
        let id = unsafe { dmd_reporters_register(run, function as *mut c_void, name.as_ptr(), flags) };
        let registered = RegisteredReporter { id, function };
        (id != 0).then_some(registered)
    }

    /// Registers a function that runs where the program calls [`poll_reporters`]. `name` is the path
    /// of its value, or what the paths of its values have in common. `None`: there are 1,024
    /// reporters already.
    pub fn new(name: &str, function: impl FnMut(&Collection) + Send + 'static) -> Option<RegisteredReporter> {
        RegisteredReporter::with(name, 0, Box::new(function))
    }

    /// Registers a function that may run in any thread at any time.
    pub fn in_any_thread(
        name: &str,
        function: impl FnMut(&Collection) + Send + 'static,
    ) -> Option<RegisteredReporter> {
        RegisteredReporter::with(name, ANY_THREAD, Box::new(function))
    }
}

impl Drop for RegisteredReporter {
    fn drop(&mut self) {
        unsafe { dmd_reporters_unregister(self.id) };
        // A function that drops its own reporter still runs: its memory stays.
        if RUNNING.with(|running| running.get() != self.function as *const Function) {
            drop(unsafe { Box::from_raw(self.function) });
        }
    }
}

/// Allows `dmdv memory` to ask this process: only the same user and root can. `with_thread`: a
/// thread of the library runs the reporters that may run in any thread. Takes the signal 59; an error
/// means that the program has a handler for it.
pub fn start_reporters(with_thread: bool) -> std::io::Result<()> {
    match unsafe { dmd_reporters_start(if with_thread { WITH_THREAD } else { 0 }) } {
        0 => Ok(()),
        number => Err(std::io::Error::from_raw_os_error(number)),
    }
}

/// Nobody can ask any more.
pub fn stop_reporters() {
    unsafe { dmd_reporters_stop() }
}

/// Runs the reporters for a dump, under dmd.
pub(crate) fn before_dump() {
    unsafe { dmd_reporters_before_dump_() }
}

/// Answers whoever asks. Call it in a loop, where the program holds no lock that a reporter takes. If
/// nobody asks, it is a load and a branch.
#[inline(always)]
pub fn poll_reporters() {
    if unsafe { dmd_reporters_wanted_.load(Ordering::Relaxed) } != 0 {
        unsafe { dmd_reporters_answer_() }
    }
}
