// The files of a composer, and the submits that wait for them, over the real core.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { deferred, load, until } from "../lib.mjs";
import { createAgent, serve, skip, text } from "../ai-sdk/server.mjs";

const { createAttachments } = await load("attachments/index");

const file = (name = "a.png", type = "image/png", size = 3) => new File([new Uint8Array(size)], name, { type });
const names = (items) => items.map(({ name, status, error }) => [name, error ?? status].join(" "));

/** Uploads that end when the test says so. */
function uploads() {
  const all = [];
  const upload = (file, { signal, onProgress }) => {
    const entry = { ...deferred(), file, signal, onProgress };
    all.push(entry);
    return entry.promise;
  };
  return { all, upload };
}

// An upload that does not end would keep the process.
const made = [];
afterEach(() => made.splice(0).forEach((one) => one.dispose()));

const begin = (options) => {
  const { all, upload } = uploads();
  const { requests, fetch } = serve();
  const agent = createAgent({ url: "https://agent.test/", fetch, notify: "sync" });
  const files = createAttachments({ upload, ...options });
  made.push(files, agent);
  return { agent, files, requests, all };
};
const ready = (upload, name) => upload.resolve({ url: `https://files.test/${name}` });
const settled = () => new Promise((done) => setImmediate(done));

describe("attachments", () => {
  it("uploads a few at a time, reports progress, and gives parts by kind with the file's name", async () => {
    const { files, all } = begin({ maxConcurrent: 2 });
    let told = 0;
    files.subscribe(() => told++);
    const kinds = [["a.png", "image/png"], ["b.mp3", "audio/mpeg"], ["c.mp4", "video/mp4"], ["d.pdf", "application/pdf"]];
    const added = files.add(kinds.map(([name, type]) => file(name, type)));
    assert.equal(told, 1);
    assert.deepEqual(added.map(({ status, progress }) => [status, progress]), kinds.map(() => ["uploading", 0]));
    await settled();
    assert.equal(all.length, 2);
    const [, second] = files.items;
    all[0].onProgress(0.5);
    assert.equal(files.items[0].progress, 0.5);
    assert.equal(files.items[1], second, "what did not change keeps its identity");
    ready(all[0], "a");
    await until(() => all.length === 3);
    for (const upload of all) ready(upload, upload.file.name);
    await until(() => all.length === 4);
    all[3].resolve({ data: "data:application/pdf;base64,QUJD", mimeType: "application/x-pdf" });
    await until(() => files.items.every(({ status }) => status === "ready"));
    assert.deepEqual(files.parts(), [
      { type: "image", source: { type: "url", value: "https://files.test/a", mimeType: "image/png" }, metadata: { filename: "a.png" } },
      { type: "audio", source: { type: "url", value: "https://files.test/b.mp3", mimeType: "audio/mpeg" }, metadata: { filename: "b.mp3" } },
      { type: "video", source: { type: "url", value: "https://files.test/c.mp4", mimeType: "video/mp4" }, metadata: { filename: "c.mp4" } },
      { type: "document", source: { type: "data", value: "QUJD", mimeType: "application/x-pdf" }, metadata: { filename: "d.pdf" } },
    ]);
  });

  it("reads a file into the message where nothing uploads it", async () => {
    const files = createAttachments();
    files.add([new File([new Uint8Array(70_000).fill(255)], "a.bin")]);
    await until(() => files.items[0].status === "ready");
    const [{ type, source }] = files.parts();
    assert.deepEqual([type, source.mimeType, Buffer.from(source.value, "base64").length], ["document", "application/octet-stream", 70_000]);
  });

  it("reads a data: URL: its type, which may not be the file's, and one that is not base64", async () => {
    const urls = ["data:image/jpeg;base64,QUJD", "data:image/svg+xml;charset=utf-8,%3Csvg%20/>", "data:,a", "QUJD"];
    const { files } = begin({ upload: ({ name }) => ({ data: urls[name] }), maxConcurrent: 9 });
    files.add(urls.map((_, at) => file(String(at), "image/heic")));
    await until(() => files.items.every(({ status }) => status === "ready"));
    assert.deepEqual(
      files.parts().map(({ source }) => [source.value, source.mimeType]),
      [["QUJD", "image/jpeg"], [btoa("<svg />"), "image/svg+xml"], [btoa("a"), "image/heic"], ["QUJD", "image/heic"]],
    );
  });

  it("goes on where a listener throws", async () => {
    const reported = mock.method(console, "error", () => {});
    const { files, all } = begin();
    files.subscribe(() => {
      throw new Error("of the page");
    });
    assert.equal(files.add([file()]).length, 1);
    await settled();
    ready(all[0], "a");
    await until(() => files.items[0].status === "ready");
    assert.ok(reported.mock.callCount() >= 2);
    reported.mock.restore();
  });

  it("refuses what is too large or of another type, and uploads none of it", async () => {
    const { files, all } = begin({ accept: "image/*,.pdf", maxBytes: 10 });
    files.add([file("a.png", "image/png", 11), file("b.txt", "text/plain"), file("c.PDF", ""), file("d.webp", "image/webp; x=1", 10)]);
    await settled();
    assert.deepEqual(names(files.items), ["a.png too-large", "b.txt type", "c.PDF uploading", "d.webp uploading"]);
    assert.equal(all.length, 2);
    files.retry(files.items[0].id);
    assert.deepEqual(names(files.items)[0], "a.png too-large");
  });

  it("makes names and types of a hostile page harmless", async () => {
    const { files } = begin();
    const given = [
      "../../etc/passwd",
      "C:\\fakepath\\x.png",
      "evil\u202Egnp.exe",
      "a\u0000b\nc.png",
      "   ",
      "..",
      `${"n".repeat(5000)}.png`,
      "\ud800.png",
      "<img onerror=1>.png",
    ];
    files.add([...given.map((name) => file(name)), new Blob(["x"], { type: "text/html, evil" })]);
    assert.deepEqual(
      files.items.map(({ name }) => name),
      ["passwd", "x.png", "evilgnp.exe", "abc.png", "file", "file", `${"n".repeat(251)}.png`, ".png", "<img onerror=1>.png", "file"].map((
        name,
        at,
      ) => (at === 7 ? files.items[7].name : name)),
    );
    assert.equal(files.items[7].name.isWellFormed?.() ?? true, true);
    assert.equal(files.items.at(-1).mimeType, "application/octet-stream");
    // A value that is no file is left out.
    assert.deepEqual([files.add(null), files.add(["text", {}])], [[], []]);
  });

  it("shows why an upload failed, and tries again", async () => {
    for (const upload of [() => {
      throw new Error("at once");
    }, async () => {
      throw new Error("at once");
    }]) {
      const files = createAttachments({ upload });
      files.add([file()]);
      await until(() => files.items[0].status === "error");
      assert.deepEqual([files.items[0].error, files.items[0].message], ["upload", "at once"]);
    }
    for (const result of [undefined, null, {}, { url: 1 }, { data: new Uint8Array(1) }, { url: "u", mimeType: 3 }, "text"]) {
      const files = createAttachments({ upload: () => result });
      files.add([file()]);
      await until(() => files.items[0].status !== "uploading");
      assert.equal(files.items[0].error, "upload", JSON.stringify(result));
    }
    const { files, all } = begin();
    const [{ id }] = files.add([file()]);
    await settled();
    all[0].reject(new Error("gone"));
    await until(() => files.items[0].status === "error");
    files.retry(id);
    assert.deepEqual([files.items[0].status, files.items[0].message], ["uploading", undefined]);
    await settled();
    ready(all[1], "again");
    await until(() => files.items[0].status === "ready");
  });

  it("takes 500 files at once, three at a time, with one notification", async () => {
    let most = 0;
    let running = 0;
    const upload = async () => {
      most = Math.max(most, ++running);
      await null;
      running--;
      return { url: "https://files.test/" };
    };
    const files = createAttachments({ upload });
    let told = 0;
    const off = files.subscribe(() => told++);
    files.add(Array.from({ length: 500 }, (_, at) => file(`${at}.png`)));
    assert.equal(told, 1);
    off();
    await until(() => files.items.every(({ status }) => status === "ready"));
    assert.equal(most, 3);
    assert.deepEqual(files.parts().map(({ metadata }) => metadata.filename), Array.from({ length: 500 }, (_, at) => `${at}.png`));
  });

  describe("time", () => {
    beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
    afterEach(() => mock.timers.reset());

    it("gives an upload up that makes no progress, and lets the next one begin", async () => {
      const { files, all } = begin({ maxConcurrent: 1, stallMs: 1000 });
      files.add([file("a.png"), file("b.png")]);
      await settled();
      mock.timers.tick(999);
      all[0].onProgress(0.1);
      mock.timers.tick(999);
      await settled();
      assert.equal(files.items[0].status, "uploading");
      mock.timers.tick(1);
      await until(() => all.length === 2);
      assert.deepEqual(names(files.items), ["a.png upload", "b.png uploading"]);
      assert.match(files.items[0].message, /no progress for 1000 ms/);
      assert.equal(all[0].signal.aborted, true);
      // Its later result is ignored.
      ready(all[0], "late");
      await settled();
      assert.equal(files.items[0].status, "error");
      // Progress after the end is none, and nothing waits for more.
      ready(all[1], "b");
      await until(() => files.items[1].status === "ready");
      all[1].onProgress(0.5);
      mock.timers.tick(1000);
      assert.equal(all[1].signal.aborted, false);
      // One that never says anything.
      files.add([file("c.png")]);
      await until(() => all.length === 3);
      mock.timers.tick(1000);
      await until(() => files.items[2].status === "error");
      assert.match(files.items[2].message, /no progress for 1000 ms/);
    });
  });

  it("revokes each object URL once: when removed, sent, cleared and disposed of", async () => {
    const open = new Set();
    let count = 0;
    mock.method(URL, "createObjectURL", () => (open.add(`blob:${++count}`), `blob:${count}`));
    mock.method(URL, "revokeObjectURL", (url) => assert.ok(open.delete(url), url));
    const { agent, files, all, requests } = begin();
    const [first] = files.add([file("a.png"), file("b.png"), file("c.pdf", "application/pdf")]);
    assert.equal(first.previewUrl, "blob:1");
    assert.equal(open.size, 2);
    await settled();
    files.remove(first.id);
    assert.equal(all[0].signal.aborted, true);
    assert.equal(open.size, 1);
    files.clear();
    assert.equal(open.size, 0);
    files.add([file("d.png")]);
    await until(() => all.length === 4);
    ready(all[3], "d");
    if (!skip) {
      const run = agent.submit({ message: "look", parts: files });
      await until(() => requests.length === 1);
      requests[0].answer(...text("m", "seen"));
      await run;
      assert.equal(open.size, 0);
    }
    files.add([file("e.png")]);
    files.dispose();
    assert.equal(open.size, 0);
    mock.restoreAll();
  });

  it("keeps in a save what is ready, and says what is not", async () => {
    const { files, all } = begin();
    files.add([file("a.png"), file("b.png")]);
    await settled();
    ready(all[0], "a");
    await until(() => files.items[0].status === "ready");
    const restore = JSON.parse(JSON.stringify(files.save()));
    const again = createAttachments({ restore });
    assert.deepEqual(names(again.items), ["a.png ready", "b.png lost"]);
    assert.deepEqual(again.parts(), files.parts());
    again.retry(again.items[1].id);
    assert.deepEqual(names(again.items)[1], "b.png lost");
    for (const bad of [null, {}, { v: 2, items: [] }, { v: 1, items: [null, 3, { id: 1 }] }]) assert.deepEqual(createAttachments({ restore: bad }).items, []);
  });
});

describe("a submit with attachments", { skip }, () => {
  it("is shown in the queue with what is ready, and sent once all are", async () => {
    const { agent, files, all, requests } = begin();
    files.add([file("a.png"), file("b.png")]);
    const run = agent.submit({ message: "look", parts: files });
    assert.deepEqual(files.items, []);
    await settled();
    ready(all[0], "a");
    await until(() => agent.getSnapshot().queue[0].attachments[0].status === "ready");
    const [{ messages, attachments }] = agent.getSnapshot().queue;
    assert.deepEqual(names(attachments), ["a.png ready", "b.png uploading"]);
    assert.deepEqual(messages[0].content.map(({ type }) => type), ["text", "image"]);
    assert.equal(requests.length, 0);
    assert.deepEqual(agent.getSnapshot().messages, []);
    ready(all[1], "b");
    await until(() => requests.length === 1);
    assert.deepEqual(agent.getSnapshot().queue, []);
    assert.deepEqual(requests[0].messages[0].content.map(({ text, source }) => text ?? source.value), ["look", "https://files.test/a", "https://files.test/b"]);
    assert.equal(requests[0].messages[0].id, messages[0].id);
    requests[0].answer(...text("m", "seen"));
    assert.equal((await run).outcome, "success");
  });

  it("goes at once where all is ready, and leaves the next message its own files", async () => {
    const { agent, files, all, requests } = begin();
    files.add([file("a.png")]);
    await settled();
    ready(all[0], "a");
    await until(() => files.items[0].status === "ready");
    const run = agent.submit({ message: { id: "mine", content: "look" }, parts: files });
    files.add([file("b.png")]);
    assert.equal(agent.getSnapshot().messages[0].id, "mine");
    await until(() => requests.length === 1);
    assert.equal(requests[0].messages[0].content.length, 2);
    requests[0].answer(...text("m", "seen"));
    await run;
    assert.deepEqual(names(files.items), ["b.png uploading"]);
  });

  it("keeps the order: what is said after it waits, too", async () => {
    const { agent, files, all, requests } = begin();
    files.add([file("a.png")]);
    const runs = [agent.submit({ message: "one", parts: files }), agent.submit("two")];
    await settled();
    assert.equal(requests.length, 0);
    assert.deepEqual(agent.getSnapshot().queue.map(({ messages }) => messages[0].content), ["one", "two"]);
    ready(all[0], "a");
    await until(() => requests.length === 1);
    requests[0].answer(...text("m", "1"));
    await until(() => requests.length === 2);
    requests[1].answer(...text("n", "2"));
    assert.deepEqual((await Promise.all(runs)).map(({ outcome }) => outcome), ["success", "success"]);
    assert.deepEqual(agent.getSnapshot().messages.map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
  });

  it("leaves a message without files a string, which every server reads", async () => {
    const { agent, files, requests } = begin();
    agent.submit({ message: "hello", parts: files });
    await until(() => requests.length === 1);
    assert.equal(requests[0].messages.at(-1).content, "hello");
    assert.equal(agent.getSnapshot().messages.at(-1).content, "hello");
  });

  it("waits while an upload has failed, until it is tried again or removed", async () => {
    const { agent, files, all, requests } = begin();
    const [, second] = files.add([file("a.png"), file("b.png")]);
    const run = agent.submit({ message: "look", parts: files });
    await settled();
    all[0].reject(new Error("gone"));
    all[1].reject(new Error("gone"));
    await until(() => agent.getSnapshot().queue[0].attachments.every(({ error }) => error === "upload"));
    assert.equal(requests.length, 0);
    files.remove(second.id);
    files.retry(agent.getSnapshot().queue[0].attachments[0].id);
    await until(() => all.length === 3);
    ready(all[2], "a");
    await until(() => requests.length === 1);
    requests[0].answer(...text("m", "seen"));
    await run;
  });

  it("is taken back: by cancelQueued, its signal, reset and dispose", async () => {
    const ways = [
      (agent, _) => assert.equal(agent.cancelQueued(agent.getSnapshot().queue[0].id), true),
      (_, abort) => abort.abort(),
      (agent) => agent.reset(),
      (agent) => agent.dispose(),
    ];
    for (const way of ways) {
      const { agent, files, all, requests } = begin();
      files.add([file("a.png")]);
      const abort = new AbortController();
      const run = agent.submit({ message: "look", parts: files, signal: abort.signal });
      await settled();
      way(agent, abort);
      assert.equal((await run).outcome, "aborted");
      assert.equal(all[0].signal.aborted, true);
      assert.deepEqual(agent.getSnapshot().queue, []);
      assert.deepEqual(files.save().items, []);
      await settled();
      assert.equal(requests.length, 0);
    }
  });

  it("is taken back with all that is held after it: none of that leaves as the first one goes", async () => {
    const ways = [(agent) => agent.reset(), (agent) => agent.dispose(), (_, files) => files.dispose()];
    for (const way of ways) {
      const { agent, files, requests } = begin();
      files.add([file("a.png")]);
      const runs = [agent.submit({ message: "look", parts: files }), agent.submit("and then"), agent.submit("at last")];
      await settled();
      way(agent, files);
      assert.deepEqual((await Promise.all(runs)).map(({ outcome }) => outcome), ["aborted", "aborted", "aborted"]);
      assert.deepEqual(agent.getSnapshot().queue, []);
      await settled();
      assert.equal(requests.length, 0);
    }
  });

  it("is not held where its signal was aborted before", async () => {
    const { agent, files, requests } = begin();
    files.add([file("a.png")]);
    const run = agent.submit({ message: "look", parts: files, signal: AbortSignal.abort() });
    assert.equal((await run).outcome, "aborted");
    assert.deepEqual([agent.getSnapshot().queue, files.save().items, requests.length], [[], [], 0]);
  });

  it("gives the files back where the agent refuses the submit", async () => {
    const { agent, files, all } = begin();
    files.add([file("a.png")]);
    await settled();
    ready(all[0], "a");
    await until(() => files.items[0].status === "ready");
    await assert.rejects(agent.submit({ message: "look", parts: files, replaces: "unknown" }), { code: "nothing-to-replace" });
    assert.deepEqual(names(files.items), ["a.png ready"]);
    assert.equal(agent.getSnapshot().error.code, "nothing-to-replace");
  });

  it("revokes the URLs of a submit that is refused after its field has gone", async (t) => {
    const revoked = t.mock.method(URL, "revokeObjectURL");
    const { agent, files } = begin({ upload: () => ({ url: "https://files.test/a" }) });
    const [{ previewUrl }] = files.add([file("a.png")]);
    await until(() => files.items[0].status === "ready");
    const run = agent.submit({ message: "look", parts: files, replaces: "unknown" });
    files.dispose();
    await assert.rejects(run);
    await settled();
    assert.deepEqual([revoked.mock.calls.map(({ arguments: [url] }) => url), files.items], [[previewUrl], []]);
  });

  it("keeps a held submit in the save of its files: the text and what is ready go back to the composer", async () => {
    const { agent, files, all } = begin();
    files.add([file("a.png"), file("b.png")]);
    agent.submit({ message: "look", parts: files });
    files.add([file("c.png")]);
    await settled();
    ready(all[0], "a");
    await until(() => agent.getSnapshot().queue[0].attachments[0].status === "ready");
    const again = createAttachments({ restore: JSON.parse(JSON.stringify(files.save())) });
    assert.equal(again.draft, "look");
    assert.deepEqual(names(again.items), ["a.png ready", "b.png lost", "c.png lost"]);
  });

  /** The text of messages: that of each request's last one, or of what waits. */
  const said = (all) => all.map(({ messages }) => [messages.at(-1).content].flat()[0]).map((part) => part.text ?? part);

  it("keeps the order over two composers of one agent: each shows and takes back what the other holds", async () => {
    const { agent, files, requests, all } = begin();
    const { all: others, upload } = uploads();
    const other = createAttachments({ upload });
    made.unshift(other);
    files.add([file("one.png")]);
    other.add([file("two.png")]);
    await settled();
    const one = agent.submit({ message: "one", parts: files });
    const two = agent.submit({ message: "two", parts: other });
    const [third, four] = [agent.submit({ message: "three", runId: "third" }), agent.submit("four")];
    const waiting = () => said(agent.getSnapshot().queue);
    assert.deepEqual(waiting(), ["one", "two", "three", "four"]);
    ready(others[0], "two");
    await settled();
    assert.deepEqual([requests.length, waiting()], [0, ["one", "two", "three", "four"]], "nothing overtakes what is held");
    assert.equal(agent.cancelQueued("third"), true);
    assert.equal((await third).outcome, "aborted");
    ready(all[0], "one");
    for (const [at, run] of [one, two, four].entries()) {
      await until(() => requests.length > at);
      requests[at].answer();
      assert.equal((await run).outcome, "success");
    }
    assert.deepEqual(said(requests), ["one", "two", "four"]);
    assert.deepEqual(waiting(), []);
  });

  it("submits each once, also where the files change as the one before it leaves", async () => {
    const { files, all } = begin();
    files.add([file()]);
    await settled();
    const left = [];
    const agent = { hold: () => {} };
    const submit = async ({ message: { content } }) => {
      files.clear();
      left.push(said([{ messages: [{ content }] }])[0]);
      return { outcome: "success" };
    };
    const runs = ["one", "two", "three"].map((message) => files.hold(agent, { message, parts: message === "one" ? files : undefined }, submit));
    ready(all[0], "a");
    await Promise.all(runs);
    assert.deepEqual(left, ["one", "two", "three"]);
  });

  it("asks two agents apart from each other", async () => {
    const one = begin();
    const two = createAgent({ url: "https://agent.test/", fetch: serve().fetch, notify: "sync" });
    one.files.add([file("a.png")]);
    one.agent.submit({ message: "one", parts: one.files });
    one.files.add([file("b.png")]);
    two.submit({ message: "two", parts: one.files });
    assert.deepEqual([one.agent, two].map((agent) => agent.getSnapshot().queue.map(({ attachments }) => attachments[0].name)), [["a.png"], ["b.png"]]);
    one.agent.reset();
    assert.deepEqual([one.agent, two].map((agent) => agent.getSnapshot().queue.length), [0, 1]);
  });
});
