import { after, describe } from "node:test";
import { bundled } from "../bundle.mjs";
import { openPage } from "../page.mjs";

const closePage = openPage();
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

const versions = [
  ["18", { react: "react18", "react-dom": "react-dom18" }],
  ["19", {}],
];
const suites = await Promise.all(versions.map(([name, alias]) => bundled("blocks/blocks-react-scenarios.mjs", `blocks-react${name}`, { alias })));

describe("blocks in React", () => {
  // A hook of the file itself would wait for the ports that it closes.
  after(closePage);
  for (const { suite } of suites) suite();
});
