import type { AgentError, Interrupt, ResumeEntry } from "ag-ui-wasm";
import { useState } from "react";
import { approve, cancel, questionOf } from "../shared/answers.js";
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
    const replies = [...answers.filter(({ interruptId }) => interrupts.some(({ id }) => id === interruptId)), entry];
    const complete = open.length === 1;
    setAnswers(complete ? [] : replies);
    if (complete) onAnswer(replies);
  };
  return open.map((interrupt) => (
    <Question
      key={interrupt.id}
      reason={interrupt.reason}
      message={questionOf(interrupt)}
      onApprove={() => answer(approve(interrupt))}
      onCancel={() => answer(cancel(interrupt))}
    />
  ));
}

export function Question(props: { reason: string; message: string; onApprove: () => void; onCancel: () => void }) {
  return (
    <section className="card ask" role="group" aria-label="The agent asks" data-testid="interrupt" data-reason={props.reason}>
      <p dir="auto">{props.message}</p>
      <div className="choices">
        <button type="button" className="button main" data-testid="interrupt-approve" onClick={props.onApprove}>
          Approve
        </button>
        <button type="button" className="button" data-testid="interrupt-cancel" onClick={props.onCancel}>
          Cancel
        </button>
      </div>
    </section>
  );
}
