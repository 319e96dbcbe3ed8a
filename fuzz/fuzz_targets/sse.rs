#![cfg_attr(fuzzing, no_main)]
ag_ui_wasm_fuzz::target!("sse");
