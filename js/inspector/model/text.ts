// Text that came from the network, made short enough to be shown.

/** The text, at most so many characters of it, and how many there are in all where that is more. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half of a surrogate pair is no character.
  const end = /[\uD800-\uDBFF]/.test(text[most - 1] ?? "") ? most - 1 : most;
  return `${text.slice(0, end)}… (${count(text.length)} characters)`;
}

/** The text as one line. */
export function line(text: string, most = 200): string {
  return cut(text.length > 2 * most ? text.slice(0, 2 * most) : text, most).replace(/\s+/g, " ").trim();
}

/** A whole number as it is read. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** Milliseconds, in the unit that fits. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A time of the day, to the millisecond. */
export function clock(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "–" : date.toISOString().slice(11, 23);
}

/** A value as short JSON, however large or deep it is: at most about so many characters, and so many levels. */
export function preview(value: unknown, most = 400, depth = 6): string {
  let remaining = most;
  const write = (part: unknown, level: number): string => {
    if (remaining <= 0) return "…";
    if (typeof part === "string") return spend(JSON.stringify(cut(part, Math.max(remaining, 20))));
    if (typeof part !== "object" || part === null) return spend(String(JSON.stringify(part)));
    remaining -= 2;
    if (level >= depth) return spend(Array.isArray(part) ? `[… ${part.length}]` : "{…}");
    return Array.isArray(part) ? list(part, level) : object(part as Record<string, unknown>, level);
  };
  const spend = (text: string): string => {
    remaining -= text.length;
    return text;
  };
  const list = (part: readonly unknown[], level: number): string => {
    const items: string[] = [];
    for (const item of part) {
      if (remaining <= 0) return `[${items.join(", ")}, … ${count(part.length)} in all]`;
      items.push(write(item, level + 1));
    }
    return `[${items.join(", ")}]`;
  };
  const object = (part: Record<string, unknown>, level: number): string => {
    const members: string[] = [];
    for (const key in part) {
      if (!Object.hasOwn(part, key)) continue;
      if (remaining <= 0) return `{${members.join(", ")}, …}`;
      members.push(`${spend(JSON.stringify(cut(key, 60)))}: ${write(part[key], level + 1)}`);
    }
    return `{${members.join(", ")}}`;
  };
  return write(value, 0);
}

/** About how many characters a value has as JSON; no more than so many are counted. */
export function weigh(value: unknown, most = 2 ** 24): number {
  let sum = 0;
  const todo: unknown[] = [value];
  while (todo.length && sum < most) {
    const part = todo.pop();
    sum += typeof part === "string" ? part.length + 2 : 8;
    if (typeof part !== "object" || part === null) continue;
    for (const key in part) {
      sum += key.length;
      if (sum >= most) break;
      todo.push((part as Record<string, unknown>)[key]);
    }
  }
  return sum;
}
