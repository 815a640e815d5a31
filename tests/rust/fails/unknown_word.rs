// SPDX-License-Identifier: BSD-3-Clause
// Expect: error: dmd: field `window`: dmd knows ignore = "reason", with = "function", shared, conditional and unconditional at `#[dmd(ignored = "x")]`
use dmd::DmdSizeOf;

#[derive(DmdSizeOf)]
struct Page {
    #[dmd(ignored = "x")]
    window: *const u8,
}

fn main() {}
