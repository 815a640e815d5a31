// SPDX-License-Identifier: BSD-3-Clause
// Expect: error[E0277] at `image: Image`
// Expect: Arc<String>
use dmd::DmdSizeOf;

type Image = std::sync::Arc<String>;

#[derive(DmdSizeOf)]
struct Page {
    image: Image,
}

fn main() {}
