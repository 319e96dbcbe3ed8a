import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Starts server.py with Vite, ends it with Vite, and passes /agent on to it. It prints its port. */
export default defineConfig(async ({ command }) => {
  if (command === "build") return { plugins: [react()] };
  const python = spawn(process.env.PYTHON ?? "python3", ["server.py"], { stdio: ["ignore", "pipe", "inherit"] });
  for (const signal of ["exit", "SIGINT", "SIGTERM"]) process.on(signal, () => void python.kill());
  const [port] = await new Promise((resolve, reject) => {
    createInterface({ input: python.stdout }).once("line", (line) => resolve([line]));
    python.once("exit", () => reject(new Error("server.py has ended; is requirements.txt installed?")));
  });
  return { plugins: [react()], server: { proxy: { "/agent": { target: `http://127.0.0.1:${port}`, rewrite: () => "/" } } } };
});
