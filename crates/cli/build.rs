//! Tells the binary how it was built, so that `serve` can say so.

use std::env;

// Cargo speaks to a build script through its environment alone. The answer is no variable: `cargo run`
// would hand it on to the binary, which refuses settings that it does not know.
#[expect(clippy::disallowed_methods)]
fn main() {
    println!("cargo::rustc-check-cfg=cfg(fast)");
    if env::var("OPT_LEVEL").is_ok_and(|level| ["2", "3"].contains(&level.as_str())) {
        println!("cargo::rustc-cfg=fast");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
