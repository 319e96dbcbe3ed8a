// Foreign messages in AG-UI's form: what several servers share.

import type { AssistantMessage, Message } from "../api/protocol.js";

/** JSON that a server sent. Nothing is known about it. */
export type ServerJson = { readonly [name: string]: any } | undefined;

/** The JSON of an answer as an object, so that its members can be asked for. */
export const bodyOf = async (response: Response): Promise<NonNullable<ServerJson>> => Object(await response.json());

/** The elements of a list, each as `make` returns it. Another value stays, to be refused by whoever expects a list. */
export const each = <Made>(list: unknown, make: (element: NonNullable<ServerJson>) => Made): Made[] =>
  Array.isArray(list) ? list.map((element) => make(Object(element))) : (list as Made[]);

/** The address of a path below another, with or without a slash between them. */
export const under = (base: string, path: string): string => `${base.replace(/\/$/, "")}${path}`;

/** The time of an ISO text, in milliseconds. */
export const timeOf = (text: unknown): number | undefined => (typeof text === "string" && Date.parse(text)) || undefined;

/** A request with JSON in it. */
export const json = (method: string, body: unknown): RequestInit => ({ method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** A value as the text that AG-UI has for arguments and results. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** A call of a tool. */
export const callOf = (id: string, name: string, args: unknown): NonNullable<AssistantMessage["toolCalls"]>[number] => ({
  id,
  type: "function",
  function: { name, arguments: textOf(args) },
});

/** An assistant's message, without members that are empty. */
export const assistant = (id: string, content: string, calls: NonNullable<AssistantMessage["toolCalls"]>): Message => ({
  id,
  role: "assistant",
  ...((content || !calls.length) && { content }),
  ...(calls.length && { toolCalls: calls }),
});
