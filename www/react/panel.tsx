import type { AgentSnapshot, Subagent } from "ag-ui-wasm";
import { useSyncExternalStore } from "react";
import { contract } from "../shared/contract.js";
import { count, duration } from "../shared/format.js";
import type { Notice } from "../shared/notices.js";
import { isEmpty } from "../shared/json.js";
import { queryBar } from "../shared/tools.js";
import { JsonView } from "./json-view.js";

export function Panel({ chat, notices }: { chat: AgentSnapshot; notices: readonly Notice[] }) {
  const { state, steps, subagents, usage } = chat;
  const query = useSyncExternalStore(queryBar.subscribe, queryBar.get);
  const fields = useSyncExternalStore(contract.subscribe, contract.get);

  return (
    <aside className="panel" id="panel" tabIndex={0} aria-label="Details of the run" data-testid="panel">
      <section>
        <h2>State</h2>
        <div data-testid="state">
          {isEmpty(state) ? <p className="none">Nothing shared yet.</p> : <JsonView value={state} />}
        </div>
      </section>
      {query !== undefined && (
        <section>
          <h2>Query bar</h2>
          <p className="query" data-testid="query">
            <code>{query.query}</code> {query.language}
          </p>
        </section>
      )}
      {steps.length > 0 && <Steps steps={steps} />}
      {subagents.length > 0 && (
        <section className="agents">
          <h2>Subagents</h2>
          <Agents list={subagents} />
        </section>
      )}
      {fields !== undefined && (
        <section>
          <h2>Contract</h2>
          <div data-testid="contract">
            <JsonView value={fields} />
          </div>
        </section>
      )}
      {usage.length > 0 && <Usage usage={usage} />}
      {notices.length > 0 && <Log notices={notices} />}
    </aside>
  );
}

function Steps({ steps }: Pick<AgentSnapshot, "steps">) {
  return (
    <section>
      <h2>Steps</h2>
      <ul className="steps">
        {steps.map(({ name, status, durationMs }, index) => (
          <li key={index} data-testid="step" data-status={status}>
            <span className="mark" data-status={status} />
            {name}
            <span>{durationMs === undefined ? status : duration(durationMs)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Usage({ usage }: Pick<AgentSnapshot, "usage">) {
  return (
    <section>
      <h2>Tokens</h2>
      <ul className="usage">
        {usage.map(({ provider, model, inputTokens, outputTokens }, index) => (
          <li key={index} data-testid="usage">
            <span>
              {model ?? "Model"}
              <small>{provider}</small>
            </span>
            <span>
              {count(inputTokens ?? 0)} in, {count(outputTokens ?? 0)} out
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Log({ notices }: { notices: readonly Notice[] }) {
  return (
    <section>
      <h2>Notices</h2>
      <ul className="log">
        {notices.map(({ id, level, title, text }) => (
          <li key={id} data-level={level}>
            <b>{title}</b>
            {text !== "" && <small>{text}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Agents({ list }: { list: readonly Subagent[] }) {
  return (
    <ul>
      {list.map(({ subagentRunId, name, description, status, error, children }) => (
        <li key={subagentRunId} data-testid="subagent" data-status={status}>
          <div className="agent">
            <span className="mark" data-status={status} />
            {name}
            <span className="unseen">{status}</span>
          </div>
          {error !== undefined ? <p className="bad">{error}</p> : description !== undefined && <p>{description}</p>}
          {children.length > 0 && <Agents list={children} />}
        </li>
      ))}
    </ul>
  );
}
