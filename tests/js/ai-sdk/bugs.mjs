// Bugs for `tools/planted-js-bugs.mjs`: chats of the AI SDK.

export const bugs = [
  {
    name: "a custom event stands before the text that came before it",
    file: "ai-sdk/transport.ts",
    from: "        agent.flush();\n        this.#writer.data(",
    to: "        this.#writer.data(",
    tests: ["chat"],
  },
  {
    name: "a chat is made before its thread is there",
    file: "ai-sdk/restored.ts",
    from: "if (saved?.messages?.length) await until(",
    to: "if (false as boolean) await until(",
    tests: ["chat"],
  },
  {
    name: "a chat fails where a server opens a text once more",
    file: "ai-sdk/writer.ts",
    from: "if (old?.done) return old;",
    to: "",
    tests: ["chat", "lives"],
  },
  {
    name: "a chat leaves out what is added to a text after a tool of the page",
    file: "ai-sdk/writer.ts",
    from: "piece.text !== text &&",
    to: "false &&",
    tests: ["chat", "lives"],
  },
];
