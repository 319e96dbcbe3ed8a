import { defineConfig } from "vite";
import { agent } from "./agent.js";
import { preloadCore } from "./preload-core.js";

// The agent at /agent. With one of your own, use `server: { proxy: { "/agent": "http://…" } }` instead.
const scripted = { name: "agent", configureServer: ({ middlewares }) => void middlewares.use("/agent", agent) };

export default defineConfig({ plugins: [scripted, preloadCore()] });
