//! Tells the binary how it was built, so that `serve` can say so.

use std::env;

// Cargo speaks to a build script through its environment alone.
#[expect(clippy::disallowed_methods)]
fn main() {
    let level = env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo:rustc-env=RECADO_OPT_LEVEL={level}");
    println!("cargo:rerun-if-changed=build.rs");
}
