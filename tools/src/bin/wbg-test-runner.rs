//! `wasm-bindgen-test-runner`: what cargo calls to run test binaries for wasm32.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os())?;
    Ok(())
}
