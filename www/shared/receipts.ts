/** Chio's receipts: whether the proxy has signed them that this page trusts, and for the very event that came. */
import type { Agent } from "ag-ui-wasm";
import { verifyReceipt, type ChioEvent, type Receipt } from "ag-ui-wasm/chio";

/** The key of the demo's proxy. A page has it from somewhere else than from the receipts. */
const PINNED = ["fd1724385aa0c75b64fb78cd602fa1d991fdebf76b13c58ed702eac835e9f618"];

export interface Verdict {
  readonly good: boolean;
  readonly text: string;
}

/** Verifies each receipt that comes; the answer stops it. `onVerdict` is called with them in any order. */
export function listenForReceipts(agent: Agent, onVerdict: (verdict: Verdict) => void): () => void {
  const events = new Map<string, ChioEvent>();
  return agent.on("custom", (custom) => {
    if (custom.type !== "custom" || !custom.name.startsWith("chio.")) return;
    if (custom.name === "chio.receipt") void judge(custom.data as Receipt, events).then(onVerdict);
    else events.set((custom.data as ChioEvent).event_id, custom.data as ChioEvent);
  });
}

async function judge(receipt: Receipt, events: ReadonlyMap<string, ChioEvent>): Promise<Verdict> {
  const what = `${receipt.event_id} was ${receipt.allowed ? "let through" : `blocked: ${receipt.denial_reason}`}`;
  try {
    const event = events.get(receipt.event_id);
    const { valid, payloadHashValid, error } = await verifyReceipt(receipt, { pinnedKeys: PINNED, ...(event && { event }) });
    if (!valid) return { good: false, text: `${what}, says a receipt that proves nothing (${error ?? "its signature or its event"})` };
    return { good: true, text: `${what}${payloadHashValid ? ", exactly as it came" : ""}` };
  } catch (error) {
    return { good: false, text: `${what}; not verified: ${error instanceof Error ? error.message : String(error)}` };
  }
}
