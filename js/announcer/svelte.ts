import { onMount } from "svelte";
import { toStore } from "svelte/store";
import type { Agent } from "../api/types.js";
import { announcer, type AnnouncerOptions } from "./index.js";

export type { AnnouncerOptions, AnnouncerWords } from "./index.js";

/** The options of `useAnnouncer`. */
export interface UseAnnouncerOptions extends AnnouncerOptions {
  /** Returns the live region. Default: one at the end of the document's body that only screen readers see. */
  element?(): HTMLElement | null | undefined;
}

/**
 * Announces an agent, or the one that a function returns, to screen readers for as long as the component is mounted.
 *
 * @example
 * <script>
 *   const chat = useAgent({ url: "/agent" });
 *   let said;
 *   useAnnouncer(() => chat.agent, { element: () => said });
 * </script>
 * <div bind:this={said} role="log" class="visually-hidden"></div>
 */
export function useAnnouncer<State>(agent: Agent<State> | (() => Agent<State>), options: UseAnnouncerOptions = {}): void {
  onMount(() => {
    let end: (() => void) | undefined;
    const off = toStore(() => (typeof agent === "function" ? agent() : agent)).subscribe((next) => {
      end?.();
      end = announcer(next, options.element?.(), options);
    });
    return () => {
      off();
      end?.();
    };
  });
}
