import type { ToolView } from "../shared/tool-views.js";

/** The component of a tool's call. */
export function ToolComponent({ view }: { view: ToolView }) {
  return view.kind === "trains" ?
    (
      <div className="tool-view trains" data-testid="trains">
        <p className="trip" dir="auto">
          {view.from} → {view.to} <small>{view.date}</small>
        </p>
        {view.trains === undefined ? <p className="none">Looking for trains</p> : (
          <ul>
            {view.trains.map(({ number, departs, arrives, price }) => (
              <li key={number} data-testid="train">
                <span>
                  {departs} – {arrives}
                </span>
                <span className="number">{number}</span>
                <span className="price">{price}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    ) :
    (
      <div className="tool-view forecast" data-testid="forecast">
        <p className="trip" dir="auto">
          {view.place} <small>weather</small>
        </p>
        {view.days === undefined ? <p className="none">Looking at the sky</p> : (
          <ol>
            {view.days.map(({ sky, label, high }, index) => (
              <li key={index} data-testid="day">
                <span className="icon" data-icon={sky} />
                <b>{high}</b>
                <small>{label}</small>
              </li>
            ))}
          </ol>
        )}
      </div>
    );
}
