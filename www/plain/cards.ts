import type { Agent, AgentError, Interrupt, ResumeEntry } from "ag-ui-wasm";
import { approve, cancel, questionOf } from "../shared/answers.js";
import { errorFacts, headline } from "../shared/format.js";
import type { HeldQuestion } from "../shared/held.js";
import { h, icon, list, maybe, slot, type View } from "./dom.js";

/** The cards under the last message: the agent's questions, and the error that ended the run. */
export function cards(agent: Agent): { node: Element; update(): void; hold(questions: readonly HeldQuestion[]): void } {
  const [held, questions, failure] = [slot(), slot(), slot()];
  let answers: readonly ResumeEntry[] = [];

  // The protocol wants all answers in one request, so they are gathered first.
  const answer = (entry: ResumeEntry): void => {
    const { interrupts } = agent.getSnapshot();
    const replies = [...answers.filter(({ interruptId }) => interrupts.some(({ id }) => id === interruptId)), entry];
    const complete = open().length === 1;
    answers = complete ? [] : replies;
    if (complete) void agent.resume(replies);
    else update();
  };
  const open = (): readonly Interrupt[] => {
    const { status, interrupts } = agent.getSnapshot();
    if (status === "running") return [];
    return interrupts.filter(({ id }) => answers.every(({ interruptId }) => interruptId !== id));
  };
  const ask = list<Interrupt>(
    questions,
    ({ id }) => id,
    (interrupt) => questionView(interrupt.reason, questionOf(interrupt), (yes) => answer(yes ? approve(interrupt) : cancel(interrupt))),
  );
  const hold = list<HeldQuestion>(held, ({ id }) => id, ({ message, answer: reply }) => questionView("held", message, reply));
  const fail = maybe<AgentError>(failure, (error) => errorView(error, () => void agent.retry()));
  const update = (): void => {
    ask(open());
    fail(agent.getSnapshot().error);
  };
  update();
  return { node: h("div", { class: "slot" }, held, questions, failure), update, hold };
}

function questionView(reason: string, message: string, answer: (yes: boolean) => void): View<unknown> {
  const button = (name: string, testid: string, yes: boolean, label: string): Element =>
    h("button", { type: "button", class: name, "data-testid": testid, onclick: () => answer(yes) }, label);
  const node = h(
    "section",
    { class: "card ask", role: "group", "aria-label": "The agent asks", "data-testid": "interrupt", "data-reason": reason },
    h("p", { dir: "auto" }, message),
    h(
      "div",
      { class: "choices" },
      button("button main", "interrupt-approve", true, "Approve"),
      button("button", "interrupt-cancel", false, "Cancel"),
    ),
  );
  return { node, update() {} };
}

function errorView(error: AgentError, onRetry: () => void): View<AgentError> {
  const node = h("section", { class: "card error", role: "alert", "data-testid": "error-card" });
  const update = (next: AgentError): void => {
    const { kind, message, body, retryable } = next;
    node.dataset["kind"] = kind;
    node.dataset["retryable"] = String(retryable);
    node.replaceChildren(
      h("h2", {}, icon("alert"), ` ${headline(next)}`),
      h("p", { class: "facts", "data-testid": "error-facts" }, errorFacts(next)),
      h("p", { dir: "auto", "data-testid": "error-message" }, message),
      ...(body === undefined ? [] : [h("pre", { tabindex: 0 }, body)]),
      h(
        "div",
        { class: "choices" },
        h("button", { type: "button", class: retryable ? "button main" : "button", "data-testid": "retry", onclick: onRetry }, "Try again"),
      ),
    );
  };
  update(error);
  return { node, update };
}
