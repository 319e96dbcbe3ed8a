// Bugs in what agents share, and in what a call is taken for (tests/js/bugs.mjs).

export const bugs = [
  {
    name: "a module that is evaluated anew has a thread of its own",
    file: "thread/registry.ts",
    from: "(inPage() && store.key) || store",
    to: "store",
    tests: ["hot"],
  },
];
