// What these files ask of an agent in the page, asked of one in a worker. Needs the built core.

process.env.AG_UI_WASM_WORKER = "1";
await import("../network/network.test.mjs");
await import("../network/transports.test.mjs");
await import("../snapshot/history.test.mjs");
await import("../agent/edits.test.mjs");
