// SPDX-License-Identifier: BSD-3-Clause
// Expect: error: dmd: only structs and enums can derive DmdSizeOf: implement it by hand at `union Either {`
use dmd::DmdSizeOf;

#[derive(DmdSizeOf)]
union Either {
    a: u8,
    b: u16,
}

fn main() {}
