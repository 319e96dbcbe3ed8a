/**
 * Pages that may keep nothing: each thing of the platform that holds site data throws in turn, and, where the engine has the
 * setting, all of it is blocked as a user blocks it. With both stores, in the page and in a worker.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openBrowser } from "../webdriver/client.mjs";
import { inputOf, serveFiles } from "./files.mjs";

const engine = process.env.ENGINE ?? "chromium";

/** Says what the user said. */
async function answer(request, response) {
  const { threadId, runId, messages } = await inputOf(request);
  const events = [
    { type: "RUN_STARTED", threadId, runId },
    { type: "TEXT_MESSAGE_CHUNK", messageId: `${runId}-answer`, role: "assistant", delta: `You said: ${messages.at(-1).content}` },
    { type: "RUN_FINISHED", threadId, runId },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" }).end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
}

let server;
before(async () => void (server = await serveFiles(answer)));
after(() => server?.close());

const kinds = [undefined, "blocked"].flatMap((database) => [false, true].map((worker) => ({ database, worker })));
const where = ({ database, worker }) => `${database ? "IndexedDB" : "localStorage"}, ${worker ? "in a worker" : "in the page"}`;

/** Asks an agent of the page, and expects the answer whatever becomes of its save. */
async function asks(browser, { database, worker }) {
  await browser.waitFor(() => window.life !== undefined);
  const { outcome, texts, told } = await browser.evaluate(
    async (database, worker) => {
      life.start({ url: "/agent", persist: `blocked ${Math.random()}`, database, worker, saving: { loadMs: 100, waitMs: 100 } });
      const { outcome } = await life.agent.submit("hello");
      return { outcome, texts: life.agent.getSnapshot().messages.map(({ content }) => content), told: life.warnings };
    },
    database,
    worker,
  );
  assert.deepEqual([outcome, texts], ["success", ["hello", "You said: hello"]]);
  assert.deepEqual(told.filter((code) => !["not-saved", "not-restored"].includes(code)), []);
}

describe("a page whose site data throws", () => {
  let browser;
  before(async () => void (browser = await openBrowser(engine, { width: 600, height: 400 })));
  after(() => browser?.close());

  for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches", "BroadcastChannel", "SharedWorker", "locks", "storage", "cookie"]) {
    for (const use of [false, true]) {
      it(`${name} throws when it is ${use ? "used" : "touched"}`, async () => {
        for (const kind of kinds) {
          await browser.goto(server.address("index.html"));
          await browser.evaluate(
            (name, use) => {
              const denied = () => {
                throw new DOMException("The operation is insecure.", "SecurityError");
              };
              const owner = { locks: Navigator.prototype, storage: Navigator.prototype, cookie: Document.prototype }[name] ?? window;
              const methods = { get: () => denied };
              const value = new Proxy(function Denied () {}, { ...methods, construct: denied, apply: denied });
              Object.defineProperty(owner, name, { configurable: true, get: use ? () => value : denied });
            },
            name,
            use,
          );
          await asks(browser, kind).catch((error) => {
            throw new Error(`${where(kind)}: ${error.message}`, { cause: error });
          });
        }
      });
    }
  }
});

describe("a page whose user blocks site data", { skip: engine === "webkit" && "WebKitGTK has no such setting" }, () => {
  let browser;
  before(async () => void (browser = await openBrowser(engine, { width: 600, height: 400, blockSiteData: true })));
  after(() => browser?.close());

  for (const kind of kinds) {
    it(where(kind), async () => {
      await browser.goto(server.address("index.html"));
      const blocked = await browser.evaluate(() => {
        try {
          return !localStorage;
        } catch {
          return true;
        }
      });
      assert.ok(blocked, "site data is blocked");
      await asks(browser, kind);
    });
  }
});
