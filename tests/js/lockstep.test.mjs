// An agent in the page and one in a worker do the same: lockstep.mjs, with some hundred seeds.
//
//   LOCKSTEP=10000 LOCKSTEP_SEED=1 node --test tests/js/lockstep.test.mjs

import { describe, it } from "node:test";
import { real } from "./lib.mjs";

const count = Number(process.env.LOCKSTEP ?? 280);
const first = Number(process.env.LOCKSTEP_SEED ?? 1);
const kinds = {
  "with pauses": { pauses: true },
  "without pauses": { pauses: false },
  "with pauses, and workers that end": { pauses: true, deaths: true },
  "without pauses, and workers that end": { pauses: false, deaths: true },
  "with pauses, and reloads from a store": { pauses: true, store: true },
  "without pauses, and reloads from a store": { pauses: false, store: true },
  "with pages that are told late": { throttled: true },
  "with pauses, and a server that keeps the thread": { pauses: true, thread: "all" },
  "without pauses, and a server that keeps the thread": { pauses: false, thread: "new" },
  "with pauses, a server that keeps the thread, and workers that end": { pauses: true, deaths: true, thread: "turn" },
  "with pauses, a server that keeps the thread, and reloads from a store": { pauses: true, store: true, thread: "new" },
};
const names = Object.keys(kinds);

describe(`page and worker in lockstep, LOCKSTEP_SEED=${first}`, { skip: !real && "the core is a stand-in", concurrency: false }, () => {
  for (const [at, name] of names.entries()) {
    const seeds = Array.from({ length: Math.ceil(count / names.length) }, (_, n) => first + n * names.length + at);
    it(`${name}: ${seeds.length} sequences`, async () => {
      const { play } = await import("./lockstep.mjs");
      for (const seed of seeds) await play(seed, kinds[name]);
    });
  }

  it("calls back for a reply that a reset drops, although another one follows it at once", async () => {
    const { play } = await import("./lockstep.mjs");
    const resume = (id) => ({ name: "resume", act: "resume", given: { id } });
    const submit = { name: "submit", act: "submit", given: { message: { id: "u1", content: "1" }, runId: "r1" } };
    const interrupt = { name: "interrupt", ends: "finish", interrupts: ["i0", "i1"] };
    await play(1, kinds["without pauses"], [[submit], [interrupt], [resume("i0"), { name: "reset", act: "reset" }, resume("i1")]]);
  });

  it("a thread that is opened anew after a worker has ended is the server's, with the question that it does not have", async () => {
    const { play } = await import("./lockstep.mjs");
    const submit = { name: "submit", act: "submit", given: { message: { id: "u1", content: "1" }, runId: "r1" } };
    const page = (...messages) => ({ name: "page", act: "page", given: { messages } });
    const [asked, told] = [{ id: "s", role: "user", content: "said" }, { id: "m0", role: "assistant", content: "told" }];
    const [finish, death, load] = [{ name: "finish", ends: "finish" }, { name: "death", death: true }, { name: "load", act: "load" }];
    await play(1, kinds["with pauses, a server that keeps the thread, and workers that end"], [
      ...[[submit], [page(asked, told)], [finish], [death]],
      ...[[load], [page(asked, { ...told, id: "m1" })]],
    ]);
  });
});
