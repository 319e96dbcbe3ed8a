/** The small change of `node:http`: bodies, JSON answers, and errors that carry a status. */

const MAX_BODY = 64 * 1024 * 1024;

/** An error to be answered with that status. */
export const problem = (status, message) => Object.assign(new Error(message), { status });

export function json(response, status, value) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(value));
}

/** The body of a request. */
export async function bytes(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BODY) throw problem(413, "The request is too large.");
  }
  return Buffer.concat(chunks);
}

/** The body of a request as text. */
export const body = async (request) => (await bytes(request)).toString("utf8");

/** A body that has to be a JSON object. */
export function parse(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw problem(400, "The request is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw problem(400, "The request is no JSON object.");
  return value;
}

/** The head of a stream of server-sent events. */
export const streamHead = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};
