// SPDX-License-Identifier: BSD-3-Clause

//! Finds out what the compiler and its standard library have beyond Rust 1.63.

use std::process::Command;

fn minor_version() -> Option<u32> {
    let rustc = std::env::var_os("RUSTC")?;
    let output = Command::new(rustc).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split('.').nth(1)?.parse().ok()
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
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
