// Bugs in what agents share, and in what a call is taken for (tests/js/bugs.mjs).

export const bugs = [
  {
    name: "a module that is evaluated anew has a thread of its own",
    file: "thread/registry.ts",
    from: "(inPage() && store.key) || store",
    to: "store",
    tests: ["hot"],
  },
  {
    name: "agents with different guards share a thread",
    file: "thread/registry.ts",
    from: '"dialect", "guard", "rules"',
    to: '"dialect", "rules"',
    tests: ["one-thread"],
  },
  {
    name: "a submit that is refused before the core is there waits for it",
    file: "core/pending.ts",
    from: "if (before && isRefused(shared, run)) return;",
    to: "if (before) isRefused(shared, run);",
    tests: ["loading"],
  },
  {
    name: "a submit that was refused while it could not wait is told to the core",
    file: "core/pending.ts",
    from: 'if (run.ifBusy === "drop") shared.settle(run, "dropped");\n  if (run.ifBusy !== "reject") return run.ifBusy === "drop";',
    to: 'if (run.ifBusy === "drop") shared.settle(run, "dropped");\n  if (run.ifBusy !== "reject") return false;',
    tests: ["loading"],
  },
  {
    name: "a submit that a worker may refuse is in the save before it has answered",
    file: "worker/late.ts",
    from: 'step.unsaved = /drop|reject/.test(step.run!.ifBusy ?? "");',
    to: "step.unsaved = false;",
    tests: ["page-and-worker"],
  },
  {
    name: "a submit that was refused stays in the store",
    file: "agent/jobs.ts",
    from: "queueMicrotask(keep);",
    to: "void keep;",
    tests: ["page-and-worker"],
  },
  {
    name: "a stop without a session ends the last run that waits",
    file: "core/ending.ts",
    from: "const first = pending.first();",
    to: "const first = pending.list.findLast(({ run }) => run && !run.part)?.run;",
    tests: ["loading"],
  },
  {
    name: "a submit that is taken back ends the run in progress",
    file: "intents/cancel.ts",
    from: "json: runId,",
    to: "json: shown.runId ?? runId,",
    tests: ["kinds", "submit"],
  },
  {
    name: "a decision that the core traps at is tried by the next session",
    file: "core/link.ts",
    from: "(live.apply(intent) || intent.acts)",
    to: "live.apply(intent)",
    tests: ["poison"],
  },
  {
    name: "a decision of a save that the core traps at is tried after each reload",
    file: "core/remains.ts",
    from: ", acts: undefined };",
    to: " };",
    tests: ["poison"],
  },
];
