import { useEffect, useRef, useState, type ReactNode } from "react";
import { followTail, type Tail } from "../shared/tail.js";

/** The conversation, which follows its own end until the reader scrolls up; the composer stands under it. */
export function Transcript(props: { empty: ReactNode; rows: ReactNode; after: ReactNode; children: ReactNode }) {
  const viewport = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const tail = useRef<Tail>(null);
  const [following, setFollowing] = useState(true);

  useEffect(() => {
    const followed = followTail(viewport.current!, content.current!, setFollowing);
    tail.current = followed;
    return () => followed.stop();
  }, []);

  return (
    <>
      <div className="viewport" ref={viewport} data-testid="viewport" tabIndex={0} role="region" aria-label="Conversation">
        <div className="content" ref={content}>
          {props.empty}
          <div role="log" aria-live="off" aria-label="Messages" data-testid="messages">
            {props.rows}
          </div>
          {props.after}
        </div>
      </div>
      <div className="foot">
        {!following && (
          <button type="button" className="button jump" data-testid="jump" onClick={() => tail.current?.jump()}>
            <span className="icon" data-icon="down" /> Jump to latest
          </button>
        )}
        {props.children}
      </div>
    </>
  );
}
