// Bugs for tests/js/bugs.mjs, of connections that are kept open.

export const bugs = [
  {
    name: "a store is released before an answer over a kept connection is settled",
    file: "agent/thread.ts",
    from: "ending: () => !read",
    to: "ending: () => !thread.channel?.current && !read",
    tests: ["tabs"],
  },
  {
    name: "a message of AG-UI is sent into the answer to the last one",
    file: "agent/runs.ts",
    from: "!!options().dialect && ",
    to: "",
    tests: ["kept-socket"],
  },
  {
    name: "a run that nobody has asked for is taken for the answer",
    file: "network/channel-answers.ts",
    from: "return isOther || (",
    to: "return 0 > 1 && (",
    tests: ["kept-socket"],
  },
  {
    name: "a run that has come before a message is taken for the answer to it",
    file: "network/channel.ts",
    from: "isBeside(data, before-- > 0)",
    to: "isBeside(data, false)",
    tests: ["kept-socket"],
  },
  {
    name: "what comes of a run that was cut stands in the next answer",
    file: "network/channel-answers.ts",
    from: "current?.requested && !this.#hasEnds",
    to: "current && !this.#hasOther && 0 > 1",
    tests: ["kept-socket"],
  },
];
