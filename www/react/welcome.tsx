import { featured, type Scenario } from "../shared/endpoint.js";
import { welcome } from "../shared/welcome.js";

/** The greeting of an empty conversation, with scenarios to start. */
export function Welcome({ scenarios, onStart }: { scenarios: readonly Scenario[]; onStart: (scenario: Scenario) => void }) {
  return (
    <div className="welcome">
      <h2>{welcome.title}</h2>
      <p>{welcome.text}</p>
      <div className="suggestions">
        {featured(scenarios).map((suggested) => (
          <button key={suggested.name} type="button" data-testid="suggestion" onClick={() => onStart(suggested)}>
            <b>{suggested.title}</b>
            <span>{suggested.about}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
