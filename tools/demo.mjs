// Builds the demo site, www/ → www/dist/, with the package as it is in pkg/.

import { fingerprint, whenChanged } from "./fingerprint.mjs";
import { at, packageFolder } from "./paths.mjs";
import { run, step, together } from "./run.mjs";

/** Needs the package to be there: call `build` first. */
export const buildDemo = () => together("demo", buildWhenChanged);

async function buildWhenChanged() {
  const inputs = fingerprint([at("www"), packageFolder, at("package-lock.json")], { skip: ["dist"] });
  await whenChanged("demo", { inputs, outputs: [at("www/dist")] }, () =>
    step("Building the demo", async () => {
      await run("node", [at("node_modules/vite/bin/vite.js"), "build", at("www"), "--logLevel", "warn"], { log: "build-demo", cwd: at("www") });
    }));
}
