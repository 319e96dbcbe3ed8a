/** How the message field behaves, whatever draws it. */

/** The meaning of a key: Enter sends, Shift+Enter makes a line, and an input method that is composing keeps its Enter. */
export function sends(event: { key: string; shiftKey: boolean; isComposing: boolean; keyCode: number }): boolean {
  // Safari ends a composition before it reports the Enter that ended it; the key code still says so.
  return event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
}

/** Lets the field grow with its text; the style sheet sets the limit. */
export function fit(field: HTMLTextAreaElement): void {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/** Escape stops the run, wherever the focus is. */
export function listenForEscape(stop: () => void): () => void {
  const listener = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && !event.isComposing) stop();
  };
  document.addEventListener("keydown", listener);
  return () => document.removeEventListener("keydown", listener);
}
