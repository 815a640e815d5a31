// SPDX-License-Identifier: BSD-3-Clause

//! How a request reaches dmd: the same two ways as in dmd.h, under which the numbers are an ABI.
//!
//! Under Valgrind a request is a sequence of instructions without effect, which Valgrind
//! recognises. dmd's native engine, a preloaded library, stores a function in the variable
//! `dmd_slot_` of each program and library, which it finds by an ELF note.

/// The numbers of dmd.h.
#[allow(dead_code)]
#[derive(Clone, Copy)]
#[repr(usize)]
pub(crate) enum Request {
    Running = 0x444d_0000,
    Report,
    ReportOnAlloc,
    Unreport,
    ClearReports,
    Dump,
    ReporterBegin,
    ReporterEnd,
    TagPush,
    TagPop,
    ReportNamed,
    ReportShared,
    SetTag,
    ClearTag,
    TagBytes,
    TagBlocks,
    MemoryReport,
    ReporterHandle,
    ReporterJoin,
    ReporterLeave,
    Graph,
    Mark,
    ReportEnclosing,
    ReportMapped,
}

/// What a request that measures returns if nobody answers. dmd never returns it.
pub(crate) const UNANSWERED: usize = usize::MAX;

#[cfg(all(
    not(feature = "off"),
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod asked {
    use super::Request;
    use std::arch::{asm, global_asm};

    type Answer = unsafe extern "C" fn(usize, usize, usize, usize, usize) -> usize;

    // The variable and the note of dmd.h. Weak and hidden, like those: code in C in the same program
    // then shares the variable.
    global_asm!(
        ".pushsection .data.rel.dmd_slot_,\"aw\"",
        ".balign 8",
        ".weak dmd_answer_request_",
        ".weak dmd_slot_",
        ".hidden dmd_slot_",
        ".type dmd_slot_, %object",
        ".size dmd_slot_, 8",
        "dmd_slot_:",
        ".8byte dmd_answer_request_",
        ".popsection",
        ".pushsection .note.dmd,\"a\",%note",
        ".balign 4",
        ".4byte 4, 4, 1",
        ".asciz \"DMD\"",
        ".4byte dmd_slot_ - .",
        ".popsection",
    );

    extern "C" {
        static dmd_slot_: Option<Answer>;
    }

    #[inline(always)]
    fn answer() -> Option<Answer> {
        // The engine changes the variable once, while the program is being loaded.
        unsafe { std::ptr::addr_of!(dmd_slot_).read_volatile() }
    }

    #[inline(always)]
    pub(crate) fn ask(default: usize, request: Request, arg1: usize, arg2: usize) -> usize {
        if let Some(answer) = answer() {
            return unsafe { answer(default, request as usize, arg1, arg2, 0) };
        }
        let args = [request as usize, arg1, arg2, 0, 0, 0];
        let mut result = default;
        #[cfg(target_arch = "x86_64")]
        unsafe {
            asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") args.as_ptr(),
                inout("rdx") result,
                options(nostack),
            );
        }
        #[cfg(target_arch = "aarch64")]
        unsafe {
            asm!(
                "ror x12, x12, #3",
                "ror x12, x12, #13",
                "ror x12, x12, #51",
                "ror x12, x12, #61",
                "orr x10, x10, x10",
                in("x4") args.as_ptr(),
                inout("x3") result,
                options(nostack),
            );
        }
        result
    }
}

#[cfg(not(all(
    not(feature = "off"),
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
mod asked {
    use super::Request;

    #[inline(always)]
    pub(crate) fn ask(default: usize, _: Request, _: usize, _: usize) -> usize {
        default
    }
}

pub(crate) use asked::ask;

/// Longest name that dmd reads, in bytes.
const MAX_NAME: usize = 4096;

/// A text as a C string, for the time of a request. A short one needs no heap memory.
pub(crate) struct CText {
    few: [u8; 256],
    many: Vec<u8>,
}

impl CText {
    pub(crate) fn new(text: &str) -> CText {
        let mut c_text = CText { few: [0; 256], many: Vec::new() };
        if text.len() < c_text.few.len() {
            c_text.few[..text.len()].copy_from_slice(text.as_bytes());
        } else {
            let bytes = &text.as_bytes()[..text.len().min(MAX_NAME)];
            c_text.many.reserve_exact(bytes.len() + 1);
            c_text.many.extend_from_slice(bytes);
            c_text.many.push(0);
        }
        c_text
    }

    #[inline(always)]
    pub(crate) fn address(&self) -> usize {
        if self.many.is_empty() {
            self.few.as_ptr() as usize
        } else {
            self.many.as_ptr() as usize
        }
    }
}
