// A built page loads the chunks of the agent at once, in place of when its script runs.

export function preloadCore() {
  let base = "/";
  return {
    name: "preload-core",
    configResolved: (config) => void (base = config.base),
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle = {} }) =>
        ["live", "core-inline"]
          .flatMap((chunk) => Object.values(bundle).filter(({ name, type }) => type === "chunk" && name === chunk))
          .map(({ fileName }) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: base + fileName }, injectTo: "head" })),
    },
  };
}
