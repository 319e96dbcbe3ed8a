// The official client, where it is installed beside: what it does with the same answers.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { reasonOf } from "../base/failure.js";
import type { RecordedTurn } from "./tap.js";
import type { Official } from "./verdict.js";

interface OfficialAgent {
  runAgent(parameters: object): Promise<unknown>;
}

interface OfficialClient {
  readonly HttpAgent: new(options: object) => OfficialAgent;
}

/** Undefined where it is not installed. */
export async function installedClient(turns: readonly RecordedTurn[]): Promise<Partial<Official> | undefined> {
  const found = await find();
  if (!found) return undefined;
  const { client, version } = found;
  const quiet = silenced();
  try {
    for (const turn of turns) {
      const message = await failureOf(client, turn);
      // Where it failed is what strict rules say: it does not tell.
      if (message !== undefined) return { client: `@ag-ui/client ${version}`, by: "client", fails: true, message };
    }
    return { client: `@ag-ui/client ${version}`, by: "client", fails: false };
  } finally {
    quiet();
  }
}

async function find(): Promise<{ client: OfficialClient; version: string } | undefined> {
  const { resolve } = createRequire(pathToFileURL(join(process.cwd(), "check.js")));
  try {
    const path = resolve("@ag-ui/client");
    const manifest = createRequire(path)("@ag-ui/client/package.json") as { version: string };
    const module = (await import(pathToFileURL(path).href)) as OfficialClient & { default?: OfficialClient };
    const client = module.HttpAgent ? module : module.default;
    return client?.HttpAgent ? { client, version: manifest.version } : undefined;
  } catch {
    return undefined;
  }
}

async function failureOf({ HttpAgent }: OfficialClient, turn: RecordedTurn): Promise<string | undefined> {
  const { request, status = 200, headers, pieces, end } = turn;
  const { threadId, messages = [], state = {}, ...input } = request.input as { threadId: string; messages?: unknown; state?: unknown };
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = pieces[next++];
      if (piece) controller.enqueue(piece.bytes);
      else if (end === "cut") controller.error(new TypeError("the connection broke"));
      else controller.close();
    },
  });
  const nothing = [204, 205, 304].includes(status);
  const response = new Response(nothing ? null : body, { status, headers: { "content-type": headers.get("content-type") ?? "" } });
  const agent = new HttpAgent({ url: request.url, threadId, initialMessages: messages, initialState: state, fetch: async () => response });
  try {
    await agent.runAgent(input);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** It writes to the console, and rejects promises that nobody has. */
function silenced(): () => void {
  const { log, warn, error, debug } = console;
  const stray = (): void => {};
  const nothing = (): void => {};
  Object.assign(console, { log: nothing, warn: nothing, error: nothing, debug: nothing });
  process.on("unhandledRejection", stray);
  return () => {
    Object.assign(console, { log, warn, error, debug });
    setImmediate(() => process.off("unhandledRejection", stray));
  };
}
