// What these files ask of an agent in the page, asked of one in a worker. Needs the built core.

process.env.AG_UI_WASM_WORKER = "1";
await import("./network.test.mjs");
await import("./transports.test.mjs");
await import("./history.test.mjs");
await import("./edits.test.mjs");
