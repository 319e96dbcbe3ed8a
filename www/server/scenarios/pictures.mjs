/** An agent that looks at pictures. */
import { finished, started, text } from "../events.mjs";
import { mark } from "../steps.mjs";

/** A content part that is no text, in a line. */
function line({ type, source, metadata }) {
  const where = source.type === "url" ? "an address" : `${Math.floor((source.value.length * 3) / 4)} bytes in the message`;
  return `- ${type} \`${String(metadata?.filename ?? "without a name").replaceAll("`", "'")}\`, ${source.mimeType}, as ${where}`;
}

export const pictures = {
  name: "pictures",
  title: "Pictures",
  about: "Drop, paste or pick pictures: the agent says what it was given.",
  prompt: "What do you see?",
  *run(input) {
    yield started(input);
    yield mark("start");
    const content = input.messages.findLast((message) => message.role === "user")?.content ?? "";
    const parts = typeof content === "string" ? [] : content.filter(({ type }) => type !== "text");
    const said = parts.length === 0
      ? "I was given no picture."
      : `I was given ${parts.length === 1 ? "one file" : `${parts.length} files`}:\n\n${parts.map(line).join("\n")}`;
    yield* text(`${input.runId}-answer`, said, { half: false });
    yield finished(input);
  },
};
