// Streams that break the protocol, or that the network has cut. Ours with its default rules.

import { answer, call, finished, left, recorder, server, settled, sse, started, text } from "../client.mjs";

const play = async ({ HttpAgent }, body) => {
  const log = [];
  const agent = new HttpAgent({ url: "https://x.test/", threadId: "t", fetch: typeof body === "string" ? async () => answer(body) : server(body).fetch });
  const end = await settled(agent.runAgent({ runId: "r" }, recorder(log, {}, ["onRunFailed"])));
  return [end, log.length, left(agent)];
};
const [start, content, end] = text("m", "x");

export const windowsLineEnds = (client) => play(client, sse(started(), ...text("m", "x"), finished()).replaceAll("\n", "\r\n"));
export const aPairInTwoDeltas = (client) =>
  play(client, sse(started(), start, content).replace('"x"', '"\\ud83d"') + sse(content).replace('"x"', '"\\ude42"') + sse(end, finished()));
export const aLoneHalf = (client) => play(client, sse(started(), start, content, end, finished()).replace('"x"', '"\\ud83d"'));
export const anUnknownEvent = (client) => play(client, [started(), { type: "LATER", x: 1 }, ...text("m", "x"), finished()]);
export const unknownMembers = (client) => play(client, [started(), { ...start, later: 1 }, content, end, finished()]);
export const thinking = (client) =>
  play(client, [
    started(),
    { type: "THINKING_START" },
    { type: "THINKING_TEXT_MESSAGE_START" },
    { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "hm" },
    { type: "THINKING_TEXT_MESSAGE_END" },
    { type: "THINKING_END" },
    finished(),
  ]).then(([one, two, { messages }]) => [one.failed, two, messages.map(({ role, content }) => [role, content])]);
export const aFrameThatIsNoJson = (client) => play(client, `${sse(started(), ...text("m", "x"))}data: {nope\n\n${sse(finished())}`);
export const aFrameThatIsNoEvent = (client) => play(client, `${sse(started(), ...text("m", "x"))}data: 7\n\n${sse(finished())}`);
export const contentWithoutItsStart = (client) => play(client, [started(), content, finished()]);
export const nothingBeforeRunStarted = (client) => play(client, [...text("m", "x"), finished()]);
export const aCallThatIsNotOpen = (client) => play(client, [started(), { type: "TOOL_CALL_END", toolCallId: "c" }, ...call("d", "f", "{}"), finished()]);
export const eventsAfterTheEnd = (client) => play(client, [started(), finished(), ...text("m", "x")]);
export const aMessageThatIsLeftOpen = (client) => play(client, [started(), start, content, finished()]);
export const aMemberOfTheWrongType = (client) => play(client, [started(), { ...start, messageId: 7 }, ...text("n", "y"), finished()]);
export const nullForAbsent = (client) =>
  play(client, [started(), { ...call("c", "f")[0], parentMessageId: null }, call("c", "f")[1], finished({ outcome: null, result: null })]);
export const aPatchThatFails = (client) =>
  play(client, [
    started(),
    { type: "STATE_SNAPSHOT", snapshot: { a: 1 } },
    { type: "STATE_DELTA", delta: [{ op: "remove", path: "/none" }] },
    ...text("m", "x"),
    finished(),
  ]);
export const aBodyThatIsCut = (client) => play(client, sse(started(), start, content));
export const aFrameThatIsCut = (client) => play(client, sse(started(), start, content) + 'data: {"type":"TEXT_MESS');
export const anEmptyBody = (client) => play(client, "");
export const comments = (client) => play(client, `: hello\n\n${sse(started(), ...text("m", "x"))}: ping\n\nid: 7\nevent: e\nretry: 10\n${sse(finished())}`);
export const aByteOrderMark = (client) => play(client, `\uFEFF${sse(started(), finished())}`);
export const aDoneMark = (client) => play(client, `${sse(started(), ...text("m", "x"), finished())}data: [DONE]\n\n`);
