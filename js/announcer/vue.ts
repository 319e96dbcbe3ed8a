import { toValue, watchPostEffect, type MaybeRefOrGetter } from "vue";
import type { Agent } from "../api/types.js";
import { announcer, type AnnouncerOptions } from "./index.js";

export type { AnnouncerOptions, AnnouncerWords } from "./index.js";

/** The options of `useAnnouncer`. */
export interface UseAnnouncerOptions extends AnnouncerOptions {
  /** The live region: a template ref, for example. Default: one at the end of the document's body that only screen readers see. */
  readonly element?: MaybeRefOrGetter<HTMLElement | null | undefined>;
}

/**
 * Announces an agent to screen readers for as long as the scope lives. A server announces nothing.
 *
 * @example
 * <script setup>
 * const { agent, messages } = useAgent({ url: "/agent" });
 * const said = useTemplateRef("said");
 * useAnnouncer(agent, { element: said });
 * </script>
 *
 * <template>
 *   <div ref="said" role="log" class="visually-hidden"></div>
 * </template>
 */
export function useAnnouncer<State>(agent: MaybeRefOrGetter<Agent<State>>, options: UseAnnouncerOptions = {}): void {
  watchPostEffect((ended) => ended(announcer(toValue(agent), toValue(options.element), options)));
}
