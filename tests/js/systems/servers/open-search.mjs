/**
 * An agent of OpenSearch 3.8 after its OpenAI handler: pauses for a tool of the page, ends twice, tells its tokens as
 * `Custom`, and sends the stored conversation to a client that sends no messages.
 */

/**
 * @param {{ threadId: string, runId: string, messages: { id: string, role: string, content?: unknown, toolCallId?: string }[],
 *   tools: { name: string }[] }} input
 * @param {(text: string) => void | Promise<void>} write
 */
export async function openSearch(input, write) {
  const required = ["threadId", "runId", "state", "messages", "tools", "context", "forwardedProps"];
  const missing = required.filter((name) => !(name in input));
  // The one thing that it escapes is a double quote.
  if (missing.length > 0) return void (await write(`data: {"error": "Failed to parse request: no \\"${missing[0]}\\""}\n\n`));

  const { threadId, runId, messages, tools } = input;
  const send = ({ type, ...event }) => write(`data: ${JSON.stringify({ type, timestamp: Date.now(), ...event })}\n\n`);
  const finish = () => send({ type: "RUN_FINISHED", threadId, runId });
  const say = async (messageId, ...pieces) => {
    await send({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    for (const delta of pieces) await send({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
    await send({ type: "TEXT_MESSAGE_END", messageId });
  };

  await send({ type: "RUN_STARTED", threadId, runId });
  const last = messages.at(-1);
  if (!last) {
    const [question, answer] = [crypto.randomUUID(), crypto.randomUUID()];
    const stored = [
      {
        id: question,
        role: "user",
        content: [{ type: "text", text: "What is in this chart?" }, { type: "binary", mimeType: "image/png", data: "iVBORw0KGgo=" }],
      },
      { id: answer, role: "assistant", content: "The latency of the last hour." },
    ];
    await send({ type: "MESSAGES_SNAPSHOT", messages: stored });
  } else if (last.role !== "tool" && tools.length > 0) {
    const messageId = `msg_${process.hrtime.bigint()}`;
    const toolCallId = `tooluse_${messageId}`;
    await say(messageId, "Let me ", "look at the page.");
    await send({ type: "TOOL_CALL_START", toolCallId, toolCallName: tools[0].name, parentMessageId: messageId });
    await send({ type: "TOOL_CALL_ARGS", toolCallId, delta: "" });
    await send({ type: "TOOL_CALL_ARGS", toolCallId, delta: '{"query":' });
    await send({ type: "TOOL_CALL_ARGS", toolCallId, delta: '"status>=500"}' });
    await send({ type: "TOOL_CALL_END", toolCallId });
  } else {
    const answers = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    await say(`msg_${process.hrtime.bigint()}`, "There were ", "**42** server errors", answers.length > 0 ? `: ${answers.at(-1)}` : ".");
    await finish();
    const usage = { model_name: "gpt", model_url: "https://models.invalid", model_id: "m1", input_tokens: 812, output_tokens: 64, total_tokens: 876 };
    const value = { per_model_usage: [{ ...usage, call_count: 1 }], per_turn_usage: [{ turn: 1, ...usage }] };
    return void (await send({ type: "Custom", name: "token_usage", value }), await finish());
  }
  // The handler has ended the run, and the layer above does it again.
  await finish();
  await finish();
}
