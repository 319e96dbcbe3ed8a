/** The imports that all three chats start with. */
import "./base.css";
import "./chat.css";
import "./prose.css";
import "./cards.css";
import "./tools.css";
import "./files.css";
import "./panel.css";
import "./threads.css";
import { listenForCopies } from "./markdown.js";

listenForCopies(document);

// WebKitGTK gives the target of a fragment the focus but not the caret, so the field would take no keys.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  byId("input").focus();
});

/** Whether there is room for the panel beside the conversation. */
export const wide = (): boolean => matchMedia("(min-width: 64rem)").matches;

export const byId = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}.`);
  return element;
};
