// How a play of tabs.mjs has to end.

import assert from "node:assert/strict";

/** Checks what has come of all that was said and done, once nothing comes from outside. `stored`: what the store has. */
export function check({ kind, origin, promises, edits, approved, people, rewriters, lives }, stored) {
  const here = lives.filter(({ gone }) => !gone);
  const thread = stored?.messages ?? [];
  // Where the store was too late to write to, what was said stays with its page until that is used again.
  const shown = ({ agent }) => agent.getSnapshot().messages.map(({ id }) => id);
  const ids = thread.map(({ id }) => id);
  // After a run that was cut off the queue waits for somebody.
  const queue = stored?.queue ?? [];
  assert.deepEqual(ids.filter((id, at) => ids.indexOf(id) !== at), [], "a message is there twice");
  // One that was asked for again may have a call of that id again.
  const once = origin.executed.filter((id) => !rewriters.returned.has(id.slice("call ".length)));
  assert.deepEqual(once.filter((id, at) => once.indexOf(id) !== at), [], "a tool was executed twice");
  const sent = origin.requests.map(({ runId }) => runId);
  assert.deepEqual(sent.filter((id, at) => sent.indexOf(id) !== at), [], "a run was sent twice");
  assert.deepEqual(origin.early, [], "a run was sent before the thread was opened");
  // One that is asked for again may have an edit of another page before it.
  for (const { runId, last, replies } of kind.retries || kind.rewrites || kind.forks ? [] : origin.requests)
    if (!/-\d+$/.test(runId) && !replies.length && !last.endsWith("-result")) assert.equal(runId, `run ${last}`, "what was said later goes with it");
  const lasts = origin.requests.map(({ last, replies }) => (replies.length ? undefined : last));
  const isAgain = (id, at) => id !== undefined && lasts.indexOf(id) !== at && !rewriters.returned.has(/^call (.*)-result$/.exec(id)?.[1]);
  const again = lasts.filter(isAgain);
  if (kind.retries || kind.rewrites || kind.forks) assert.ok(again.length <= origin.retries, `sent again: ${again}`);
  else assert.deepEqual(again, [], "a message was sent twice");
  for (const { role, id, content } of thread)
    if (role === "assistant" && content !== undefined) assert.ok(`Heard ${id.slice(6)}`.startsWith(content), `${id} says ${content}`);
  // A worker may have begun it, and what a page did that was left, or lost its core, may be lost.
  const stays = ({ life: { gone, page, late } }) => !kind.worker && !gone && !late && !page.lost;
  for (const { id, content, life, result, left, stopped, rests, out, removed, named } of promises) {
    if (out && stays(out)) {
      assert.ok(!lasts.slice(out.sent).includes(id), `${id} was taken out, and is sent`);
      assert.ok(![...ids, ...queue.map(({ messages }) => messages[0]?.id)].includes(id), `${id} was taken out, and is there`);
      assert.ok(left || result === "aborted", `${id} was taken out, and is ${result}`);
    }
    const sentAs = origin.requests.find(({ last }) => last === id)?.messages.at(-1);
    if (named && sentAs && stays(named)) assert.equal(sentAs.name, named.name, `${id} was changed, and is sent as it was`);
    if (out && result !== "success") continue;
    // The store has all words of a page that was left, or the inbox has them.
    const stayed = kind.inbox && !kind.slow && !kind.worker && !life.late && !life.page.lost;
    if (left && stayed && !stopped && !removed && !rewriters.isWiped(id) && !rewriters.isReplaced(id, ids)) {
      const waits = [...queue, ...Object.values(origin.inbox ?? {}).flatMap(([, letters]) => letters)];
      assert.ok([...ids, ...waits.map(({ messages }) => messages[0]?.id)].includes(id), `${id} is lost with its page`);
    }
    if (left || (stopped && result === "aborted") || ["ask", "fill"].includes(content)) continue;
    if (result?.code === "interrupts-open") continue;
    if (rewriters.isWiped(id)) {
      assert.ok(result !== undefined, `${id} is still waited for`);
      continue;
    }
    if (content === "question" && result === "interrupted") {
      if (!life.late && !life.gone) assert.ok(ids.includes(id), `${id} is lost`);
      continue;
    }
    // Nobody was left, and what was said is in the thread or waits. Where the page has calls that nobody is there for, or could not open
    // the thread, another page gets the store.
    if ((kind.linger !== undefined && result === "aborted") || (rests && result === "disconnected")) {
      assert.ok(life.late || life.gone || ids.includes(id) || queue.some(({ messages }) => messages[0]?.id === id), `${id} is lost when nobody is left`);
      continue;
    }
    assert.ok(result !== undefined, `${id} is still waited for`);
    if (rewriters.isReplaced(id, ids)) continue;
    if (rewriters.returned.has(id)) {
      assert.ok(life.gone || life.late || ids.includes(id), `${id} is lost as somebody returns to it`);
      continue;
    }
    // It waits until the agent has its replies, perhaps in another page.
    if (kind.asks && result === "disconnected") {
      assert.ok(life.late || life.gone || [...ids, ...queue.map(({ messages }) => messages[0]?.id)].includes(id), `${id} is lost while the agent asks`);
      continue;
    }
    // A connection was lost, and perhaps another question came before somebody asked again.
    if (kind.retries && ["error", "truncated"].includes(result)) {
      assert.ok(life.gone || life.late || [...ids, ...queue.map(({ messages }) => messages[0]?.id)].includes(id), `${id} is lost with its connection`);
      continue;
    }
    // The home was lost: what was said is in the thread, waits, or is shown.
    if (life.page.lost && ["error", "disconnected"].includes(result)) {
      assert.ok(
        life.gone || life.late || [...ids, ...shown(life), ...queue.map(({ messages }) => messages[0]?.id)].includes(id),
        `${id} is lost with its home`,
      );
      continue;
    }
    assert.equal(result, "success", `${id} of ${life.name}`);
    if (life.late && (life.gone || shown(life).includes(id))) continue;
    assert.ok(ids.includes(id), `${id} is lost`);
    // The page was left before the answer was in the store.
    if (life.gone && !kind.resumes) continue;
    // A message that did not fit, and came from the server, is gone.
    if (kind.cramped || rewriters.unanswered) continue;
    // The run in progress has it, and may say what comes of it.
    if (content === "steer") continue;
    if (content === "say") assert.equal(thread.find((message) => message.id === `after ${id}`)?.content, `Heard ${id}`, `the answer to ${id}`);
    else assert.ok(origin.executed.includes(`call ${id}`), `the call of ${id} is not executed`);
  }
  // A submit of another page may have denied it before, which a server that keeps the thread need not have heard.
  for (const { id, life, stopped, owned } of approved) {
    // A call that did not fit into the store is not there for the next page.
    if (kind.cramped && origin.owners.slice(owned + 1).some((page) => page !== life.page)) continue;
    const answered = [...origin.results, ...ids].includes(`${id}-result`);
    // Its run was stopped, or hung up, by its own page: of its calls nothing comes any longer.
    if (promises.some((said) => `call ${said.id}` === id && said.result === "aborted")) continue;
    // The session of a page that could not read the store has not heard of the call: that waits on in the store.
    assert.ok(
      life.gone || life.page.lost || life.refused || stopped || rewriters.isWiped(id.slice("call ".length)) || rewriters.returned.size > 0 ||
        origin.executed.includes(id) ||
        answered,
      `${id} was approved, and nothing came of it`,
    );
  }
  // A run that comes to a page is in the store before the page gives that away.
  for (const { id, page } of origin.heard) {
    // Whoever asks again takes back all that came after the question. Where nobody was left, it may have waited for the end of an answer, unread.
    if (
      page.dead || page.lost || page.stopped || kind.alone || kind.linger === 0 || kind.rewrites || origin.retries || rewriters.wiped.size ||
      lives.some((life) => life.page === page && (life.gone || life.late))
    ) continue;
    assert.equal(thread.find((message) => message.id === `after ${id}`)?.content, `Heard ${id}`, `what is said unasked: ${id}`);
  }
  people.check(thread);
  rewriters.check(ids);
  for (const { agent, name, late } of here) if (!late) assert.deepEqual(agent.getSnapshot().interrupts, [], `${name} still asks`);
  if (kind.cramped) return;
  // A message that is never sent is not in the server's thread.
  if (!kind.thread) {
    for (const { id, life, ofState } of edits) {
      // A run that is joined continues with the state that its server knows.
      if (life.gone || (ofState && (kind.resumes || kind.resets || kind.forks)) || rewriters.isWiped(id)) continue;
      const { state } = life.agent.getSnapshot();
      const [is, looks] = ofState ? [id in (stored?.state ?? {}), id in state] : [ids.includes(id), shown(life).includes(id)];
      assert.ok(is || (life.late && looks), `${id} is lost`);
    }
  }
  for (const { name, unmount, view, agent } of here)
    if (view && unmount) assert.deepEqual(view.shown(), shown({ agent }), `what the component of ${name} shows`);
  // A message that comes too late to begin with is in the next save, and not shown beside later ones.
  for (const { agent, name, late, unmount, page } of here) {
    // The part of a run that had come stays shown. The run is joined where it was read to in the save.
    // One that could not read what another page wrote last shows what was there before, until it is its turn.
    if (late || page.unread.size || !(unmount || kind.alone) || (kind.resumes && page.lost)) continue;
    assert.deepEqual(shown({ agent }), ids, `what ${name} shows`);
  }
  if (kind.linger === undefined && !lives.some(({ gone, late, page }) => gone || late || page.lost)) assert.deepEqual(queue, [], "something waits for ever");
}
