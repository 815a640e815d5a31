// SPDX-License-Identifier: BSD-3-Clause

//! Finds out what the compiler and its standard library have beyond Rust 1.63.

use std::process::Command;

fn minor_version() -> Option<u32> {
    let rustc = std::env::var_os("RUSTC")?;
    let output = Command::new(rustc).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split('.').nth(1)?.parse().ok()
}

/// Says where the library dmd-reporters is, if pkg-config knows it. The usual folders need no word.
fn find_reporters() {
    let output = Command::new("pkg-config").args(["--libs-only-L", "dmd-reporters"]).output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    for folder in text.split_whitespace().filter_map(|word| word.strip_prefix("-L")) {
        println!("cargo:rustc-link-search=native={}", folder);
    }
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_REGISTERED").is_some() {
        find_reporters();
    }
    let minor = minor_version().unwrap_or(0);
    if minor >= 80 {
        println!("cargo:rustc-check-cfg=cfg(dmd_has_once_cell, dmd_has_diagnostics, dmd_deque_has_gap)");
    }
    if minor < 67 {
        println!("cargo:rustc-cfg=dmd_deque_has_gap");
    }
    if minor >= 70 {
        println!("cargo:rustc-cfg=dmd_has_once_cell");
    }
    if minor >= 78 {
        println!("cargo:rustc-cfg=dmd_has_diagnostics");
    }
}
