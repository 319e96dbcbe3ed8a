import type { Agent, Message } from "ag-ui-wasm";
import { useBlockGroups, type BlockGroup, type MessageBlock } from "ag-ui-wasm/blocks/react";
import { memo, useId, useState, type CSSProperties } from "react";
import { duration, fate } from "../shared/format.js";
import { linesOf, renderBlock } from "../shared/markdown.js";
import { checklistOf, reasoningOf, textOf, type Row } from "../shared/rows.js";
import { Pictures } from "./files.js";
import { JsonView } from "./json-view.js";
import { ToolCard } from "./tool-card.js";

/** One message. A row keeps its identity until it changes, so the others are not even looked at. */
export const MessageRow = memo(function MessageRow ({ row, agent }: { row: Row; agent: Agent }) {
  const { message, calls, speaker, sources } = row;
  const { role, delivery } = message;
  const end = fate(message);
  const reasoning = reasoningOf(message);
  return (
    <article
      className="row"
      data-testid="message"
      data-role={role}
      data-delivery={delivery}
      aria-label={role === "user" ? "You" : role}
    >
      {speaker !== undefined && <p className="speaker">{speaker}</p>}
      {reasoning !== undefined && <Reasoning {...reasoning} />}
      {role === "user" && (
        <>
          <Pictures message={message} />
          <p className="bubble" dir="auto" data-testid="text">
            {textOf(message)}
          </p>
        </>
      )}
      {role === "assistant" && (
        <>
          <Markdown message={message} />
          {calls.map((call) => <ToolCard key={call.id} call={call} agent={agent} />)}
          {delivery === "streaming" && !message.content && calls.length === 0 && reasoning === undefined && (
            <div className="waiting">
              <i />
              <i />
              <i />
            </div>
          )}
        </>
      )}
      {role === "activity" && <Activity type={message.activityType} content={message.content} />}
      {(role === "tool" || role === "system" || role === "developer") && (
        <p className="note" dir="auto">
          {textOf(message)}
        </p>
      )}
      {sources.length > 0 && <Sources sources={sources} />}
      {end !== undefined && (
        <p className="fate" data-testid="fate">
          {end}
        </p>
      )}
    </article>
  );
});

function Sources({ sources }: Pick<Row, "sources">) {
  return (
    <ol className="sources" aria-label="Sources">
      {sources.map(({ title, url }, index) => (
        <li key={index}>
          <a href={url} target="_blank" rel="noopener noreferrer nofollow" data-testid="citation">
            {title}
          </a>
        </li>
      ))}
    </ol>
  );
}

function Markdown({ message }: { message: Message }) {
  const groups = useBlockGroups(message);
  if (groups.length === 0) return null;
  return (
    <div className="text" data-testid="text">
      {groups.map((group) => <Group key={group.id} group={group} />)}
    </div>
  );
}

const Group = memo(function Group ({ group: { blocks } }: { group: BlockGroup }) {
  return (
    <div className="group" style={{ "--lines": linesOf(blocks) } as CSSProperties}>
      {blocks.map((block) => <MarkdownBlock key={block.id} block={block} />)}
    </div>
  );
});

const MarkdownBlock = memo(function MarkdownBlock ({ block }: { block: MessageBlock }) {
  return (
    <div
      className="block"
      dir="auto"
      data-settled={block.settled}
      dangerouslySetInnerHTML={{ __html: renderBlock(block, block.definitions) }}
    />
  );
});

function Reasoning({ text, done, durationMs }: { text: string; done: boolean; durationMs: number | undefined }) {
  const [wanted, setWanted] = useState<boolean>();
  const id = useId();
  const open = wanted ?? !done;
  return (
    <div className="reasoning" data-testid="reasoning" data-done={done}>
      <button type="button" className="fold" data-testid="reasoning-toggle" aria-expanded={open} aria-controls={id} onClick={() => setWanted(!open)}>
        <span className="icon" data-icon="fold" />
        {!done ? "Thinking" : durationMs === undefined ? "Thought" : `Thought for ${duration(durationMs)}`}
      </button>
      <div className="reasoning-text" id={id} dir="auto" data-testid="reasoning-text" hidden={!open}>
        {text}
      </div>
    </div>
  );
}

function Activity({ type, content }: { type: string; content: unknown }) {
  const checklist = checklistOf(content);
  return (
    <div className="card plan" data-testid="activity" data-type={type}>
      <h2>{checklist?.title ?? type}</h2>
      {checklist === undefined ? <JsonView value={content} /> : (
        <ul className="checklist">
          {checklist.steps.map(({ label, status }, index) => (
            <li key={index} data-status={status}>
              {label}
              <span className="unseen">{status}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
