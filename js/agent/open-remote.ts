// The agent, as the thread at its server sees it; it comes beside the core. Of what the page has already, the chunk of that thread is given
// what it needs: an import would make bundlers cut the page's first part to pieces.

import { AgentError } from "../api/error.js";
import type { AgentOptions, AgentSnapshot } from "../api/types.js";
import { toJson } from "../base/failure.js";
import { uuid } from "../base/uuid.js";
import { toTarget } from "../network/request.js";
import type { RemoteThread } from "../remote-thread/index.js";
import { messageKey } from "../snapshot/message-key.js";
import { edited, editedMessages } from "../snapshot/project.js";
import { messagesEdit } from "./edit.js";
import { toRunInput } from "./input.js";
import type { Self } from "./self.js";

/** Loads what there is of the thread at the server. `core`: what the core has said; `changed`: what is shown may be another snapshot. */
export async function openRemote<State>(self: Self<State>, core: () => AgentSnapshot<State>, changed: () => void): Promise<RemoteThread<State>> {
  const { remote } = self;
  const { openRemote: open } = await import("../remote-thread/index.js");
  return open({
    ...{ options: self.options, emitter: self.emitter, disposed: self.disposed, core, changed, uuid, keyOf: messageKey },
    ready: () => self.saves.ready(),
    busy: self.link.busy,
    begin: (id, start) => self.runs.start({ id, ifBusy: "drop", quiet: true, start }),
    join: (runId) => self.runs.join(runId),
    answer: () => {
      const input = toRunInput(self.options() as AgentOptions);
      const json = toJson({ ...input, messages: [], ifBusy: "drop" });
      remote.before("tool-results", input)?.catch(() => {});
      self.runs.start({ id: input.runId, ifBusy: "drop", start: (session) => session.submit(json) }).catch(() => {});
    },
    first: () => (self.options().persist || self.options().restore ? undefined : self.view.first),
    edit: (before, after) => self.link.edit(messagesEdit(before, after, toJson)),
    edited: (before, after, list) => editedMessages(before, after, { ...core(), messages: list }).messages,
    editedState: edited,
    input: () => toRunInput(self.options() as AgentOptions),
    target: async (request) => toTarget(self.options() as AgentOptions, request),
    error: (data) => new AgentError(data),
    isError: AgentError.is,
  });
}
