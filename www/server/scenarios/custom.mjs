import { custom as notice, finished, started, text } from "../events.mjs";
import { mark, wait } from "../steps.mjs";

/** Custom events are not state: whoever listens hears them once. */
export const custom = {
  name: "custom",
  title: "Custom events",
  about: "Notices from the agent, outside the conversation.",
  prompt: "Import my bookmarks and tell me how it goes.",
  *run(input) {
    yield started(input);
    yield wait(300);
    yield notice("notice", { level: "info", title: "Import started", text: "214 bookmarks found." });
    yield mark("notice");
    yield wait(1200);
    yield notice("state_update", { imported: 120, total: 214 });
    yield wait(1200);
    yield notice("notice", { level: "warning", title: "Three links are dead", text: "They were kept, with a mark." });
    yield* text(`${input.runId}-answer`, "All 214 bookmarks are in. Three of them no longer lead anywhere; I marked them.");
    yield notice("notice", { level: "success", title: "Import finished" });
    yield finished(input);
  },
};
