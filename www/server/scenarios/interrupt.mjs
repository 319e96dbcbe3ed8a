import { call, finished, result, started, text } from "../events.mjs";
import { wait } from "../steps.mjs";

const order = { to: "Casa do Livro, Porto", amount: 148.5, currency: "EUR", reference: "Room 4, two nights" };

/** The first run asks and ends; the next one brings the answer in `resume`. The interrupt's id carries all that is needed. */
export const interrupt = {
  name: "interrupt",
  title: "Ask before acting",
  about: "The agent stops for your approval, and goes on with your answer.",
  prompt: "Pay the deposit for the hotel, please.",
  *run(input) {
    yield started(input);
    yield wait(200);
    const answer = input.resume?.[0];
    yield* answer === undefined ? ask(input) : settle(input, answer);
  },
};

function* ask(input) {
  const parentMessageId = `${input.runId}-ask`;
  const toolCallId = `${input.runId}-pay`;
  yield* text(parentMessageId, "The hotel asks for a deposit. I have the transfer ready:");
  yield* call(toolCallId, "transfer_money", order, { parentMessageId });
  yield finished(input, {
    outcome: {
      type: "interrupt",
      interrupts: [
        {
          id: `approve:${toolCallId}`,
          reason: "confirmation",
          message: `Send €${order.amount.toFixed(2)} to ${order.to}?`,
          toolCallId,
          responseSchema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
        },
      ],
    },
  });
}

function* settle(input, answer) {
  const approved = answer.status === "resolved" && answer.payload?.approved !== false;
  const toolCallId = answer.interruptId.replace("approve:", "");
  yield result(toolCallId, approved ? { sent: true, transaction: "TX-20261204-17" } : { sent: false, refused: true });
  yield wait(300);
  yield* text(
    `${input.runId}-answer`,
    approved ? "Done: the deposit is on its way, and the room is yours." : "All right, I left it alone. The offer stands until Friday.",
  );
  yield finished(input);
}
