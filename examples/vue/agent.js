// A scripted agent in place of yours: it streams its answer word by word, as AG-UI events.

/** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response */
export async function agent(request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { threadId, runId, messages } = JSON.parse(body);
  const messageId = `answer-${messages.length}`;
  const send = (/** @type {object} */ event) => response.write(`data: ${JSON.stringify(event)}\n\n`);

  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  send({ type: "RUN_STARTED", threadId, runId });
  send({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  for (const word of `You said: ${textOf(messages.at(-1)?.content)}`.split(/(?<= )/)) {
    send({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: word });
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  send({ type: "TEXT_MESSAGE_END", messageId });
  send({ type: "RUN_FINISHED", threadId, runId });
  response.end();
}

/** The text of a message: a string, or a list of parts. @param {unknown} content */
const textOf = (content) => (Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : String(content ?? ""));
