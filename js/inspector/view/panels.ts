// The panels beside the timeline: requests, tools, warnings.

import type { AgentSnapshot, ToolCall } from "../../api/types.js";
import type { Entry } from "../model/entry.js";
import { exchanges, type ObservedRequest } from "../model/requests.js";
import type { Log } from "../model/log.js";
import { clock, count, cut, duration, line } from "../model/text.js";
import { warning } from "./detail.js";
import { h } from "./dom.js";
import { tree } from "./json.js";

/** A panel. `update` is called while it is in sight, with the snapshot if there is one. */
export interface Panel {
  readonly node: HTMLElement;
  /** Draws what has changed. True: there is more to do in the next frame. */
  update(snapshot: AgentSnapshot | undefined): boolean | void;
}

/** A panel that is drawn again when what it is drawn of differs. */
function panel<Data>(
  name: string,
  read: (snapshot: AgentSnapshot | undefined) => Data,
  same: (data: Data) => unknown,
  draw: (data: Data) => readonly Node[],
): Panel {
  const node = h("div", { class: `panel ${name}` });
  let drawn: unknown = node;
  return {
    node,
    update: (snapshot) => {
      const data = read(snapshot);
      const next = same(data);
      if (next === drawn) return;
      drawn = next;
      node.replaceChildren(...draw(data));
    },
  };
}

const none = (text: string): HTMLElement => h("p", { class: "none" }, text);

const table = (label: string, heads: readonly string[], rows: readonly (readonly (string | Node)[])[]): HTMLElement =>
  h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells.map((cell) => h("td", { dir: "auto" }, cell))))),
    ),
  );

/** Requests with status and timing, and what the connection did. */
export function network(log: Log): Panel {
  return panel(
    "network",
    (snapshot) => ({ list: exchanges(log.entries).slice(-200), connection: snapshot?.connection }),
    (data) => JSON.stringify(data, (key, value) => (key === "body" ? undefined : value)),
    ({ list, connection }) => [
      ...(connection
        ? [
          h(
            "p",
            { class: "facts" },
            `Connection: ${connection.phase}${connection.attempt ? `, attempt ${connection.attempt}` : ""}${
              connection.lastEventId === undefined ? "" : `, last event id ${cut(connection.lastEventId, 100)}`
            }`,
          ),
        ]
        : []),
      list.length ? table("Requests", ["Sent", "Request", "Status", "Head", "First event", "Total", "Events"], list.map(row)) : none("No request yet."),
    ],
  );
}

function row({ at, method, url, resume, status, error, headMs, firstEventMs, totalMs, end, events }: ObservedRequest): (string | Node)[] {
  const bad = error !== undefined || (status !== undefined && (status < 200 || status > 299)) || end === "lost";
  const how = error ?? (status === undefined ? "pending" : `${status}${end === "lost" ? ", lost" : end === undefined ? ", open" : ""}`);
  const ms = (value: number | undefined): string => (value === undefined ? "–" : duration(value));
  return [
    clock(at),
    `${method} ${cut(url, 300)}${resume ? " (rejoins)" : ""}`,
    h("span", { class: bad ? "bad" : "" }, cut(how, 200)),
    ms(headMs),
    ms(firstEventMs),
    ms(totalMs),
    count(events),
  ];
}

/** The calls of the thread with their arguments and results. */
export function tools(): Panel {
  const made = new Map<string, { readonly call: ToolCall; readonly node: HTMLElement }>();
  return panel("tools", (snapshot) => snapshot?.toolCalls ?? [], (calls) => calls, (calls) => {
    const shown = calls.slice(-200);
    for (const id of made.keys()) if (!shown.some((call) => call.id === id)) made.delete(id);
    for (const call of shown) {
      const old = made.get(call.id);
      if (old?.call !== call) made.set(call.id, { call, node: callNode(call, (old?.node as HTMLDetailsElement | undefined)?.open ?? false) });
    }
    if (!shown.length) return [none("No tool calls yet.")];
    const earlier = calls.length > shown.length ? [none(`${count(calls.length - shown.length)} earlier calls are not listed.`)] : [];
    return [...earlier, ...shown.map(({ id }) => made.get(id)!.node)];
  });
}

function callNode(call: ToolCall, open: boolean): HTMLElement {
  const { name, id, phase, args, argsText, result, error } = call;
  const node = h(
    "details",
    { class: "call", "data-phase": phase },
    h(
      "summary",
      {},
      h("b", {}, cut(name, 100)),
      " ",
      h("span", { class: `phase${error === undefined ? "" : " bad"}` }, phase),
      " ",
      h("span", { class: "short" }, line(argsText, 120)),
    ),
  );
  node.open = open;
  const fill = (): void => {
    if (!node.open || node.childElementCount > 1) return;
    node.append(
      h("p", { class: "facts" }, `call ${cut(id, 100)}`),
      h("h3", {}, "Arguments"),
      tree(args, 2),
      ...(result === undefined ? [] : [h("h3", {}, "Result"), tree(result, 2)]),
      ...(error === undefined ? [] : [h("h3", {}, "Error"), h("p", { class: "bad", dir: "auto" }, cut(error, 2000))]),
    );
  };
  node.addEventListener("toggle", fill);
  fill();
  return node;
}

type Noted = { readonly code?: string | undefined; readonly rule?: string | undefined; readonly message: string };

/** Warnings and errors by their rule, with the rule's text. */
export function warnings(log: Log): Panel {
  const read = (): Entry[] => log.entries.filter(({ items: [item] }) => item && ("warning" in item || "error" in item));
  return panel("warnings", read, (entries) => `${entries.length} ${entries[entries.length - 1]?.id}`, (entries) => {
    const groups = new Map<string, { last: Noted; count: number; at: number }>();
    for (const { items: [item], at } of entries) {
      const noted: Noted = "warning" in item! ? item.warning : (item as { error: Noted }).error;
      const key = JSON.stringify([noted.rule, noted.code]);
      groups.set(key, { last: noted, count: (groups.get(key)?.count ?? 0) + 1, at });
    }
    if (!groups.size) return [none("No warnings.")];
    return [...groups.values()].map(({ last, count: times, at }) =>
      h("article", {}, warning(last), h("p", { class: "facts" }, times > 1 ? `${count(times)} times, last at ${clock(at)}` : `at ${clock(at)}`))
    );
  });
}
