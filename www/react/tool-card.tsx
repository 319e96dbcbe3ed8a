import type { ToolCall } from "ag-ui-wasm";
import { memo } from "react";
import { phaseLabel } from "../shared/format.js";
import { isEmpty, parsed } from "../shared/json.js";
import { JsonView } from "./json-view.js";

export const ToolCard = memo(function ToolCard({ call }: { call: ToolCall }) {
  const { name, args, argsText, status, phase, result, error } = call;
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
      {argsText !== "" && (
        <div className="tool-args" data-testid="tool-args">
          {isEmpty(args) ? <code className="json">{argsText}</code> : <JsonView value={args} />}
        </div>
      )}
      {(result !== undefined || error !== undefined) && (
        <div className="tool-result" data-testid="tool-result">
          <span className="caption">{error === undefined ? "Result" : "Error"}</span>
          <JsonView value={parsed(error ?? result)} />
        </div>
      )}
    </section>
  );
});
