// SPDX-License-Identifier: BSD-3-Clause
// Expect: error[E0277] at `dmd::size_of(&Holder { value: Foreign });`
use dmd::DmdSizeOf;

struct Foreign;

#[derive(DmdSizeOf)]
struct Holder<T> {
    value: T,
}

fn main() {
    dmd::size_of(&Holder { value: Foreign });
}
