// The options of typedoc: every entry of the package that exports something, by the name that it is imported by.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
// @ts-ignore It is installed with the site alone.
import { Converter } from "typedoc";

const folder = fileURLToPath(new URL("../../pkg/", import.meta.url));
const manifest = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));

/** The entries by their files, without what ends the names of files. */
const entries = new Map(
  Object.entries(manifest.exports).flatMap(([path, { types = "" }]) => {
    // Scripts of a worker export nothing.
    const file = /^\.\/(?!worker-)(.*)\.d\.ts$/.exec(types)?.[1];
    return file ? [[file, manifest.name + path.slice(1)]] : [];
  }),
);

/** typedoc names a module by its file. @param {any} app */
const byEntry = (app) =>
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (/** @type {any} */ { project }) => {
    for (const child of project.children) child.name = entries.get(child.name) ?? entries.get(`${child.name}/index`);
  });

export default {
  plugin: ["typedoc-plugin-markdown", byEntry],
  entryPoints: [...entries.keys()].map((file) => `${folder}${file}.d.ts`),
  tsconfig: "tsconfig.json",
  name: "API",
  readme: "none",
  disableSources: true,
  skipErrorChecking: true,
  excludeInternal: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  entryFileName: "index",
  router: "module",
  useHTMLEncodedBrackets: true,
  sanitizeComments: true,
  parametersFormat: "table",
  propertiesFormat: "table",
  interfacePropertiesFormat: "table",
  typeDeclarationFormat: "table",
  enumMembersFormat: "table",
  logLevel: "Error",
  validation: false,
};
