// SPDX-License-Identifier: BSD-3-Clause
// Expect: error: dmd: field `image` has an Arc, which may have several owners: write #[dmd(shared)] if each of them measures it, #[dmd(conditional)] if the first one does, #[dmd(unconditional)] if only this one does, or #[dmd(ignore = "who measures it")] at `image: Option<Arc<String>>`
use dmd::DmdSizeOf;
use std::sync::Arc;

#[derive(DmdSizeOf)]
struct Page {
    image: Option<Arc<String>>,
}

fn main() {}
