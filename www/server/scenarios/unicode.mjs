import { finished, started } from "../events.mjs";
import { raw, tokens, wait } from "../steps.mjs";

/**
 * Text that is easy to break. Servers cut text in UTF-16, so an emoji comes as two deltas with half of it in each, as
 * JSON escapes; networks cut bytes, so a letter comes in two reads.
 */
const lines = [
  "Halves of one emoji: \u{1F642} and \u{1F680}, joined again.",
  "Families and flags: 👨‍👩‍👧‍👦 👩🏽‍🚀 🏳️‍🌈 🇵🇹.",
  "Combining marks: e\u0301 n\u0303 Z\u0351\u036B\u0343\u036A\u0302.",
  "العربية تُكتب من اليمين إلى اليسار، و AG-UI بينها.",
  "עברית נכתבת מימין לשמאל, והמספר 42 משמאל לימין.",
  "日本語と中文和한국어が同じ行に。",
  "Mathematics: 𝒳 ∈ ℝⁿ, ∮ E·dA = Q ∕ ε₀.",
];

export const unicode = {
  name: "unicode",
  title: "Emoji and right-to-left",
  about: "Split surrogates, families, Arabic, Hebrew, Chinese, combining marks.",
  prompt: "Show me text that is easy to break. שלום!",
  *run(input) {
    const messageId = `${input.runId}-answer`;
    const content = (delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
    yield started(input);
    yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
    for (const line of lines) {
      for (const token of tokens(`${line}\n\n`)) {
        // JSON.stringify writes a lone surrogate as an escape, which is how it crosses a wire of UTF-8.
        for (const delta of /[\u{1F642}\u{1F680}]/u.test(token) ? token.split("") : [token]) {
          yield content(delta);
          yield wait(40);
        }
      }
    }
    yield* split(content("Bytes cut inside a letter: ß, 한, 🧵."));
    yield { type: "TEXT_MESSAGE_END", messageId };
    yield finished(input);
  },
};

/** One frame in as many writes as it has letters of more than one byte, each cut inside such a letter. */
function* split(event) {
  const bytes = new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);
  let from = 0;
  for (const [index, byte] of bytes.entries()) {
    if (byte < 0xc0) continue;
    yield raw(bytes.subarray(from, index + 1));
    from = index + 1;
  }
  yield raw(bytes.subarray(from));
}
