// Errors of the page's console, by the best way that each engine offers.

/** @typedef {(method: string, path: string, body?: object) => Promise<any>} Command */
/** @typedef {{ attach(): Promise<void>, take(): Promise<string[]> }} ConsoleReader */

/** Chromium keeps a log that a command reads. @param {Command} command @returns {ConsoleReader} */
export function chromiumConsole(command) {
  return {
    attach: async () => {},
    async take() {
      /** @type {{ level: string, message: string }[]} */
      const entries = await command("POST", "/se/log", { type: "browser" });
      return entries.filter(({ level }) => level === "SEVERE").map(({ message }) => message);
    },
  };
}

/** Firefox sends entries over WebDriver BiDi. @param {import("./bidi.mjs").Bidi} bidi @returns {ConsoleReader} */
export function firefoxConsole(bidi) {
  /** @type {string[]} */
  let errors = [];
  bidi.on("log.entryAdded", ({ level, text }) => {
    if (level === "error") errors.push(text);
  });
  return {
    attach: async () => {},
    async take() {
      // Events come in order with answers, so after this answer nothing older is on its way.
      await bidi.send("session.status", {});
      const taken = errors;
      errors = [];
      return taken;
    },
  };
}

/**
 * WebKitGTK offers nothing, so a script in the page listens. It hears what happens after the page
 * has loaded, not before.
 *
 * @param {(script: () => unknown) => Promise<any>} evaluate
 * @returns {ConsoleReader}
 */
export function webkitConsole(evaluate) {
  return {
    async attach() {
      await evaluate(() => {
        const page = /** @type {any} */ (globalThis);
        if (page.__consoleErrors) return;
        /** @type {string[]} */
        const errors = (page.__consoleErrors = []);
        const original = console.error;
        console.error = (...args) => {
          errors.push(args.map(String).join(" "));
          original.apply(console, args);
        };
        addEventListener("error", (event) => errors.push(event.message));
        addEventListener("unhandledrejection", (event) => errors.push(`Unhandled rejection: ${event.reason}`));
      });
    },
    async take() {
      return evaluate(() => /** @type {any} */ (globalThis).__consoleErrors?.splice(0) ?? []);
    },
  };
}
