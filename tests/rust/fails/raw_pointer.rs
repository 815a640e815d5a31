// SPDX-License-Identifier: BSD-3-Clause
// Expect: error[E0277] at `window: *const u8`
use dmd::DmdSizeOf;

#[derive(DmdSizeOf)]
struct Page {
    window: *const u8,
}

fn main() {}
