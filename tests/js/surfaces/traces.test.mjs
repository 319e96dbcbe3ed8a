// The recipe of docs/tracing.md with OpenTelemetry's in-memory exporter, and the measures of the performance timeline.

import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { transform } from "esbuild";
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { load } from "../lib.mjs";
import { create, skip } from "./lib.mjs";

const { measureRuns } = await load("traces/index");
// It imports from the modules of the repository.
const file = new URL(`.recipe-${process.pid}.mjs`, import.meta.url);
after(() => rmSync(file, { force: true }));

const tool = [
  { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "weather" },
  { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
  { type: "TOOL_CALL_END", toolCallId: "c" },
  { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: "20" },
];
const failed = [{ type: "RUN_ERROR", message: "out of memory", code: "oom" }];

describe("traces", { skip }, () => {
  it("has a span for each run and each tool", async () => {
    const [, code] = /^```ts\n(.*?)^```/ms.exec(readFileSync(new URL("../../../docs/tracing.md", import.meta.url), "utf8"));
    writeFileSync(file, (await transform(code, { loader: "ts" })).code);
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    const { traceAgent } = await import(file);
    const { agent } = create(tool, failed, []);
    const off = traceAgent(agent, "meteorologist");
    await agent.submit("go");
    await agent.submit("again");
    off();
    await agent.submit("untraced");
    const [call, run, error, ...more] = exporter.getFinishedSpans();
    assert.deepEqual(more, []);
    assert.deepEqual([call.name, run.name, error.name], ["execute_tool weather", "invoke_agent meteorologist", "invoke_agent meteorologist"]);
    assert.deepEqual([call.parentSpanContext.spanId, call.attributes["gen_ai.tool.call.id"]], [run.spanContext().spanId, "c"]);
    const { threadId } = agent.getSnapshot();
    assert.deepEqual([run.attributes["gen_ai.operation.name"], run.attributes["gen_ai.conversation.id"], run.attributes["ag_ui.outcome"]], [
      "invoke_agent",
      threadId,
      "success",
    ]);
    assert.deepEqual(run.events.map(({ name }) => name), ["first_token"]);
    assert.deepEqual([error.status, error.attributes["error.type"]], [{ code: 2, message: "out of memory" }, "oom"]);
  });

  it("measures runs, until it is told to end", async () => {
    const { agent } = create(tool, failed, []);
    const seen = () => performance.getEntriesByType("measure").map(({ name, detail }) => [name, detail.outcome ?? detail.toolCallId]);
    assert.deepEqual(seen(), []);
    const off = measureRuns(agent, { prefix: "chat" });
    await agent.submit("go");
    await agent.submit("again");
    off();
    await agent.submit("unmeasured");
    assert.deepEqual(seen().sort(), [["chat first token", "success"], ["chat run", "error"], ["chat run", "success"], ["chat tool weather", "c"]]);
    performance.clearMeasures();
  });
});
