//! `wasm-bindgen`. It cannot have that name: rustc takes a crate called `wasm_bindgen` with this
//! package's version for an outdated copy of the library and refuses to continue.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(std::env::args_os())?;
    Ok(())
}
