// The core takes no more instructions than are recorded, with a margin.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { probe } from "../../tools/run.mjs";
import { compile, count, margins, parts, recorded, rustc } from "./counts.mjs";

describe("instructions an event", { skip: !probe("valgrind", "--version") && "there is no valgrind (a Debian package)" }, () => {
  before(compile);

  const { rustc: known, counts } = recorded();
  const margin = known === rustc() ? margins.same : margins.other;
  for (const part of parts) {
    it(part, async () => {
      const counted = await count(part);
      const limit = Math.round(counts[part] * (1 + margin));
      assert.ok(
        counted <= limit,
        `${counted} instructions; recorded are ${
          counts[part]
        }, ${limit} is the limit. If it is worth it: node benches/gate/counts.mjs --update, and say why in the commit.`,
      );
    });
  }
});
