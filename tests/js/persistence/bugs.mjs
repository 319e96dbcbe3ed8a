// Bugs of threads that agents share, for ../bugs.mjs.

export const bugs = [
  {
    name: "a component that is mounted again has a thread of its own",
    file: "thread/registry.ts",
    from: "if (mine) return mine.thread.deref() as Thread;",
    to: "",
    tests: ["saves", "tabs"],
  },
  {
    name: "agents with different rules share a thread",
    file: "thread/registry.ts",
    from: "\"guard\", \"rules\", \"protocol\"",
    to: "\"guard\", \"protocol\"",
    tests: ["saves"],
  },
  {
    name: "users of a server share a thread by the key of their store",
    file: "thread/registry.ts",
    from: "(inPage() && store.key) || store",
    to: "store.key || store",
    tests: ["saves"],
  },
  {
    name: "a component that is made anew is a release",
    file: "thread/members.ts",
    from: "leaving.add(member);",
    to: "",
    tests: ["saves"],
  },
  {
    name: "a call that nobody is there for has an error",
    file: "agent/own.ts",
    from: "given.persist ? members.arrival() : undefined",
    to: "undefined",
    tests: ["saves"],
  },
  {
    name: "the agent that is disposed of takes the thread from the others",
    file: "agent/thread.ts",
    from: "if (!members.here().some((other) => other !== member)) dispose();",
    to: "dispose();",
    tests: ["saves"],
  },
  {
    name: "every agent of a thread is called at the end of a run",
    file: "thread/members.ts",
    from: "member.emitter.emit(name, detail, member !== one)",
    to: "member.emitter.emit(name, detail)",
    tests: ["saves"],
  },
  {
    name: "a request has the options of the newest agent",
    file: "agent/own.ts",
    from: "const { options } = thread.members.asker(runId);",
    to: "const { options } = thread.members.here()[0]!;",
    tests: ["saves"],
  },
];
