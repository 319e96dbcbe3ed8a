import { call, finished, result, started, text } from "../events.mjs";
import { mark, wait } from "../steps.mjs";

/** Two steps; in the first, a researcher with a helper of its own, and a fact checker that fails without ending the run. */
export const subagents = {
  name: "subagents",
  title: "Subagents and steps",
  about: "An agent that delegates: steps, nested subagents, one of which fails.",
  prompt: "Is the tower of Pisa still falling?",
  *run(input) {
    const { runId } = input;
    const id = (name) => `${runId}-${name}`;
    const [researcher, reader, checker] = [id("researcher"), id("reader"), id("checker")];

    yield started(input);
    yield { type: "STEP_STARTED", stepName: "Research" };
    yield* call(id("delegate"), "delegate", { to: ["researcher", "fact checker"], question: "Does it still lean further?" });
    yield {
      type: "SUBAGENT_STARTED",
      subagentRunId: researcher,
      name: "Researcher",
      description: "Searches and reads",
      parentToolCallId: id("delegate"),
    };
    yield {
      type: "SUBAGENT_STARTED",
      subagentRunId: checker,
      name: "Fact checker",
      description: "Asks for a second source",
      parentToolCallId: id("delegate"),
    };
    yield wait(500);
    yield {
      type: "SUBAGENT_STARTED",
      subagentRunId: reader,
      name: "Reader",
      description: "Reads one long report",
      parentSubagentRunId: researcher,
    };
    yield* text(id("note"), "The 2001 works removed soil from under the north side; the tower straightened by 45 cm.", {
      tag: reader,
    });
    yield { type: "SUBAGENT_FINISHED", subagentRunId: reader, result: { pages: 212 }, outcome: { type: "success" } };
    yield mark("subagents");
    yield wait(600);
    yield { type: "SUBAGENT_ERROR", subagentRunId: checker, message: "The archive did not answer.", code: "timeout" };
    yield wait(400);
    yield { type: "SUBAGENT_FINISHED", subagentRunId: researcher, result: "stable since 2008" };
    yield result(id("delegate"), { researcher: "stable since 2008", "fact checker": "no answer" });
    yield { type: "STEP_FINISHED", stepName: "Research" };
    yield { type: "STEP_STARTED", stepName: "Write" };
    yield* text(
      id("answer"),
      "No. Since the works that ended in 2001 it leans about four degrees, and the engineers expect it to stay there for two " +
        "hundred years. *One source only: the archive did not answer.*",
    );
    yield { type: "STEP_FINISHED", stepName: "Write" };
    yield finished(input);
  },
};
