// The body of an answer that was read whole, or as far as it has come.

/** An event of a body, as it came and as JSON. */
export interface ReceivedEvent {
  readonly json: string;
  readonly event: { readonly type?: unknown; readonly [member: string]: unknown };
}

/** The events of a whole body: server-sent events, one JSON value a line, or a list of them. */
export function eventsOf(text: string): ReceivedEvent[] {
  const events: ReceivedEvent[] = [];
  const take = (json: string): void => {
    try {
      const event: unknown = JSON.parse(json);
      if (Array.isArray(event)) event.forEach((one) => take(JSON.stringify(one)));
      // One line each, for the core. A string in it has no line break of its own.
      else if (typeof event === "object" && event) events.push({ json: json.replaceAll("\n", " "), event: event as ReceivedEvent["event"] });
    } catch {
      // No event of ours.
    }
  };
  const [list] = /^\uFEFF?\s*(?=\[)/.exec(text) ?? [];
  if (list !== undefined) {
    take(text.slice(list.length));
    return events;
  }
  let data: string[] = [];
  for (const line of `${text.replace(/^\uFEFF/, "")}\n\n`.split(/\r\n|\r|\n/)) {
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    else if (/^\s*\{/.test(line)) take(line);
    else if (!line && data.length) {
      take(data.join("\n"));
      data = [];
    }
  }
  return events;
}
