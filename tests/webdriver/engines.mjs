// The three engines: where browser and driver are found, which packages bring them, and what a
// session asks of them. Nothing here starts a process.

import { accessSync, constants, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** @typedef {"chromium" | "firefox" | "webkit"} EngineName */

/**
 * @typedef {object} SessionOptions
 * @property {number} [width]  of the viewport, in CSS pixels; 1280 by default
 * @property {number} [height]  800 by default
 * @property {"light" | "dark"} [colorScheme]  what `prefers-color-scheme` says; "light" by default
 * @property {boolean} [reducedMotion]  what `prefers-reduced-motion` says; false by default
 * @property {boolean} [blockSiteData]  pages may keep nothing; WebKitGTK has no such setting; false by default
 */

/**
 * @typedef {object} Engine
 * @property {EngineName} name
 * @property {string} title  what people call it
 * @property {string[]} packages  Debian packages that bring browser and driver
 * @property {string[]} driver  file names to look for, best first; bare names are looked up on PATH
 * @property {string[]} browser
 * @property {string} driverVariable  the variable that names the driver for wasm-bindgen-test-runner
 * @property {string[]} driverPorts  options that give the driver its ports, the first being that of WebDriver
 * @property {boolean} needsDisplay  has no headless mode
 * @property {(options: Required<SessionOptions>, browser: string) => object} capabilities
 * @property {(options: Required<SessionOptions>, scratch: string) => Record<string, string>} [environment]
 *   for the driver process; `scratch` is a folder that lives as long as the session
 */

/** @type {Record<EngineName, Engine>} */
export const engines = {
  chromium: {
    name: "chromium",
    title: "Chromium",
    packages: ["chromium", "chromium-driver"],
    driver: ["/usr/bin/chromedriver", "chromedriver"],
    browser: ["/usr/bin/chromium", "chromium", "google-chrome", "google-chrome-stable"],
    driverVariable: "CHROMEDRIVER",
    driverPorts: ["--port"],
    needsDisplay: false,
    capabilities: ({ width, height, blockSiteData }, binary) => ({
      browserName: "chrome",
      "goog:loggingPrefs": { browser: "ALL" },
      "goog:chromeOptions": {
        binary,
        // Chromium refuses to run as root with its sandbox; /dev/shm is 64 MB in most containers.
        args: ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", `--window-size=${width},${height}`],
        ...(blockSiteData && { prefs: { "profile.default_content_setting_values.cookies": 2 } }),
      },
    }),
  },

  firefox: {
    name: "firefox",
    title: "Firefox",
    packages: ["firefox-esr"],
    driver: [join(root, ".tools/bin/geckodriver"), "geckodriver"],
    browser: ["/usr/bin/firefox-esr", "firefox-esr", "firefox"],
    driverVariable: "GECKODRIVER",
    // Without the second, every Firefox wants 9222 for BiDi, and the one that comes later has none.
    driverPorts: ["--port", "--websocket-port"],
    needsDisplay: false,
    capabilities: ({ colorScheme, reducedMotion, blockSiteData }, binary) => ({
      browserName: "firefox",
      webSocketUrl: true,
      "moz:firefoxOptions": {
        binary,
        args: ["-headless"],
        prefs: {
          "layout.css.prefers-color-scheme.content-override": colorScheme === "dark" ? 0 : 1,
          "ui.prefersReducedMotion": reducedMotion ? 1 : 0,
          ...(blockSiteData && { "network.cookie.cookieBehavior": 2 }),
        },
      },
    }),
  },

  webkit: {
    name: "webkit",
    title: "WebKitGTK",
    packages: ["webkit2gtk-driver", "xvfb"],
    driver: ["/usr/bin/WebKitWebDriver", "WebKitWebDriver"],
    get browser() {
      // Looked up at each time: it may have been installed since.
      return miniBrowsers();
    },
    driverVariable: "SAFARIDRIVER",
    driverPorts: ["--port"],
    needsDisplay: true,
    capabilities: ({ colorScheme }, binary) => ({
      browserName: "MiniBrowser",
      "webkitgtk:browserOptions": {
        binary,
        args: ["--automation", ...(colorScheme === "dark" ? ["--dark-mode"] : [])],
      },
    }),
    environment({ reducedMotion }, scratch) {
      // WebKitGTK takes this preference from GTK's settings file.
      const folder = join(scratch, "gtk-3.0");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "settings.ini"), `[Settings]\ngtk-enable-animations=${reducedMotion ? 0 : 1}\n`);
      return { XDG_CONFIG_HOME: scratch };
    },
  },
};

/** @type {EngineName[]} */
export const engineNames = ["chromium", "firefox", "webkit"];

/**
 * Where browser and driver of an engine are, and what is missing.
 *
 * @param {EngineName} name
 * @returns {{ driver: string | undefined, browser: string | undefined, missing: string[] }}
 *   `missing` names what could not be found, for people; it is empty when the engine can be used
 */
export function locate(name) {
  const engine = engines[name];
  const driver = firstExecutable(engine.driver);
  const browser = firstExecutable(engine.browser);
  const missing = [];
  if (!browser) missing.push(`${engine.title} itself`);
  if (!driver) missing.push(`its driver (${engine.driver.at(-1)})`);
  if (engine.needsDisplay && !process.env.DISPLAY && !firstExecutable(["Xvfb"])) missing.push("a display (Xvfb)");
  return { driver, browser, missing };
}

/** @param {string[]} candidates */
export function firstExecutable(candidates) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return candidates
    .flatMap((file) => (file.includes("/") ? [file] : folders.map((folder) => join(folder, file))))
    .find(isExecutable);
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** MiniBrowser lies in a folder named after the platform and the version of the library. */
function miniBrowsers() {
  const found = [];
  for (const base of ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/libexec", "/usr/lib64", "/usr/lib"]) {
    for (const library of entries(base).filter((entry) => entry.startsWith("webkit2gtk-4."))) {
      found.push(join(base, library, "MiniBrowser"));
    }
  }
  return [...found, "MiniBrowser"];
}

/** @param {string} folder */
function entries(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
