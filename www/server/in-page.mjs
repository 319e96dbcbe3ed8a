/** The scripted agents in the page itself, in place of a server: what `createAgent` takes as `fetch`. Of the systems, only AG-UI. */
import { Runs } from "./runs.mjs";
import { play, wayOf } from "./play.mjs";
import { agUi } from "./systems/ag-ui.mjs";

const runs = new Runs();

/** The list for the picker of the pages. */
export const catalogue = {
  [agUi.name]: agUi.scenarios.map(({ name, title, about, prompt }) => ({ name, title, about, prompt, path: `/agent/${name}` })),
};

/** Answers as the server does. Any other address is fetched. @type {typeof fetch} */
export async function fetchInPage(address, init) {
  const url = new URL(address instanceof Request ? address.url : address, location.href);
  const scenario = url.origin === location.origin && agUi.scenarios.find(({ name }) => url.pathname === `/agent/${name}`);
  if (!scenario) return fetch(address, init);
  const input = agUi.read(await new Response(init?.body).text());
  const run = runs.open(agUi.name, scenario.name, input, undefined, undefined);
  if (scenario.reply !== undefined) {
    const { status, type, body } = scenario.reply;
    return new Response(body, { status, headers: { "content-type": type } });
  }
  const way = wayOf(agUi, scenario, input, url.searchParams, new Headers(init?.headers).get("last-event-id") ?? undefined);
  return new Promise((resolve, reject) => {
    const response = writable(resolve, init?.signal);
    play(scenario.run({ ...input, joins: way.after !== undefined }), way, response, run, runs).catch((error) => {
      reject(error);
      response.destroy(error);
    });
  });
}

/** As much of `node:http`'s response as `play` uses, over a body of the page. */
function writable(started, signal) {
  const closed = [];
  const close = () => closed.splice(0).forEach((listener) => listener());
  let controller;
  const body = new ReadableStream({ start: (made) => void (controller = made), cancel: close });
  const encoder = new TextEncoder();
  signal?.addEventListener("abort", () => {
    controller.error(signal.reason);
    close();
  });
  return {
    on: (_close, listener) => closed.push(listener),
    writeHead: (status, headers) => started(new Response(body, { status, headers })),
    flushHeaders() {},
    write(bytes) {
      controller.enqueue(typeof bytes === "string" ? encoder.encode(bytes) : bytes);
      return true;
    },
    end: () => controller.close(),
    destroy: (error) => controller.error(error ?? new TypeError("The connection was cut.")),
  };
}
