// How a link comes to a session (core/opener.ts).

import assert from "node:assert/strict";
import { it } from "node:test";
import { deferred, load } from "../lib.mjs";

const { createOpener } = await load("core/opener");

it("a run that comes while the core is asked for anew opens no session beside the one that this opens", async () => {
  let opened = 0;
  let source = Promise.resolve({});
  const list = [];
  const pending = { list, take: () => [{}, list.splice(0)], confirm() {}, show() {} };
  const shared = { home: {}, pending, release: (action) => action() };
  const parts = { openSession: () => ({ opened: ++opened }), ahead() {} };
  const opener = createOpener({ read: () => ({}), source: () => source, parts: () => parts }, shared);
  await opener.load();
  shared.home = { at: "saved", last: "{}" };
  const again = deferred();
  source = again.promise;
  const loading = opener.load();
  list.push({ run: {} });
  opener.begin();
  assert.equal(opened, 0);
  again.resolve({});
  await loading;
  assert.equal(opened, 1);
});
