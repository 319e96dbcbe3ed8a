// The transport over a generator of the application's.

import { encoder, LINES } from "./body.js";
import type { AgUiEvent } from "../api/events.js";
import type { CustomContext, CustomInput, Transport } from "../api/types.js";

/**
 * Events from anywhere: a generator that is called with the input of every run. It yields events, or the bytes or the text
 * of a body in one of the framings that agents answer with.
 *
 * @example
 * const agent = createAgent({
 *   transport: custom(async function* (input, { signal }) {
 *     yield { type: "RUN_STARTED", threadId: input.threadId, runId: input.runId };
 *     for await (const event of somewhere(input, signal)) yield event;
 *   }),
 * });
 */
export function custom(
  generate: (input: CustomInput, context: CustomContext) => AsyncIterable<AgUiEvent | Uint8Array | string>,
): Transport {
  return {
    connect: (request) => {
      const open = async (_: string, { body, signal }: RequestInit): Promise<Response> => {
        const text = String(body);
        const context = { ...request, body: text, signal: signal! };
        const events = generate(JSON.parse(text) as CustomInput, context)[Symbol.asyncIterator]();
        const first = await events.next();
        let next: typeof first | undefined = first;
        const stream = new ReadableStream<Uint8Array>({
          pull: async (controller) => {
            const { done, value } = next ?? (await events.next());
            next = undefined;
            if (done) controller.close();
            else controller.enqueue(toBytes(value));
          },
          cancel: async () => void (await events.return?.()),
        });
        const raw = typeof first.value === "string" || first.value instanceof Uint8Array;
        // A body that does not say what it is, is read as what it looks like.
        return new Response(stream, { headers: { "content-type": raw ? "application/octet-stream" : LINES } });
      };
      return { url: "custom:", method: "POST", fetch: open as unknown as typeof fetch };
    },
  };
}

function toBytes(value: AgUiEvent | Uint8Array | string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return encoder.encode(typeof value === "string" ? value : `${JSON.stringify(value)}\n`);
}
