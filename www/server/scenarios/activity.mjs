import { finished, started, text } from "../events.mjs";
import { mark, wait } from "../steps.mjs";

const steps = ["Read the three reports", "Compare the figures", "Look for what is missing", "Write the summary"];

/** An activity is a message that is not text: here a list of things to do, ticked off while the agent works. */
export const activity = {
  name: "activity",
  title: "Activity",
  about: "A checklist in the conversation, ticked off as the work goes on.",
  prompt: "Summarize the three quarterly reports.",
  *run(input) {
    const messageId = `${input.runId}-plan`;
    const patch = (...operations) => ({ type: "ACTIVITY_DELTA", messageId, activityType: "PLAN", patch: operations });
    yield started(input);
    yield {
      type: "ACTIVITY_SNAPSHOT",
      messageId,
      activityType: "PLAN",
      content: { title: "Reading the reports", steps: steps.map((label) => ({ label, status: "pending" })) },
    };
    for (const [index] of steps.entries()) {
      yield wait(300);
      yield patch({ op: "replace", path: `/steps/${index}/status`, value: "running" });
      yield mark("step");
      yield wait(900);
      yield patch({ op: "replace", path: `/steps/${index}/status`, value: "done" });
    }
    yield patch({ op: "replace", path: "/title", value: "Reports read" });
    yield* text(
      `${input.runId}-answer`,
      "Revenue grew in all three quarters; costs grew faster in the third, and the report does not say why. **Ask about line 14.**",
    );
    yield finished(input);
  },
};
