// A scripted agent in place of yours: it streams a long answer word by word, as AG-UI events.

export async function agent(request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { threadId, runId, messages } = JSON.parse(body);
  const send = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  send({ type: "RUN_STARTED", threadId, runId });
  for (const delta of `You said: ${messages.at(-1).content}.${" And so on.".repeat(120)}`.split(/(?<= )/)) {
    send({ type: "TEXT_MESSAGE_CHUNK", messageId: `answer-${messages.length}`, role: "assistant", delta });
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
  send({ type: "RUN_FINISHED", threadId, runId });
  response.end();
}
