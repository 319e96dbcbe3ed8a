/**
 * ngaf: AG-UI over the ordinary transport, as its documents show it. Reasoning of the role "assistant", results before the
 * END of their call, without an id and as objects, citations in the state by the id of their message, and questions as
 * the custom event `on_interrupt`, answered with `forwardedProps.command.resume`.
 */
import { custom, delta, finished, snapshot, started, words } from "../events.mjs";
import { mark, pieces, wait } from "../steps.mjs";
import { dataFrame, readInput, receivedInput } from "./ag-ui.mjs";
import { continued } from "../page-tools.mjs";

const text = {
  name: "text",
  title: "Reasoning, a tool, citations",
  about: "One message thinks, calls a tool, answers, and says where it knows it from.",
  prompt: "What is the weather in Paris?",
  *run(input) {
    const messageId = `${input.runId}-answer`;
    const toolCallId = `${input.runId}-call`;
    yield started(input);
    yield snapshot({ itinerary: { days: [] }, citations: {} });
    yield { type: "REASONING_MESSAGE_START", messageId, role: "assistant" };
    for (const piece of pieces("The user wants the weather; the tool knows it.", 8)) {
      yield { type: "REASONING_MESSAGE_CHUNK", messageId, delta: piece };
      yield wait(40);
    }
    yield { type: "REASONING_MESSAGE_END", messageId };
    yield mark("reasoning");
    yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
    yield* words(messageId, "Let me look that up. ");
    yield { type: "TOOL_CALL_START", toolCallId, toolCallName: "get_weather", parentMessageId: messageId };
    for (const piece of pieces('{"location":"Paris","unit":"C"}', 6)) {
      yield { type: "TOOL_CALL_ARGS", toolCallId, delta: piece };
      yield wait(40);
    }
    yield wait(400);
    yield { type: "TOOL_CALL_RESULT", toolCallId, content: { temp: 18, sky: "cloudy" } };
    yield { type: "TOOL_CALL_END", toolCallId };
    yield* words(messageId, "It is **18 °C** and cloudy in Paris.", { half: true });
    yield { type: "TEXT_MESSAGE_END", messageId };
    yield delta(
      { op: "add", path: "/itinerary/days/-", value: { city: "Paris" } },
      {
        op: "add",
        path: `/citations/${messageId}`,
        value: [
          { refId: "src-9", name: "Météo Paris", href: "https://meteo.example/paris", excerpt: "18 °C" },
          "https://plain.example/weather",
        ],
      },
    );
    yield custom("state_update", { progress: 1 });
    yield custom("telemetry", JSON.stringify({ tokens: 321 }));
    yield finished(input);
  },
};

const tool = {
  name: "tool",
  title: "A tool of the page",
  about: "The run ends with a call that the page answers, and goes on with the result.",
  prompt: "Give this page another color.",
  *run(input) {
    const result = continued(input);
    const messageId = `${input.runId}-answer`;
    yield started(input);
    yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
    if (result === undefined) {
      const toolCallId = `${input.runId}-call`;
      yield* words(messageId, "A warmer one, I think.");
      yield { type: "TEXT_MESSAGE_END", messageId };
      yield { type: "TOOL_CALL_START", toolCallId, toolCallName: "set_accent", parentMessageId: messageId };
      for (const piece of pieces('{"color":"plum"}', 5)) {
        yield { type: "TOOL_CALL_ARGS", toolCallId, delta: piece };
        yield wait(40);
      }
      yield { type: "TOOL_CALL_END", toolCallId };
    } else {
      yield* words(messageId, `There: it is ${result.color ?? "as it was"} now.`);
      yield { type: "TEXT_MESSAGE_END", messageId };
    }
    yield finished(input);
  },
};

const interrupt = {
  name: "interrupt",
  title: "A question",
  about: "A subagent reports, then the graph stops to ask you.",
  prompt: "Refund order 1024.",
  *run(input) {
    const answer = input.forwardedProps?.command?.resume;
    const messageId = `${input.runId}-answer`;
    yield started(input);
    if (answer === undefined) {
      const activity = { messageId: `${input.runId}-activity`, activityType: "subagent" };
      const content = { toolCallId: `${input.runId}-sub`, name: "researcher", status: "running", text: "" };
      yield { type: "ACTIVITY_SNAPSHOT", ...activity, content, replace: true };
      yield mark("subagent");
      yield wait(800);
      yield {
        type: "ACTIVITY_DELTA",
        ...activity,
        patch: [
          { op: "replace", path: "/text", value: "The order was paid twice." },
          { op: "replace", path: "/status", value: "complete" },
        ],
      };
      yield custom("on_interrupt", JSON.stringify({ question: "Approve refund of $42?", options: ["yes", "no"] }));
    } else {
      yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
      const yes = answer === "yes" || answer.approved === true;
      yield* words(messageId, yes ? "Refunded: $42 are on their way." : "Nothing was refunded.");
      yield { type: "TEXT_MESSAGE_END", messageId };
    }
    yield finished(input);
  },
};

export const ngaf = {
  name: "ngaf",
  paths: ["/ngaf/*"],
  scenarios: [text, tool, interrupt],
  read: readInput,
  received: (input) => ({ ...receivedInput(input), forwardedProps: input.forwardedProps }),
  frame: dataFrame,
};
