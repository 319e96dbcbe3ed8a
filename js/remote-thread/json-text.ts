// JSON as text: parts of it are found and changed, and every other byte stays, so numbers keep their digits.

/** The end of the JSON string that begins there. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** The end of the JSON value that begins there. */
function endOfValue(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from);
  let depth = 0;
  for (let at = from; at < text.length;) {
    const char = text[at]!;
    if (char === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]" || char === ",") {
      if (!depth) return at;
      if (char !== "," && !--depth) return at + 1;
    }
    at++;
  }
  return text.length;
}

/** The members of a JSON object without blanks, as the core writes it. */
export function* membersOf(text: string): Generator<{ readonly name: string; readonly from: number; readonly to: number }> {
  for (let at = 1; text[at] === '"'; at++) {
    const colon = endOfString(text, at);
    const from = colon + 1;
    const to = endOfValue(text, from);
    yield { name: text.slice(at + 1, colon - 1), from, to };
    at = to;
  }
}

/** The elements of a JSON list without blanks, as texts. */
export function textsOf(list: string): string[] {
  const texts: string[] = [];
  for (let at = 1; list[0] === "[" && at < list.length && list[at] !== "]";) {
    const to = endOfValue(list, at);
    texts.push(list.slice(at, to));
    at = list[to] === "," ? to + 1 : to;
  }
  return texts;
}

/** The object with what these make of its members, which they get as texts. */
export function withMembers(text: string, changes: { readonly [name: string]: (value: string) => string }): string {
  let made = "";
  let done = 0;
  for (const { name, from, to } of membersOf(text)) {
    if (!Object.hasOwn(changes, name)) continue;
    made += text.slice(done, from) + changes[name]!(text.slice(from, to));
    done = to;
  }
  return made + text.slice(done);
}
