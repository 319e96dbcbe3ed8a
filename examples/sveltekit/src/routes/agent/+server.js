// A scripted agent in place of yours: it streams its answer word by word, as AG-UI events.

export async function POST({ request }) {
  const { threadId, runId, messages } = await request.json();
  const messageId = `answer-${messages.length}`;

  async function* events() {
    yield { type: "RUN_STARTED", threadId, runId };
    yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
    for (const delta of `You said: ${messages.at(-1)?.content}`.split(/(?<= )/)) {
      yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta };
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    yield { type: "TEXT_MESSAGE_END", messageId };
    yield { type: "RUN_FINISHED", threadId, runId };
  }

  const stream = new ReadableStream({
    async start(controller) {
      for await (const event of events()) controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
      controller.close();
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
}
