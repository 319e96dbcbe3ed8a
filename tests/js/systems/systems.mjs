// Helpers of the tests of the systems.

import { readFileSync } from "node:fs";

/** A file of `tests/fixtures/dialects`. */
export const fixture = (name) => readFileSync(new URL(`../../fixtures/dialects/${name}`, import.meta.url));

/** The same as JSON. */
export const jsonFixture = (name) => JSON.parse(fixture(name));

/** A `fetch` that answers with one body after the other, and the bodies of the requests that it was given. */
export function answering(...bodies) {
  const requests = [];
  const fetch = async (_, { body }) => {
    requests.push(JSON.parse(body));
    const next = bodies.shift();
    if (next === undefined) throw new Error("no answer is left");
    return new Response(next, { headers: { "content-type": "text/event-stream" } });
  };
  return { fetch, requests };
}

/** A `fetch` that is answered by a server script of the demo. */
export function served(serve) {
  return async (_, { body }) => {
    const pieces = [];
    await serve(JSON.parse(body), (text) => void pieces.push(text));
    return new Response(pieces.join(""), { headers: { "content-type": "text/event-stream" } });
  };
}
