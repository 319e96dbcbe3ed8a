import { finished, started, text } from "../events.mjs";

export const usage = {
  name: "usage",
  title: "Token usage",
  about: "What the run cost, for each model that took part.",
  prompt: "How much did that cost?",
  *run(input) {
    yield started(input);
    yield* text(`${input.runId}-answer`, "Not much. The figures are in the panel: one model planned, another one wrote.");
    yield finished(input, {
      usage: [
        { provider: "anthropic", model: "planner-large", inputTokens: 1240, outputTokens: 320, totalTokens: 1560, reasoningTokens: 210 },
        { provider: "openai", model: "writer-small", inputTokens: 640, outputTokens: 96, totalTokens: 736, cachedInputTokens: 512 },
      ],
    });
  },
};
