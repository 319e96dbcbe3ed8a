"use client";

import { useEffect, useRef, type RefObject } from "react";
import type { Agent } from "../api/types.js";
import { announcer, type AnnouncerOptions } from "./index.js";

export type { AnnouncerOptions, AnnouncerWords } from "./index.js";

/** The options of `useAnnouncer`. */
export interface UseAnnouncerOptions extends AnnouncerOptions {
  /** The live region, or a ref to it. Default: one at the end of the document's body that only screen readers see. */
  readonly element?: HTMLElement | RefObject<HTMLElement | null> | null | undefined;
}

/**
 * Announces an agent to screen readers for as long as the component is mounted. Words and lines may change with every render.
 *
 * @example
 * function Chat() {
 *   const { agent, messages } = useAgent({ url: "/agent" });
 *   const said = useRef(null);
 *   useAnnouncer(agent, { element: said });
 *   return <><Messages messages={messages} /><div ref={said} role="log" className="visually-hidden" /></>;
 * }
 */
export function useAnnouncer<State>(agent: Agent<State>, options: UseAnnouncerOptions = {}): void {
  const { element } = options;
  const latest = useRef(options);
  useEffect(() => void (latest.current = options));
  useEffect(() => {
    const settings: AnnouncerOptions = {
      get words() {
        return latest.current.words ?? {};
      },
      get lines() {
        return latest.current.lines ?? 20;
      },
    };
    return announcer(agent, element && "current" in element ? element.current : element, settings);
  }, [agent, element]);
}
