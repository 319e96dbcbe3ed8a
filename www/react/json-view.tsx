import { memo } from "react";
import { tree } from "../shared/json.js";

/** A JSON value as a tree. A leaf that changes is a new element, whose animation shows it. */
export const JsonView = memo(function JsonView ({ value }: { value: unknown }) {
  const node = tree(value);
  if (node.kind === "leaf") return <Leaf type={node.type} text={node.text} />;
  return (
    <ul className="json">
      {node.entries.map(([key, child]) => (
        <li key={key}>
          <Entry name={key} value={child} />
        </li>
      ))}
      {node.more > 0 && <li className="json-size">and {node.more} more</li>}
    </ul>
  );
});

const Entry = memo(function Entry ({ name, value }: { name: string; value: unknown }) {
  const node = tree(value);
  return (
    <>
      <span className="json-key">{name}</span>
      {node.kind === "leaf" ? <Leaf type={node.type} text={node.text} /> : (
        <>
          <span className="json-size">{node.label}</span>
          <JsonView value={value} />
        </>
      )}
    </>
  );
});

function Leaf({ type, text }: { type: string; text: string }) {
  return (
    <span key={text} className="json-value" data-type={type}>
      {text}
    </span>
  );
}
