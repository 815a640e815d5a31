// SPDX-License-Identifier: BSD-3-Clause
// Expect: error[E0277] at `std::thread::spawn(move || drop(reporter));`
fn main() {
    let reporter = dmd::Reporter::begin("explicit/x");
    std::thread::spawn(move || drop(reporter));
}
