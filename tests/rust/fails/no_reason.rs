// SPDX-License-Identifier: BSD-3-Clause
// Expect: error: dmd: field `window`: say why it is not measured: #[dmd(ignore = "reason")] at `#[dmd(ignore)]`
use dmd::DmdSizeOf;

#[derive(DmdSizeOf)]
struct Page {
    #[dmd(ignore)]
    window: *const u8,
}

fn main() {}
