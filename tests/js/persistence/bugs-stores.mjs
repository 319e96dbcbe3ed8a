// Bugs in the stores of the platform (tests/js/bugs.mjs).

export const bugs = [
  {
    name: "a save that was put aside stays in localStorage, where nobody reads it",
    file: "persistence/stores.ts",
    from: "entry === `${key}:record`",
    to: "entry !== key",
    tests: ["left"],
  },
  {
    name: "what waits in IndexedDB is lost with the page",
    file: "persistence/stores.ts",
    from: '["pagehide", "pageshow"]',
    to: '["pageshow"]',
    tests: ["left"],
  },
  {
    name: "what is saved as the page is left is lost with it",
    file: "persistence/stores.ts",
    from: "      takeAlong();\n",
    to: "",
    tests: ["left"],
  },
  {
    name: "a page that was gone back to writes each record twice",
    file: "persistence/stores.ts",
    from: '["pagehide", "pageshow"]',
    to: '["pagehide"]',
    tests: ["left"],
  },
  {
    name: "what was taken along from a cleared store comes back",
    file: "persistence/stores.ts",
    from: "      entries.forEach(drop);\n",
    to: "",
    tests: ["left"],
  },
];
