// Tests of an agent in the page, run for one in a worker. Needs the built core.

process.env.AG_UI_WASM_WORKER = "1";
await import("../network/network.test.mjs");
await import("../network/transports.test.mjs");
await import("../snapshot/history.test.mjs");
await import("../agent/edits.test.mjs");
await import("../agent/refusals.test.mjs");
await import("../network/request.test.mjs");
await import("../agent/compact.test.mjs");
await import("../systems/hector.test.mjs");
await import("../systems/agent-os.test.mjs");
await import("../systems/open-search.test.mjs");
await import("../persistence/one-thread.test.mjs");
await import("../persistence/saves.test.mjs");
await import("../persistence/changes.test.mjs");
await import("../persistence/saves-core.test.mjs");
await import("../persistence/record.test.mjs");
await import("../systems/ngaf.test.mjs");
await import("../systems/ngaf-parts.test.mjs");
