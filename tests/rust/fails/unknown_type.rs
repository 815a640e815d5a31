// SPDX-License-Identifier: BSD-3-Clause
// Expect: error[E0277] at `secret: Foreign`
// Expect: Foreign
// Expect: // derive it for the field's type, or write #[dmd(ignore = "why")] at the field|write `#[derive(DmdSizeOf)]` above it
use dmd::DmdSizeOf;

struct Foreign;

#[derive(DmdSizeOf)]
struct Page {
    url: String,
    secret: Foreign,
}

fn main() {}
