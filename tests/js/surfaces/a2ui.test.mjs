// A2UI surfaces of a thread, over the processor of @a2ui/web_core.

import { Catalog, MessageProcessor } from "@a2ui/web_core/v0_9";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";
import { create, skip } from "./lib.mjs";

const { connectSurfaces } = await load("a2ui/index");

const text = {
  name: "Text",
  schema: {
    safeParse: (
      { text, ...rest },
    ) => (text === undefined || Object.keys(rest).length ? { success: false, error: { errors: [], issues: [] } } : { success: true }),
  },
};
const made = () => new MessageProcessor([new Catalog("basic", [text], [])]);
const version = "v0.9";
const createSurface = (surfaceId = "s") => ({ version, createSurface: { surfaceId, catalogId: "basic" } });
const components = (...texts) => ({
  version,
  updateComponents: { surfaceId: "s", components: texts.map((text, at) => ({ id: at ? `t${at}` : "root", component: "Text", text })) },
});
const data = (value, path = "/") => ({ version, updateDataModel: { surfaceId: "s", path, value } });
const activity = (a2ui_operations, messageId = "a") => ({
  type: "ACTIVITY_SNAPSHOT",
  messageId,
  activityType: "a2ui-surface",
  replace: true,
  content: { a2ui_operations },
});

const shown = (processor, id = "s") => {
  const surface = processor.model.getSurface(id);
  return surface && [...surface.componentsModel.entries].map(([, { properties }]) => properties.text);
};

describe("A2UI surfaces", { skip }, () => {
  it("shows a surface, keeps it while it grows, and keeps what a person has typed", async () => {
    const { agent } = create([activity([createSurface(), components("one"), data({ name: "a" })])], [
      activity([createSurface(), components("one", "two"), data({ name: "a" })]),
    ]);
    const processor = made();
    connectSurfaces(agent, processor);
    await agent.submit("go");
    assert.deepEqual(shown(processor), ["one"]);
    const surface = processor.model.getSurface("s");
    surface.dataModel.set("/typed", "by hand");
    await agent.submit("more");
    assert.equal(processor.model.getSurface("s"), surface);
    assert.deepEqual(shown(processor), ["one", "two"]);
  });

  it("makes a surface anew that was changed in another way, and deletes one whose activity is gone", async () => {
    const { agent } = create([activity([createSurface(), components("one", "two")])], [activity([createSurface(), components("three")])]);
    const processor = made();
    connectSurfaces(agent, processor);
    await agent.submit("go");
    await agent.submit("more");
    assert.deepEqual(shown(processor), ["three"]);
    agent.reset();
    agent.flush();
    assert.equal(shown(processor), undefined);
  });

  it("leaves a surface to a later activity that has made it anew", async () => {
    const { agent } = create([activity([createSurface(), components("one")])], [activity([createSurface(), components("two")], "b")]);
    const processor = made();
    connectSurfaces(agent, processor);
    await agent.submit("go");
    await agent.submit("more");
    assert.deepEqual(shown(processor), ["two"]);
    agent.setMessages((messages) => messages.filter(({ id }) => id !== "a"));
    agent.flush();
    assert.deepEqual(shown(processor), ["two"]);
  });

  it("sends what a person does", async () => {
    const { agent, requests } = create([activity([createSurface(), components("one")])], []);
    const processor = made();
    const off = connectSurfaces(agent, processor, { forwardedProps: { more: 1 } });
    await agent.submit("go");
    const ended = new Promise((resolve) => agent.on("finish", resolve));
    await processor.model.getSurface("s").dispatchAction({ event: { name: "press", context: { n: 1 } } }, "root");
    await ended;
    const { a2uiAction, more } = requests[1].forwardedProps;
    const { timestamp, ...userAction } = a2uiAction.userAction;
    assert.deepEqual([userAction, typeof timestamp, more], [{ name: "press", surfaceId: "s", sourceComponentId: "root", context: { n: 1 } }, "string", 1]);
    off();
    await processor.model.getSurface("s").dispatchAction({ event: { name: "press", context: {} } }, "root");
    assert.equal(requests.length, 2);
  });

  it("reports operations that make no sense, and applies the others", async (test) => {
    test.mock.method(console, "error", () => {});
    const operations = [
      null,
      1,
      "x",
      {},
      { createSurface: null },
      { createSurface: { surfaceId: "t", catalogId: "none" } },
      { updateComponents: { surfaceId: "none", components: [] } },
      createSurface(),
      { updateComponents: { surfaceId: "s", components: 7 } },
      components("one"),
      JSON.parse('{"__proto__":{"createSurface":{"surfaceId":"u"}}}'),
    ];
    const { agent } = create([activity(operations), activity("none", "b"), { ...activity([], "c"), content: 7 }]);
    const processor = made();
    const errors = [];
    connectSurfaces(agent, processor, { onError: ({ code }) => errors.push(code) });
    await agent.submit("go");
    assert.deepEqual(shown(processor), ["one"]);
    assert.deepEqual(errors, Array.from({ length: 9 }, () => "a2ui-operation"));
  });

  it("says what it expects", () => {
    const { agent } = create();
    assert.throws(() => connectSurfaces(agent, {}), { name: "AgentError", code: "peer", message: /MessageProcessor/ });
  });
});
