// Bugs in the stores of the platform (tests/js/bugs.mjs).

export const bugs = [
  {
    name: "what waits in IndexedDB is lost with the page",
    file: "persistence/stores.ts",
    from: 'globalThis.addEventListener?.("pagehide", takeAlong);',
    to: "void takeAlong;",
    tests: ["left"],
  },
  {
    name: "what was taken along from a cleared store comes back",
    file: "persistence/stores.ts",
    from: "      leaving.delete(place);\n",
    to: "",
    tests: ["left"],
  },
];
