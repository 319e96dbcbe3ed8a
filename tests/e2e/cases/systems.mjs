/** Each system that the server speaks as, by its protocol: what comes, what the page does, and what goes back. */
import assert from "node:assert/strict";
import { id } from "../chat.mjs";
import { checked } from "./access.mjs";

const call = (name, more = "") => id("tool-call", `[data-name="${name}"]${more}`);
const log = "#panel .log li";

/** Asks the scenario's own question, and waits for the end of the run. */
async function ask(chat, protocol, scenario, options) {
  await chat.open(scenario, { protocol, ...options });
  await chat.click(id("send"));
}

/** The texts of the agent's messages. */
const said = async (chat) => (await chat.messages()).filter(({ role, text }) => role === "assistant" && text !== "").map(({ text }) => text);

/** The last request that the server received. */
const received = async (chat) => (await chat.server((runs) => runs.at(-1))).received;

const answered = async (chat) => {
  await chat.idle();
  assert.match(await chat.browser.text(id("status")), /^Answered/);
  assert.equal(await chat.browser.count(id("error-card")), 0);
};

/** Hector's weather is the same in all its forms. */
const weather = (protocol) =>
  async function (chat) {
    await ask(chat, protocol, "weather", { hold: true });
    await chat.release();
    await chat.waitsAt("reasoning");
    await chat.shows(id("reasoning", '[data-done="false"]'), "The user wants weather. Use the tool.");
    await chat.release();
    if (protocol !== "hector-2") {
      await chat.waitsAt("called");
      await chat.shows(call("web_search"), "weather Berlin");
      await chat.release();
    }
    await chat.waitsAt("text");
    await chat.shows(id("text"), "I'll check.");
    await chat.release();
    await chat.shows(id("text"), "It is 12 °C and raining in Berlin.");
    await answered(chat);
    assert.deepEqual(await said(chat), ["I'll check.", "It is 12 °C and raining in Berlin."], "each text once");
    assert.deepEqual(await chat.texts(id("reasoning-text")), ["The user wants weather. Use the tool."]);
    await chat.shows(`${call("web_search", '[data-phase="output-available"]')} ${id("tool-result")}`, "12 °C, rain");
    assert.equal(await chat.browser.count(id("tool-call")), 1);
    await chat.screenshot(`${protocol}-weather`);
  };

export const systems = {
  "agent-os": {
    async "reasoning, a tool of the server, and the sum of what it cost"(chat) {
      await ask(chat, "agent-os", "text");
      await chat.shows(id("text"), "18 °C and cloudy in Porto.");
      await answered(chat);
      await chat.shows(id("reasoning"), "the forecast has to be looked up");
      await chat.shows(`${call("lookup", '[data-phase="output-available"]')} ${id("tool-args")}`, "tool_arguments");
      assert.deepEqual(await chat.texts(id("usage")).then((list) => list.map((text) => text.match(/\d.*/)[0])), ["300 in, 75 out"]);
      await chat.shows(log, "agent-os.chat.ingested");
      assert.equal(await chat.browser.count(id("notice")), 0, "what the ledger tells aside does not float");
      await chat.screenshot("agent-os");
    },

    async "an interrupt is approved, and the run resumed"(chat) {
      await ask(chat, "agent-os", "approval");
      await chat.until((css) => document.querySelector(css), id("interrupt"));
      assert.equal(await chat.browser.text(id("status")), "Waiting for your decision");
      await chat.screenshot("agent-os-approval");
      await chat.click(id("interrupt-approve"));
      await chat.shows(id("text"), "Published, as you allowed.");
      await answered(chat);
      await chat.gone(id("interrupt"));
      await chat.shows(call("publish", '[data-phase="output-available"]'), "tool_result");
      assert.deepEqual((await received(chat)).answer.payload, { kind: "approval", approved: true });
    },

    async "a refusal by policy is told, an aborted run is an error"(chat) {
      await ask(chat, "agent-os", "policy");
      await chat.shows(id("error-message"), "write_file failed: quota");
      assert.equal(await chat.browser.text(id("error-facts")), "run · agent.aborted.tool_error");
      await chat.shows(id("notice"), "Preview made");
      await chat.shows(log, "agent-os.tool.policy_rejected");
      assert.equal(await chat.browser.count(id("tool-call")), 2, "what was shown stays");
    },
  },

  ngaf: {
    async "reasoning, a tool and citations in one message"(chat) {
      await ask(chat, "ngaf", "text");
      await chat.shows(id("text"), "It is 18 °C and cloudy in Paris.");
      await answered(chat);
      assert.deepEqual((await chat.messages()).map(({ role }) => role), ["user", "assistant"]);
      assert.deepEqual(await chat.texts(id("reasoning-text")), ["The user wants the weather; the tool knows it."]);
      await chat.shows(call("get_weather", '[data-phase="output-available"]'), "cloudy");
      const links = await chat.browser.evaluate(
        (css) => [...document.querySelectorAll(css)].map(({ textContent, href }) => [textContent.trim(), href]),
        id("citation"),
      );
      assert.deepEqual(links, [
        ["Météo Paris", "https://meteo.example/paris"],
        ["https://plain.example/weather", "https://plain.example/weather"],
      ]);
      await chat.shows(id("state"), "itinerary");
      await chat.shows(log, '{"tokens":321}');
      await chat.screenshot("ngaf");
      await checked(chat);
    },

    async "a tool of the page runs, and the agent goes on"(chat) {
      await ask(chat, "ngaf", "tool");
      await chat.shows(id("text"), "There: it is plum now.");
      await answered(chat);
      assert.equal(await chat.browser.evaluate(() => document.documentElement.dataset.accent), "plum");
      assert.equal((await received(chat)).lastMessage.role, "tool");
    },

    async "a subagent reports, a question is answered"(chat) {
      await ask(chat, "ngaf", "interrupt", { hold: true });
      await chat.waitsAt("subagent");
      await chat.shows(id("subagent", '[data-status="running"]'), "researcher");
      await chat.release("all");
      await chat.shows(id("interrupt"), "Approve refund of $42?");
      await chat.shows(id("subagent", '[data-status="complete"]'), "researcher");
      await chat.screenshot("ngaf-interrupt");
      await chat.click(id("interrupt-approve"));
      await chat.shows(id("text"), "Refunded: $42 are on their way.");
      await answered(chat);
      assert.deepEqual((await received(chat)).forwardedProps.command.resume, { approved: true });
    },
  },

  "open-search": {
    async "a tool of the cluster, the usage, and one end of the run"(chat) {
      await ask(chat, "open-search", "text");
      await chat.shows(id("text"), "You have one log index, and it is healthy.");
      await answered(chat);
      await chat.shows(`${call("ListIndexTool", '[data-phase="output-available"]')} ${id("tool-result")}`, "logs-2026.06");
      await chat.shows(id("usage"), "812 in, 64 out");
      assert.equal((await said(chat)).length, 2);
      await chat.screenshot("open-search");
    },

    async "the page's query bar is filled, and the agent goes on"(chat) {
      await ask(chat, "open-search", "query");
      await chat.shows(id("text"), "Done: the query bar asks for them, 42 events match.");
      await answered(chat);
      await chat.shows(id("query"), "source=logs | where status>=500");
      const { messages, state, forwardedProps } = await received(chat);
      assert.deepEqual([messages.length, messages.at(-1).role, state, forwardedProps], [3, "tool", {}, {}]);
      await chat.screenshot("open-search-query");
      await checked(chat);
    },

    async "a tool of the page is approved"(chat) {
      await ask(chat, "open-search", "approval");
      await chat.shows(call("read_window", '[data-phase="awaiting-approval"]'), "Waiting for approval");
      await chat.click(id("tool-approve"));
      await chat.shows(id("text"), "two columns it is.");
      await answered(chat);
    },

    async "a frame without a type ends the run, and the words stay"(chat) {
      await ask(chat, "open-search", "error");
      await chat.shows(id("error-message"), "throttled");
      assert.equal((await chat.data(id("error-card"))).kind, "run");
      assert.deepEqual(await said(chat), ["In the last hour there"]);
    },
  },

  chio: {
    async "text, state, a toast, and receipts after their events"(chat) {
      await ask(chat, "chio", "refund", { hold: true });
      await chat.release();
      await chat.waitsAt("form");
      await chat.shows(id("text"), "I'll check your order status now.");
      await chat.shows(log, "chio.lifecycle");
      await chat.release();
      await chat.shows(id("text"), "I'll check your order status now. It can be refunded.");
      await answered(chat);
      await chat.shows(id("state"), "42.5");
      await chat.shows(id("notice"), "Refund queued");
      await chat.until((css) => document.querySelectorAll(css).length === 4, `${log}[data-level="success"]`);
      const receipts = (await chat.texts(log)).filter((text) => text.startsWith("Receipt"));
      assert.equal(receipts.filter((text) => /^Receipt verified.* was let through, exactly as it came$/.test(text)).length, 3, receipts.join("\n"));
      await chat.shows(log, "was blocked: capability required for Navigate events");
      assert.equal((await received(chat)).payload.text, "I want my money back for order 1024.");
      await chat.screenshot("chio");
    },

    async "the guard lets nothing through that the page has not"(chat) {
      await ask(chat, "chio", "guarded");
      await chat.shows(id("text"), "This way, please. You are still here.");
      await answered(chat);
      await chat.shows(id("notice", '[data-level="warning"]'), "capability required for Navigate events");
      await chat.shows(id("notice", '[data-level="warning"]'), "unknown component");
      const told = (await chat.texts(log)).join("\n");
      assert.doesNotMatch(told, /evil\.example|Send all\?/, "what was blocked is nowhere");
      await chat.screenshot("chio-guarded");
      await checked(chat);
    },
  },

  hector: {
    "thinking, a tool and text in its AG-UI form": weather("hector"),

    async "a failing service is an error, and the words stay"(chat) {
      await ask(chat, "hector", "failure");
      await chat.shows(id("error-message"), "reasoning failed");
      assert.deepEqual(await said(chat), ["Roses are"]);
    },
  },

  "hector-a2a": {
    "the same run in native A2A": weather("hector-a2a"),

    async "a tool is approved while the stream stays open"(chat) {
      await ask(chat, "hector-a2a", "approval", { hold: true });
      await chat.release();
      await chat.waitsAt("asked");
      await chat.release();
      await chat.shows(id("interrupt"), "Run execute_command: ls -la?");
      assert.equal((await chat.data(id("chat"))).status, "running");
      await chat.screenshot("hector-approval");
      await checked(chat);
      await chat.click(id("interrupt-approve"));
      await chat.shows(id("text"), "The folder is empty.");
      await answered(chat);
      await chat.gone(id("interrupt"));
      await chat.shows(call("execute_command", '[data-phase="output-available"]'), "total 0");
    },
  },

  "hector-2": {
    "the text once, though it comes twice": weather("hector-2"),

    async "a run ends for an approval, and its answer goes on"(chat) {
      await ask(chat, "hector-2", "approval");
      await chat.shows(id("interrupt"), "Tool 'bash' requires approval.");
      await chat.click(id("interrupt-approve"));
      await chat.shows(id("text"), "The folder is empty.");
      await answered(chat);
      const { answer } = await received(chat);
      assert.deepEqual([answer.type, answer.decision], ["tool_approval", "approve"]);
      await chat.shows(call("bash"), "total 0");
      await chat.screenshot("hector-2-approval");
    },

    async "a failed task says why"(chat) {
      await ask(chat, "hector-2", "failure");
      await chat.shows(id("error-message"), "The model did not answer.");
      assert.deepEqual(await said(chat), ["Roses are"]);
    },
  },
};

/** A session that stays open: three messages and their answers over one connection, and what comes without being asked. */
export const session = (protocol) => async (chat) => {
  await chat.open("session", { protocol, hold: true });
  await chat.shows(id("notice"), "Connected");
  await chat.release("all");
  for (const [at, text] of ["Where is my order?", "When does it come?", "Thank you."].entries()) {
    await chat.ask(text);
    await chat.shows(id("text"), `Message ${at + 1} of this connection: ${text}`);
    await answered(chat);
  }
  assert.deepEqual(
    (await chat.messages()).map(({ role, text }) => [role, text]),
    ["Where is my order?", "When does it come?", "Thank you."].flatMap((text, at) => [
      ["user", text],
      ["assistant", `Message ${at + 1} of this connection: ${text}`],
    ]),
  );
  const runs = await chat.server((runs) => runs.length > 0 && runs);
  assert.equal(runs.length, 1, "one connection");
  assert.deepEqual(runs[0].received.messages, ["Where is my order?", "When does it come?", "Thank you."]);
  assert.equal(runs[0].ended, undefined, "which is open still");
  await chat.screenshot(`${protocol}-${chat.page}`);
  await checked(chat);
};

/** The Agent contract of ngaf over the page's agent, as it goes on. */
export async function contract(chat) {
  const shown = id("contract");
  await chat.open("text", { protocol: "ngaf-contract", hold: true });
  await chat.shows(shown, '"idle"');
  await chat.ask("What is the weather in Paris?");
  await chat.waitsAt("reasoning");
  await chat.shows(shown, '"running"');
  await chat.shows(shown, '"assistant, streaming"');
  await chat.release("all");
  await answered(chat);
  await chat.shows(shown, '"assistant, complete"');
  await chat.shows(shown, '"get_weather, complete"');
  await chat.shows(shown, '"telemetry"');
  await checked(chat);
  await chat.pick("ag-ui", "protocol");
  await chat.gone(`${shown}:not([hidden] *)`);
}

/** A core in a worker: the same answer, the page's tools, and another conversation after another protocol. */
export async function inWorker(chat) {
  const workers = () => chat.browser.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => /worker-main/.test(name)).length);
  await chat.open("screen", { protocol: "worker" });
  await chat.ask("Fit it to my screen.");
  await chat.click(id("tool-approve"));
  await chat.shows(id("text"), "two columns it is.");
  await answered(chat);
  assert.ok((await workers()) > 0, "the worker's script was fetched");
  assert.equal(await chat.browser.count(id("notice", '[data-level="warning"]')), 0, "the worker was not refused");
  await chat.click(id("new"));
  await chat.gone(id("message"));
  await chat.pick("echo");
  await chat.ask("one");
  await chat.shows(id("text"), "You said: one");
  await chat.idle();
  await chat.pick("ag-ui", "protocol");
  await chat.gone(id("message"));
  await chat.pick("worker", "protocol");
  await chat.ask("two");
  await chat.shows(id("text"), "You said: two");
}

/** The switch of the page. */
export async function switching(chat) {
  await chat.open("echo");
  await chat.ask("one");
  await chat.shows(id("text"), "You said: one");
  await chat.idle();
  await chat.pick("open-search", "protocol");
  await chat.gone(id("message"));
  assert.equal(await chat.browser.evaluate((css) => document.querySelector(css).selectedOptions[0].textContent, id("scenario")), "A tool of the cluster");
  await chat.click(id("send"));
  await chat.shows(id("text"), "You have one log index");
  await answered(chat);
  assert.match((await chat.texts(id("address")))[0], /^\/_plugins\/_ml\/agents\/text\/_execute\/stream\?/);
  await chat.pick("ag-ui", "protocol");
  await chat.gone(id("message"));
  await chat.ask("two");
  await chat.shows(id("text"), "You said: two");
  await chat.idle();
  assert.equal((await chat.messages()).length, 2);
}
