// `npm start`: sets up what is missing, builds, and serves the demo with its scripted agent.
//
//   npm start -- --port 3000        that port or none; by default 8787, or a free one when that is taken

import "./node-version.mjs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { buildDemo } from "./demo.mjs";
import { at } from "./paths.mjs";
import { Failure, main } from "./run.mjs";

const DEFAULT_PORT = 8787;

await main(async () => {
  const wanted = port();
  await build();
  await buildDemo();
  const { url, close } = await serve(wanted);
  console.log(`\nThe demo is at ${url}/ (Ctrl-C ends it)`);

  const end = async () => {
    await close();
    process.exit(0);
  };
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.once(signal, end);
  endWithNpm(end);
});

/**
 * npm hands a signal to the shell between us, which ends without handing it on: `kill` on npm would leave the server
 * after. Our parent changes then.
 *
 * @param {() => void} end
 */
function endWithNpm(end) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), 500);
}

function port() {
  let text;
  try {
    text = parseArgs({ options: { port: { type: "string", short: "p" } } }).values.port;
  } catch (error) {
    throw new Failure(/** @type {Error} */ (error).message);
  }
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65535) throw new Failure(`"${text}" is no port: 0 to 65535 are, 0 takes any free one.`);
  return number;
}

/** @param {number | undefined} wanted @returns {Promise<{ url: string, close(): Promise<void> }>} */
async function serve(wanted) {
  const { startServer, threadsFile } = await import(pathToFileURL(at("www/server.mjs")).href);
  try {
    return await startServer({ port: wanted ?? DEFAULT_PORT, root: at("www/dist"), threads: threadsFile });
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    if (wanted !== undefined) throw new Failure(`Port ${wanted} cannot be used: ${message}`);
    console.log(`Port ${DEFAULT_PORT} is taken: using a free one.`);
    return startServer({ port: 0, root: at("www/dist"), threads: threadsFile });
  }
}
