// SPDX-License-Identifier: BSD-3-Clause
// A display list whose list of contexts nobody thought of.
// Expect: error: dmd: field `contexts` has an Arc, which may have several owners: write #[dmd(shared)] if each of them measures it, #[dmd(conditional)] if the first one does, #[dmd(unconditional)] if only this one does, or #[dmd(ignore = "who measures it")] at `contexts: LinkedList<Arc<StackingContext>>`
use dmd::DmdSizeOf;
use std::collections::LinkedList;
use std::sync::Arc;

#[derive(DmdSizeOf)]
struct StackingContext {
    name: String,
}

#[derive(DmdSizeOf)]
enum Item {
    Solid { colour: u32 },
    Text(String),
}

#[derive(DmdSizeOf)]
struct DisplayList {
    backgrounds: LinkedList<Item>,
    block_backgrounds: LinkedList<Item>,
    floats: LinkedList<Item>,
    content: LinkedList<Item>,
    positioned: LinkedList<Item>,
    outlines: LinkedList<Item>,
    contexts: LinkedList<Arc<StackingContext>>,
}

fn main() {}
