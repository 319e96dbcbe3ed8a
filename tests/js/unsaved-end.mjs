// How a play of unsaved.mjs has to end.

import assert from "node:assert/strict";

const twice = (ids) => ids.filter((id, at) => ids.indexOf(id) !== at);

/** Checks what has come of all that was said and done in a thread, once nothing comes from outside. `life`: the agent that shows it. */
export function check(kind, thread, life) {
  const { origin, promises, edits, approved, people, rewriters } = thread;
  const { agent, name } = life;
  const snapshot = agent.getSnapshot();
  const { messages, isLoading } = snapshot;
  const ids = messages.map(({ id }) => id);
  const waiting = snapshot.queue.flatMap((row) => row.messages.map(({ id }) => id));
  const all = [...ids, ...waiting];
  assert.deepEqual(twice(all), [], `${name} has a message twice`);
  assert.ok(!isLoading, `${name} never comes to rest`);
  checkSent(kind, thread);
  checkSaved(agent, name, ids, waiting);
  for (const { role, id, content } of messages)
    if (role === "assistant" && content !== undefined) assert.ok(`Heard ${id.slice(6)}`.startsWith(content), `${id} says ${content}`);
  for (const promise of promises) checkPromise(kind, thread, promise, { ...snapshot, all, ids });
  for (const { id, yes, stopped, life: { gone, page } } of approved) {
    const said = promises.find((one) => `call ${one.id}` === id);
    if (stopped || gone || page.lost || rewriters.isWiped(said?.id) || rewriters.returned.size || said?.stopped) continue;
    const result = messages.find(({ role, toolCallId }) => role === "tool" && toolCallId === id);
    assert.ok(result || (yes && origin.executed.includes(id)), `${id} was ${yes ? "approved" : "denied"}, and nothing came of it`);
  }
  people.check(messages);
  rewriters.check(ids);
  assert.deepEqual(snapshot.interrupts, [], `${name} still asks`);
  for (const { id, ofState } of edits) {
    // A run that is joined continues with the state that its server knows, and a thread that is opened again is the server's.
    if (kind.thread || (ofState && (kind.resumes || kind.resets || kind.forks)) || rewriters.isWiped(id)) continue;
    assert.ok(ofState ? id in (snapshot.state ?? {}) : ids.includes(id), `the edit ${id} of ${name} is lost`);
  }
  assert.deepEqual(waiting, [], `something of ${name} waits for ever`);
  if (life.view && life.unmount) assert.deepEqual(life.view.shown(), ids, `what the component of ${name} shows`);
}

/** Nothing goes out twice, in another order, or without what was said before. */
function checkSent(kind, { origin, rewriters, life }) {
  const { requests } = origin;
  assert.deepEqual(twice(requests.map(({ runId }) => runId)), [], "a run was sent twice");
  assert.deepEqual(origin.early, [], "a run was sent before the thread was opened");
  // One that was asked for again may have a call of that id again.
  assert.deepEqual(twice(origin.executed.filter((id) => !rewriters.returned.has(id.slice("call ".length)))), [], "a tool was executed twice");
  const lasts = requests.map(({ last, replies }) => (replies.length ? undefined : last));
  const again = twice(lasts).filter((id) => id !== undefined && !rewriters.returned.has(/^call (.*)-result$/.exec(id)?.[1]));
  assert.ok(again.length <= origin.retries, `sent again: ${again} of ${life.name}`);
  if (!origin.retries && !kind.rewrites) {
    for (const { runId, last, replies } of requests)
      if (!/-\d+$/.test(runId) && !replies.length && !last.endsWith("-result")) assert.equal(runId, `run ${last}`, "what was said later goes with it");
  }
  if (kind.thread || kind.rewrites || rewriters.wiped.size || rewriters.returned.size) return;
  let before = [];
  for (const { runId, messages } of requests) {
    const said = messages.flatMap(({ role, id }) => (role === "user" ? id : []));
    for (const id of before) assert.ok(said.includes(id), `${runId} lacks ${id}, which was said before`);
    before = said;
  }
}

/** A save of the application has what is shown. */
function checkSaved(agent, name, ids, waiting) {
  const { messages, queue } = agent.save();
  assert.deepEqual(messages.map(({ id }) => id), ids, `the messages in the save of ${name}`);
  assert.deepEqual(queue.flatMap((row) => row.messages.map(({ id }) => id)), waiting, `the queue in the save of ${name}`);
}

/** A message that was typed is shown, or was refused, and its promise settles. */
function checkPromise(kind, { origin, rewriters, forked }, promise, { all, ids, messages, toolCalls }) {
  const { id, content, life, result, left, stopped, out, named, ifBusy } = promise;
  const sent = origin.requests.findIndex(({ messages: said }) => said.some((message) => message.id === id));
  if (!left) assert.ok(result !== undefined, `${id} is still waited for`);
  const refused = result?.code;
  if (refused) assert.ok((refused === "busy" && ifBusy === "reject") || (refused === "interrupts-open" && kind.asks), `${id} is refused with ${refused}`);
  if (out || refused || result === "dropped") {
    if (result === "dropped") assert.equal(ifBusy, "drop", `${id} is dropped`);
    // A worker that is lost may not have said that it is taken out: then it fails with all others.
    const failed = kind.worker && life.page.lost && result === "error";
    if (out) assert.ok(left || failed || result === "aborted", `${id} was taken out, and is ${result}`);
    assert.ok(sent < (out?.sent ?? 0), `${id} was taken back, and is sent`);
    assert.ok(!all.includes(id), `${id} was taken back, and is there`);
    return;
  }
  const request = origin.requests[sent]?.messages.find((message) => message.id === id);
  if (named && request) assert.equal(request.name, named.name, `${id} was changed, and is sent as it was`);
  if (rewriters.isWiped(id) || rewriters.isReplaced(id, ids)) return;
  // One that waited, and was aborted, is taken out.
  if (result === "aborted" && sent < 0 && kind.manners) return;
  assert.ok(all.includes(id), `${id} of ${life.name} is lost`);
  if (left || rewriters.returned.has(id)) return;
  if (result === "aborted") return assert.ok(stopped || life.gone, `${id} was aborted by nobody`);
  if (["error", "truncated", "disconnected"].includes(result)) {
    const may = kind.losses || kind.retries || kind.faults || kind.resumes || kind.asks || life.page.unopened;
    return assert.ok(may, `${id} of ${life.name} is ${result}`);
  }
  if (content === "question" && result === "interrupted") return undefined;
  assert.equal(result, "success", `${id} of ${life.name}`);
  if (rewriters.unanswered || content === "steer") return undefined;
  if (content === "say") return assert.equal(messages.find((message) => message.id === `after ${id}`)?.content, `Heard ${id}`, `the answer to ${id}`);
  const calls = toolCalls.filter((call) => call.id.startsWith(`call ${id}`));
  // Somebody has asked again before it was answered, or has returned to before that.
  if (origin.retries || forked) return undefined;
  assert.ok(calls.length, `${id} has no call`);
  for (const call of calls) assert.ok(call.result !== undefined || call.error, `${call.id} has no result`);
  return undefined;
}
