// Bugs in what happens before the core is there, and once it is lost (tests/js/bugs.mjs).

export const bugs = [
  {
    name: "what waits in a save that the core traps at is forgotten",
    file: "core/remains.ts",
    from: "reading ? (report.queue ?? []) : sent",
    to: "sent",
    tests: ["remains"],
  },
  {
    name: "a request that has left before the core is there is sent once more",
    file: "core/host.ts",
    from: "if (resume || ahead?.runId !== runId) return undefined;",
    to: "if (ahead || resume) return undefined;",
    tests: ["ahead"],
  },
  {
    name: "a request goes on whose run was taken back before the core was there",
    file: "core/ahead.ts",
    from: 'if (mine?.run || (shared.lost?.id === runId && shared.home.at !== "ended")) return;',
    to: "if (mine || !mine) return;",
    tests: ["ahead"],
  },
  {
    name: "a request is sent again after a load that failed",
    file: "core/ahead.ts",
    from: 'if (mine?.run || (shared.lost?.id === runId && shared.home.at !== "ended")) return;',
    to: "if (mine?.run) return;",
    tests: ["ahead"],
  },
  {
    name: "a request leaves for a core that has not come before",
    file: "core/ahead.ts",
    from: 'if (before.error?.code === "load") return;',
    to: "",
    tests: ["ahead"],
  },
  {
    name: "an answer that breaks off before the core is there is lost",
    file: "core/ahead.ts",
    from: "}).then(readAlready);",
    to: "});",
    tests: ["ahead"],
  },
  {
    name: "a request leaves before the save that it goes with",
    file: "agent/own.ts",
    from: "!guard && !persist && !kept",
    to: "!guard && !kept",
    tests: ["ahead"],
  },
];
