/** The ways in which a run goes wrong. Whatever has been said by then stays on the page. */
import { started, text, words } from "../events.mjs";
import { cut as breakOff, end, mark, wait } from "../steps.mjs";

function* half(input, content) {
  const messageId = `${input.runId}-answer`;
  yield started(input);
  yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
  yield* words(messageId, content);
  yield mark("broken");
  yield wait(300);
}

export const error = {
  name: "error",
  title: "Error in mid-stream",
  about: "The agent fails after half an answer, and says so.",
  prompt: "Tell me the ending of the story.",
  *run(input) {
    yield* half(input, "And when they opened the door, they saw at last that the lamp had been");
    yield { type: "RUN_ERROR", message: "The model ran out of its quota.", code: "quota_exceeded" };
  },
};

export const cut = {
  name: "cut",
  title: "Connection lost",
  about: "The connection breaks in the middle of a word.",
  prompt: "Read me the whole letter.",
  *run(input) {
    yield* half(input, "Dear friend, the ferry leaves tomorrow and I wanted to tell you before that the key is under the thi");
    yield breakOff();
  },
};

export const eof = {
  name: "eof",
  title: "Ends too early",
  about: "The stream ends neatly, but nobody said that the run is over.",
  prompt: "Is that all?",
  *run(input) {
    yield started(input);
    yield* text(`${input.runId}-answer`, "There is more, but the server forgot to say");
    yield end();
  },
};

export const busy = {
  name: "busy",
  title: "503, JSON",
  about: "The server is overloaded and answers with JSON.",
  prompt: "Are you there?",
  reply: {
    status: 503,
    type: "application/json",
    body: JSON.stringify({ error: { code: "overloaded", message: "All workers are busy. Try again in a minute." } }),
  },
};

export const auth = {
  name: "auth",
  title: "401, JSON",
  about: "The server wants to know who you are.",
  prompt: "Let me in.",
  reply: { status: 401, type: "application/json", body: JSON.stringify({ error: "The access token has expired." }) },
};

export const html = {
  name: "html",
  title: "HTML instead of events",
  about: "A proxy answers with a page, as they do.",
  prompt: "Hello?",
  reply: {
    status: 200,
    type: "text/html; charset=utf-8",
    body: "<!doctype html>\n<title>Welcome</title>\n<h1>Welcome to the guest network</h1>\n<p>Please accept the terms.</p>\n",
  },
};
