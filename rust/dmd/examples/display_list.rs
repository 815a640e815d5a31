// SPDX-License-Identifier: BSD-3-Clause

//! A display list as a browser has it: lists of items, stacking contexts that several lists hold, and
//! images that belong to a cache. `display_list twice` makes a mistake: both the list and the layer
//! count the stacking contexts.

use dmd::{DmdSizeOf, Ops, Reporter, Unconditional};
use std::collections::{HashMap, LinkedList};
use std::sync::Arc;

#[derive(DmdSizeOf)]
struct Image {
    pixels: Vec<u8>,
}

#[derive(DmdSizeOf)]
struct StackingContext {
    name: String,
    layers: Vec<u32>,
}

#[derive(DmdSizeOf)]
enum Item {
    Solid {
        colour: u32,
    },
    Text(String),
    #[allow(dead_code)] // nothing draws it here
    Image(#[dmd(ignore = "the image cache measures it")] Arc<Image>),
    Border(Box<[f32; 16]>),
}

#[derive(Default, DmdSizeOf)]
struct DisplayList {
    backgrounds: LinkedList<Item>,
    block_backgrounds: LinkedList<Item>,
    floats: LinkedList<Item>,
    content: LinkedList<Item>,
    positioned: LinkedList<Item>,
    outlines: LinkedList<Item>,
    // The layers hold them, too. The first who meets one counts it.
    #[dmd(conditional)]
    contexts: LinkedList<Arc<StackingContext>>,
}

#[derive(DmdSizeOf)]
struct Layer {
    #[dmd(conditional)]
    root: Arc<StackingContext>,
}

/// Measures everything. `is_wrong`: each reporter has a memory of its own for what it has met.
fn measure(list: &DisplayList, layers: &Vec<Layer>, images: &HashMap<String, Arc<Image>>, is_wrong: bool) {
    let mut ops = Ops::new();
    let size = Reporter::begin("explicit/display-list").measure_with(&mut ops, list);
    println!("display list: {} bytes", size);
    if is_wrong {
        ops = Ops::new();
    }
    Reporter::begin("explicit/layers").measure_with(&mut ops, layers);
    let cache = Reporter::begin("explicit/images");
    cache.claim(DmdSizeOf::<Unconditional>::dmd_size_of(images, &mut ops));
}

fn main() {
    let is_wrong = std::env::args().nth(1).map_or(false, |word| word == "twice");
    let mut images = HashMap::new();
    let mut list = DisplayList::default();
    for i in 0..20u32 {
        let image = Arc::new(Image { pixels: vec![0; 1000] });
        list.backgrounds.push_back(Item::Solid { colour: i });
        list.block_backgrounds.push_back(Item::Image(image.clone()));
        list.content.push_back(Item::Text(format!("item {}", i)));
        list.outlines.push_back(Item::Border(Box::new([1.0; 16])));
        list.contexts
            .push_back(Arc::new(StackingContext { name: format!("context {}", i), layers: vec![i] }));
        images.insert(format!("image {}", i), image);
    }
    list.floats.push_back(Item::Text("a float".to_string()));
    list.positioned.push_back(Item::Text("positioned".to_string()));
    let layers: Vec<Layer> = list.contexts.iter().map(|root| Layer { root: root.clone() }).collect();
    measure(&list, &layers, &images, is_wrong);
    dmd::dump("display list");
}
