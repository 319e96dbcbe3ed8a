// Compiled, never run: what follows from an agent's schemas.

import { createAgent, tool, type Agent, type JsonObject } from "ag-ui-wasm";
import { useAgent } from "ag-ui-wasm/react";
import * as v from "valibot";
import { z } from "zod4";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_same: Same<A, B>): void => {};

const weather = tool({ name: "weather", description: "d", parameters: z.object({ city: z.string() }), result: z.object({ degrees: z.number() }) });
const pay = tool({ name: "pay", description: "d", parameters: v.object({ amount: v.number() }) });
const plain = tool({ name: "plain", description: "d", parameters: { type: "object" } });

const agent = createAgent({
  url: "/agent",
  schemas: {
    state: z.object({ todos: z.array(z.string()) }),
    custom: { progress: v.object({ percent: v.number() }), note: z.string() },
    interrupts: { confirmation: z.boolean(), choice: z.enum(["a", "b"]) },
    invalid: "drop",
  },
  tools: [weather, pay, plain],
});
const { state, toolCalls, interrupts } = agent.getSnapshot();
same<typeof state, { todos: string[] }>(true);
same<(typeof interrupts)[number]["reason"], "confirmation" | "choice">(true);
for (const call of toolCalls) {
  same<typeof call.name, "weather" | "pay" | "plain">(true);
  if (call.name === "weather") {
    const city: string | undefined = call.args.city;
    same<typeof call.result, { degrees: number } | undefined>(true);
    void city;
    // @ts-expect-error It is a string.
    const wrong: number = call.args.city;
    void wrong;
  } else if (call.name === "pay") {
    const amount: number | undefined = call.args.amount;
    same<typeof call.result, unknown>(true);
    void amount;
  }
}
agent.on("custom", (event) => {
  if (event.name === "progress") same<typeof event.data, { percent: number }>(true);
  else same<typeof event.data, string>(true);
});
agent.on("finish", ({ outcome }) => void outcome);
void agent.resume({ id: { payload: true }, other: { payload: "a" } });
// @ts-expect-error No schema has such a payload.
void agent.resume({ id: { payload: 1 } });
agent.setState({ todos: [] });
// @ts-expect-error The state has no such member.
agent.setState({ todo: [] });

// It goes where an agent does.
const given: Agent<{ todos: string[] }> = agent;
void given;
same<ReturnType<typeof useAgent<{ todos: string[] }>>["state"], { todos: string[] }>(true);

const onlyState = createAgent({ url: "/agent", schemas: { state: v.object({ count: v.number() }) } });
same<ReturnType<typeof onlyState.getSnapshot>["state"], { count: number }>(true);
same<ReturnType<typeof onlyState.getSnapshot>["toolCalls"][number]["args"], Readonly<Record<string, unknown>>>(true);

// @ts-expect-error No schema.
createAgent({ url: "/agent", schemas: { state: 5 } });
// @ts-expect-error A mode that does not exist.
createAgent({ url: "/agent", schemas: { invalid: "throw" } });
const untyped = createAgent({ url: "/agent" });
same<ReturnType<typeof untyped.getSnapshot>["state"], unknown>(true);
const json: JsonObject = {};
void json;
