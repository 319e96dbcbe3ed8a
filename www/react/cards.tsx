import type { AgentError, Interrupt, ResumeEntry } from "ag-ui-wasm";
import { useState } from "react";
import { errorFacts, headline } from "../shared/format.js";

export function ErrorCard({ error, onRetry }: { error: AgentError; onRetry: () => void }) {
  return (
    <section className="card error" role="alert" data-testid="error-card" data-kind={error.kind} data-retryable={error.retryable}>
      <h2>
        <span className="icon" data-icon="alert" /> {headline(error)}
      </h2>
      <p className="facts" data-testid="error-facts">
        {errorFacts(error)}
      </p>
      <p dir="auto" data-testid="error-message">
        {error.message}
      </p>
      {error.body !== undefined && <pre tabIndex={0}>{error.body}</pre>}
      <div className="choices">
        <button type="button" className={error.retryable ? "button main" : "button"} data-testid="retry" onClick={onRetry}>
          Try again
        </button>
      </div>
    </section>
  );
}

/** The open questions. The protocol wants all answers in one request, so they are gathered first. */
export function Questions(props: { interrupts: readonly Interrupt[]; onAnswer: (answers: ResumeEntry[]) => void }) {
  const { interrupts, onAnswer } = props;
  const [answers, setAnswers] = useState<readonly ResumeEntry[]>([]);
  const open = interrupts.filter(({ id }) => answers.every(({ interruptId }) => interruptId !== id));
  const answer = (entry: ResumeEntry): void => {
    const given = [...answers.filter(({ interruptId }) => interrupts.some(({ id }) => id === interruptId)), entry];
    const complete = open.length === 1;
    setAnswers(complete ? [] : given);
    if (complete) onAnswer(given);
  };
  return open.map(({ id, reason, message }) => (
    <section key={id} className="card ask" role="group" aria-label="The agent asks" data-testid="interrupt" data-reason={reason}>
      <p dir="auto">{message ?? `The agent asks: ${reason}`}</p>
      <div className="choices">
        <button
          type="button"
          className="button main"
          data-testid="interrupt-approve"
          onClick={() => answer({ interruptId: id, status: "resolved", payload: { approved: true } })}
        >
          Approve
        </button>
        <button
          type="button"
          className="button"
          data-testid="interrupt-cancel"
          onClick={() => answer({ interruptId: id, status: "cancelled" })}
        >
          Cancel
        </button>
      </div>
    </section>
  ));
}
