// SPDX-License-Identifier: BSD-3-Clause
// Expect: error[E0277] at `Named { field: fn() -> u8, other: Foreign }`
use dmd::DmdSizeOf;

struct Foreign;

#[derive(DmdSizeOf)]
enum Kind {
    Nothing,
    Named { field: fn() -> u8, other: Foreign },
}

fn main() {}
