import type { Agent, ToolCall } from "ag-ui-wasm";
import { memo, useState } from "react";
import { phaseLabel } from "../shared/format.js";
import { isEmpty, parsed } from "../shared/json.js";
import { hasArguments, toolView } from "../shared/tool-views.js";
import { JsonView } from "./json-view.js";
import { ToolComponent } from "./tool-component.js";

export const ToolCard = memo(function ToolCard ({ call, agent }: { call: ToolCall; agent: Agent }) {
  const { name, args, argsText, status, phase, result, error } = call;
  const view = toolView(call);
  const answered = result !== undefined || error !== undefined;
  return (
    <section
      className="card tool"
      data-testid="tool-call"
      data-name={name}
      data-status={status}
      data-phase={phase}
      aria-label={`Tool ${name}`}
    >
      <div className="tool-head">
        <span className="icon" data-icon="tool" />
        <span className="tool-name">{name}</span>
        <span className="phase" data-testid="tool-phase">
          {phaseLabel(call)}
        </span>
      </div>
      {view !== undefined && <ToolComponent view={view} />}
      {(hasArguments(call) || answered) && (
        <details className="raw" data-testid="tool-data" open={view === undefined}>
          <summary>Data</summary>
          {hasArguments(call) && (
            <div className="tool-args" data-testid="tool-args">
              {isEmpty(args) ? <code className="json">{argsText}</code> : <JsonView value={args} />}
            </div>
          )}
          {answered && (
            <div className="tool-result" data-testid="tool-result">
              <span className="caption">{error === undefined ? "Result" : "Error"}</span>
              <JsonView value={parsed(error ?? result)} />
            </div>
          )}
        </details>
      )}
      {phase === "awaiting-approval" && <Approval call={call} agent={agent} />}
    </section>
  );
});

/** The user decides whether the call runs. */
function Approval({ call: { id, name }, agent }: { call: ToolCall; agent: Agent }) {
  const [reason, setReason] = useState("");
  return (
    <form
      className="approval"
      data-testid="approval"
      onSubmit={(event) => {
        event.preventDefault();
        agent.deny(id, reason.trim() || undefined);
      }}
    >
      <button type="button" className="button main" data-testid="tool-approve" aria-label={`Approve ${name}`} onClick={() => agent.approve(id)}>
        Approve
      </button>
      <button type="submit" className="button" data-testid="tool-deny" aria-label={`Deny ${name}`}>
        Deny
      </button>
      <input
        type="text"
        dir="auto"
        aria-label={`Reason to deny ${name}, optional`}
        placeholder="Reason (optional)"
        data-testid="tool-reason"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </form>
  );
}
