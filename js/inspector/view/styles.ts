// The look of the inspector. A constructed sheet, which a strict policy allows, and which nothing outside of the shadow root sees.

const css = `
:host {
  --paper: #ffffff; --tint: #f4f5f7; --line: #dcdfe4; --ink: #1c2128; --soft: #57606a; --accent: #0a6e62; --pick: #dff1ee;
  --bad: #a8271c; --bad-tint: #fdecea; --good: #1f6b36; --good-tint: #e6f4ea; --shadow: 0 0 24px rgb(0 0 0 / 18%);
  --k-run: #5b4bb7; --k-text: #0a6e62; --k-reasoning: #6b6f76; --k-tool: #a35200; --k-state: #1d5fbf; --k-activity: #8a3ea0;
  --k-subagent: #3d6f18; --k-custom: #6b6f76; --k-network: #0b6a8f; --k-page: #6b6f76; --k-warning: #8a5a00; --k-error: #a8271c;
  color-scheme: light; display: block; position: relative; height: 24rem; min-width: 0; overflow: hidden; contain: content;
  background: var(--paper); color: var(--ink); font: 13px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; text-align: start;
}
@media (prefers-color-scheme: dark) { :host(:not([theme="light"])) { DARK } }
:host([theme="dark"]) { DARK }
:host([hidden]) { display: none; }
:host([dock]) { position: fixed; z-index: 2147483000; box-shadow: var(--shadow); contain: layout style; overflow: visible; }
:host([dock="bottom"]) { inset: auto 0 0 0; height: var(--size, min(24rem, 50vh)); border-top: 1px solid var(--line); }
:host([dock="right"]) { inset: 0 0 0 auto; height: auto; width: var(--size, min(34rem, 50vw)); border-inline-start: 1px solid var(--line); }
@media (max-width: 703.98px) { :host([dock="right"]) { inset: auto 0 0 0; width: auto; height: var(--size, min(24rem, 50vh)); border: 0; border-top: 1px solid var(--line); } }
:host([dock="window"]) { inset: 0; height: auto; box-shadow: none; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.frame { display: flex; flex-direction: column; height: 100%; container: frame / inline-size; }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 12px; padding: 4px 8px; background: var(--tint); border-bottom: 1px solid var(--line); }
.status { display: flex; align-items: center; gap: 6px; font-weight: 600; white-space: nowrap; min-width: 13ch; }
.status .dot { background: var(--soft); }
.status[data-status="running"] .dot { background: var(--good); }
.status[data-status="error"] .dot { background: var(--bad); }
.tabs { display: flex; gap: 2px; margin-inline-end: auto; flex-wrap: wrap; }
button { font: inherit; color: inherit; background: none; border: 1px solid transparent; border-radius: 5px; padding: 2px 8px; cursor: pointer; white-space: nowrap; min-height: 24px; }
button:hover { background: var(--line); }
button[aria-selected="true"] { background: var(--paper); border-color: var(--line); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: 2px; }
:host([dock="bottom"]) [data-dock="bottom"], :host([dock="right"]) [data-dock="right"], :host([dock="window"]) [data-dock="window"] { display: none; }
.actions label { display: flex; align-items: center; gap: 4px; padding: 0 4px; color: var(--soft); white-space: nowrap; min-height: 24px; }
input { font: inherit; color: inherit; accent-color: var(--accent); margin: 0; }
.tab { flex: 1; min-height: 0; display: flex; flex-direction: column; }
.timeline { flex: 1; min-height: 0; display: flex; flex-direction: column; }
.filter { display: flex; align-items: center; gap: 8px; padding: 4px 8px; border-bottom: 1px solid var(--line); }
input[type="search"] { flex: 0 1 14rem; min-width: 8rem; padding: 2px 8px; min-height: 24px; background: var(--paper); border: 1px solid var(--soft); border-radius: 5px; }
input[type="search"]::placeholder { color: var(--soft); opacity: 1; }
.chips { display: flex; flex-wrap: wrap; gap: 2px; flex: 1; }
.chip { padding: 1px 7px; font-size: 12px; display: flex; align-items: center; gap: 5px; }
.chip[aria-pressed="false"] { color: var(--soft); text-decoration: line-through; }
.chip[aria-pressed="false"] .dot { background: none; box-shadow: inset 0 0 0 1.5px var(--soft); }
.found { color: var(--soft); font-size: 12px; white-space: nowrap; font-variant-numeric: tabular-nums; }
.dot { flex: none; inline-size: 8px; block-size: 8px; border-radius: 50%; background: var(--k, var(--soft)); }
${
  ["run", "text", "reasoning", "tool", "state", "activity", "subagent", "custom", "network", "page", "warning", "error"].map((kind) =>
    `[data-kind="${kind}"] { --k: var(--k-${kind}); }`
  ).join("\n")
}
.split { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(0, 1fr) auto; }
.main { position: relative; min-width: 0; min-height: 0; }
.rows { position: absolute; inset: 0; overflow: auto; overflow-anchor: none; contain: strict; }
.space { position: relative; min-height: 100%; }
.row { position: absolute; inset: 0 0 auto 0; height: 26px; display: grid; grid-template-columns: 9ch 8px minmax(12ch, 27ch) minmax(0, 1fr) 13ch 6ch; gap: 8px; align-items: center; padding: 0 10px; font: 12px/26px ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: nowrap; cursor: default; contain: strict; }
.row:hover { background: var(--tint); }
.row[aria-selected="true"] { background: var(--pick); }
.row > span { overflow: hidden; text-overflow: ellipsis; }
.row .time { color: var(--soft); text-align: end; font-variant-numeric: tabular-nums; }
.row .type { color: var(--k); font-weight: 600; }
.row .marks { color: var(--k-state); font-size: 11px; }
.row .count { text-align: end; color: var(--soft); font-variant-numeric: tabular-nums; }
.row .sum { unicode-bidi: isolate; }
.row[data-kind="error"] { background: var(--bad-tint); }
.row[data-kind="error"][aria-selected="true"] { background: var(--pick); }
.side { width: clamp(16rem, 38cqi, 40rem); overflow: auto; border-inline-start: 1px solid var(--line); padding: 10px 14px 20px; }
.none { color: var(--soft); padding: 12px 14px; margin: 0; }
.main .none { position: absolute; inset: 0 0 auto 0; }
h2 { font-size: 14px; margin: 0; display: flex; align-items: center; gap: 7px; overflow-wrap: anywhere; }
h3 { font-size: 12px; margin: 14px 0 4px; color: var(--soft); font-weight: 600; }
p { margin: 4px 0; overflow-wrap: anywhere; }
.facts, .note { color: var(--soft); font-size: 12px; }
.rule { margin-top: 10px; padding: 2px 12px 8px; background: var(--tint); border-inline-start: 3px solid var(--k-warning); border-radius: 3px; }
.rule h3 { color: var(--k-warning); margin-top: 8px; }
pre.text, .tree, code, ins, del, .path, .short { font: 12px/1.5 ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre.text { margin: 4px 0; padding: 6px 10px; background: var(--tint); border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 16rem; overflow: auto; }
.changes { list-style: none; margin: 0; padding: 0; }
.changes li { padding: 4px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.changes ins, .changes del { display: block; text-decoration: none; padding: 1px 8px; border-radius: 3px; margin-top: 2px; }
del { background: var(--bad-tint); color: var(--bad); }
del::before { content: "− "; }
ins { background: var(--good-tint); color: var(--good); }
ins::before { content: "+ "; }
.path { font-weight: 600; }
.tree { overflow-wrap: anywhere; }
.tree .leaf { padding-inline-start: 14px; }
.tree .children { padding-inline-start: 14px; border-inline-start: 1px solid var(--line); margin-inline-start: 4px; }
.tree .children > .leaf { padding-inline-start: 12px; }
summary { cursor: default; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; border-radius: 3px; min-height: 22px; }
.key { color: var(--k-run); }
.string { color: var(--k-text); unicode-bidi: isolate; }
.literal { color: var(--k-tool); }
.size, .short { color: var(--soft); }
.tree details[open] > summary .short { display: none; }
.more { color: var(--accent); font-size: 12px; }
.panel { flex: 1; min-height: 0; overflow: auto; padding: 8px 14px 20px; }
.scroll { overflow: auto; }
table { border-collapse: collapse; width: 100%; font-size: 12px; }
th, td { text-align: start; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td { font-variant-numeric: tabular-nums; white-space: nowrap; }
td:nth-child(2), td:nth-child(3) { white-space: normal; overflow-wrap: anywhere; }
td:nth-child(n + 4), th:nth-child(n + 4) { text-align: end; padding-inline: 12px 0; }
.bad { color: var(--bad); }
.call summary .short { margin-inline-start: 8px; }
.call, .message { border-bottom: 1px solid var(--line); padding: 2px 0; }
.phase { color: var(--soft); font-size: 12px; }
.message summary { display: grid; grid-template-columns: 10ch 10ch minmax(0, 1fr); gap: 8px; align-items: baseline; }
.message summary .short { overflow: hidden; text-overflow: ellipsis; }
.role { font-weight: 600; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 14px; margin: 4px 0; font-size: 12px; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.scrubber { position: sticky; top: -8px; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; margin: -8px -14px 0; padding: 6px 14px; background: var(--tint); border-bottom: 1px solid var(--line); }
.scrubber .label { font-weight: 600; }
.scrubber input { flex: 1 1 12rem; min-height: 24px; }
.scrubber .where { color: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.small { border-color: var(--soft); font-size: 12px; }
article { border-bottom: 1px solid var(--line); padding-bottom: 8px; }
.grip { position: absolute; z-index: 2; touch-action: none; }
:host([dock="bottom"]) .grip { inset: -4px 0 auto 0; height: 8px; cursor: ns-resize; }
:host([dock="right"]) .grip { inset: 0 auto 0 -4px; width: 8px; cursor: ew-resize; }
:host(:not([dock="bottom"], [dock="right"])) .grip { display: none; }
@media (max-width: 703.98px) { :host([dock="right"]) .grip { inset: -4px 0 auto 0; width: auto; height: 8px; cursor: ns-resize; } }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@container frame (max-width: 44rem) {
  .split { display: flex; flex-direction: column; }
  .main { flex: 1 1 40%; min-height: 5rem; }
  .side { flex: 1 1 60%; min-height: 0; width: auto; border-inline-start: 0; border-top: 1px solid var(--line); }
  .filter { flex-wrap: wrap; }
  .chips { order: 3; flex-basis: 100%; }
  input[type="search"] { flex: 1; }
  .row { grid-template-columns: 9ch 8px minmax(10ch, 22ch) minmax(0, 1fr) 6ch; padding: 0 8px; gap: 6px; }
  .row .marks { display: none; }
}
@container frame (max-width: 32rem) {
  .status { flex: 1; }
  .status + * { order: 2; }
  .actions { order: 3; }
  .tabs, .actions, .chips { flex-wrap: nowrap; overflow-x: auto; max-width: 100%; scrollbar-width: thin; }
  .tabs > *, .actions > *, .chips > * { flex: none; }
  .row { grid-template-columns: 8px fit-content(21ch) minmax(0, 1fr) auto; }
  .row .time { display: none; }
}
@media (forced-colors: active) { .dot { forced-color-adjust: none; } .row[aria-selected="true"] { outline: 1px solid Highlight; } }
`;

const dark = `
  --paper: #16191d; --tint: #1f242a; --line: #343b44; --ink: #e3e7ec; --soft: #a0a9b4; --accent: #5cc9b6; --pick: #17403b;
  --bad: #ff9d90; --bad-tint: #3d1f1c; --good: #84d697; --good-tint: #17351f; --shadow: 0 0 24px rgb(0 0 0 / 60%);
  --k-run: #b3a6ff; --k-text: #5cc9b6; --k-reasoning: #a9b0b8; --k-tool: #f0a860; --k-state: #82b4ff; --k-activity: #d79be8;
  --k-subagent: #9acb6c; --k-custom: #a9b0b8; --k-network: #6cc4ea; --k-page: #a9b0b8; --k-warning: #e6b450; --k-error: #ff9d90;
  color-scheme: dark;
`;

/** Gives the root the styles. A sheet belongs to its document: in another window, it is made anew. */
export function dress(root: ShadowRoot): void {
  // A document that nobody sees, as of a test, may have no sheets.
  if (!("adoptedStyleSheets" in root)) return;
  const view = root.ownerDocument.defaultView as (Window & typeof globalThis) | null;
  const sheet = new (view?.CSSStyleSheet ?? CSSStyleSheet)();
  sheet.replaceSync(css.replaceAll("DARK", dark));
  root.adoptedStyleSheets = [sheet];
}
