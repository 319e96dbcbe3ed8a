// The agent of both pages; which module it is of is the build's to say.

import { HttpAgent } from "@agent";

const long = new URLSearchParams(location.search).get("messages") ?? 0;
const initialMessages = Array.from(
  { length: Number(long) },
  (_, at) => ({ id: `old-${at}`, role: at % 2 ? "assistant" : "user", content: `${at}: ${"words ".repeat(170)}` }),
);
export const agent = new HttpAgent({ url: "/agent", threadId: "t", initialMessages });
globalThis.agent = agent;
