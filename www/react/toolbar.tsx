import { protocols } from "../shared/protocols.js";

/** The row above the conversation. */
export function Toolbar(props: {
  protocol: string;
  /** Where the agent is. */
  address: string;
  /** Whether the panel is open. */
  open: boolean;
  onProtocol: (name: string) => void;
  onInspect: () => void;
  onRestart: () => void;
  onToggle: () => void;
}) {
  const { protocol, address, open, onProtocol, onInspect, onRestart, onToggle } = props;
  return (
    <div className="toolbar">
      <h1 className="unseen">Chat</h1>
      <p className="where">
        <span className="dot" />
        <select aria-label="Protocol" data-testid="protocol" value={protocol} onChange={(event) => onProtocol(event.target.value)}>
          {protocols.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        <code data-testid="address">{address}</code>
      </p>
      <button type="button" className="button" data-testid="inspect" onClick={onInspect}>
        Inspect
      </button>
      <button type="button" className="button" data-testid="new" onClick={onRestart}>
        <span className="icon" data-icon="plus" /> <span className="words">New chat</span>
      </button>
      <button
        type="button"
        className="icon-button"
        data-testid="panel-toggle"
        aria-label="Details of the run"
        aria-expanded={open}
        aria-controls="panel"
        onClick={onToggle}
      >
        <span className="icon" data-icon="panel" />
      </button>
    </div>
  );
}
