// Bugs for `tools/planted-js-bugs.mjs`: what stands in a file of js/, what takes its place, and the tests that have to notice.

export const bugs = [
  {
    name: "an agent without a run fails with its worker",
    file: "worker/link.ts",
    from: "const failed = !died || shown.isLoading",
    to: "const failed = true || shown.isLoading",
    tests: ["worker-deaths", "lockstep"],
  },
  {
    name: "the next session begins without the save",
    file: "worker/link.ts",
    from: "link.restore(undefined, save);",
    to: "link.restore(undefined, undefined);",
    tests: ["worker-deaths", "lockstep"],
  },
  {
    name: "a decision that the worker has not heard of is forgotten",
    file: "worker/link.ts",
    from: "if (died) for (const { redo } of made) redo?.();",
    to: "",
    tests: ["worker-deaths"],
  },
  {
    name: "a reply to one of several interrupts is forgotten",
    file: "worker/link.ts",
    from: "for (const run of replies) link.run(run, true);",
    to: "",
    tests: ["worker-deaths", "lockstep"],
  },
  {
    name: "a submit in the queue of a worker that ends does not settle",
    file: "core/live.ts",
    from: "const waiting = run ?? adopted(result.runId);",
    to: "const waiting = run;",
    tests: ["worker-deaths"],
  },
  {
    name: "a store is given away while the worker has yet to answer",
    file: "worker/link.ts",
    from: "busy: () => guesses.size > 0 || client.read().isLoading || link.busy(),",
    to: "busy: link.busy,",
    tests: ["saves"],
  },
  {
    name: "a worker that ends without a word is not noticed",
    file: "worker/watch.ts",
    from: "if (unanswered++ >= UNANSWERED)",
    to: "if (unanswered++ >= Infinity)",
    tests: ["worker-deaths"],
  },
  {
    name: "a stop is shown, and the run goes on in the worker",
    file: "worker/session.ts",
    from: 'stop: () => void act("stop"),',
    to: "stop: () => {},",
    tests: ["lockstep"],
  },
  {
    name: "a denial loses its reason on the way to the worker",
    file: "worker/session.ts",
    from: 'deny: (json) => act("deny", json),',
    to: 'deny: (json) => act("deny", JSON.stringify({ toolCallId: JSON.parse(json).toolCallId })),',
    tests: ["lockstep"],
  },
  {
    name: "a guess stays after the worker has answered",
    file: "worker/link.ts",
    from: "if (guesses.delete(guess)) came = late = true;",
    to: "came = late = true;",
    tests: ["lockstep"],
  },
];
