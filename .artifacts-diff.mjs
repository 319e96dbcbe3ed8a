import * as official from "@ag-ui/client";
import * as ours from "ag-ui-wasm/ag-ui-client";
const [want, ways = "direct,exact"] = process.argv.slice(2);
const [file, name] = want.split("/");
const run = (await import(new URL(`tests/ag-ui-client/cases/${file}.mjs`, import.meta.url)))[name];
class Exact extends ours.HttpAgent { constructor(c) { super(c); this.use((i, n) => n.run(i)); } }
const copy = (v) => JSON.parse(JSON.stringify(v ?? null));
for (const k of ["warn", "error"]) console[k] = () => {};
const attempt = async (c) => { try { return copy(await run(c)); } catch (e) { return `THROWN ${e.stack}`; } };
const expected = await attempt(official);
const diff = (a, b, path = "") => {
  if (JSON.stringify(a) === JSON.stringify(b)) return;
  if (a && b && typeof a === "object" && typeof b === "object") {
    for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) diff(a[k], b[k], `${path}/${k}`);
  } else console.log(`  ${path}\n     official ${JSON.stringify(a)?.slice(0, 400)}\n     ours     ${JSON.stringify(b)?.slice(0, 400)}`);
};
for (const way of ways.split(",")) {
  console.log(want, way);
  diff(expected, await attempt(way === "exact" ? { ...ours, HttpAgent: Exact } : ours));
}
process.exit(0);
