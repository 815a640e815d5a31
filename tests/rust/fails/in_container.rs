// SPDX-License-Identifier: BSD-3-Clause
// Expect: error[E0277] at `pages: Vec<Option<Page>>`
// Expect: `Page: DmdSizeOf`|cannot measure `Page`
use dmd::DmdSizeOf;

struct Page;

#[derive(DmdSizeOf)]
struct Book {
    pages: Vec<Option<Page>>,
}

fn main() {}
