import type { Agent } from "ag-ui-wasm";
import { useAttachments } from "ag-ui-wasm/attachments/react";
import { useAgent, type UseAgent } from "ag-ui-wasm/react";
import { useAnnouncer } from "ag-ui-wasm/announcer/react";
import { useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import { contract } from "../shared/contract.js";
import { listenForEscape } from "../shared/composer.js";
import { endpoint, initial, loadScenarios, OTHER, scenarioOf, type Catalogue, type Scenario } from "../shared/endpoint.js";
import { files as pictures } from "../shared/files.js";
import { HeldQuestions } from "../shared/held.js";
import { isEmpty } from "../shared/json.js";
import { Notices } from "../shared/notices.js";
import { toggleInspector } from "../shared/inspect.js";
import { byId, wide } from "../shared/page.js";
import { listen, protocolOf, scenariosOf, sourceOf, type Protocol } from "../shared/protocols.js";
import { RowList, textOf } from "../shared/rows.js";
import { firstThread, remember, storedAgent, storedUrl } from "../shared/stored.js";
import { ErrorCard, Question, Questions } from "./cards.js";
import { Composer } from "./composer.js";
import { Panel } from "./panel.js";
import { MessageRow } from "./row.js";
import { Sidebar } from "./sidebar.js";
import { Toasts } from "./toasts.js";
import { Toolbar } from "./toolbar.js";
import { Transcript } from "./transcript.js";
import { Welcome } from "./welcome.js";

const notices = new Notices();
const held = new HeldQuestions();
const rowList = new RowList();

// The agent asks for its address before every request, so a change of scenario keeps the conversation.
const target = { url: "" };

export function Chat() {
  const [protocol, setProtocol] = useState(() => protocolOf(initial.protocol));
  const [address, setAddress] = useState(initial.url);
  const [open, setOpen] = useState(wide);
  const [threadId, setThreadId] = useState(firstThread);
  const { scenarios, scenario, choice, setChoice } = useScenarios(protocol);

  const { stored = false } = protocol;
  target.url = stored ? storedUrl(threadId) : endpoint(scenario, address);
  const source = useMemo(() => sourceOf(protocol, () => target.url), [protocol]);
  const chat = useAgent(stored ? storedAgent(threadId) : source);
  const files = useAttachments(pictures);
  const { agent, status } = chat;
  const log = useSyncExternalStore(notices.subscribe, notices.get);
  useEffect(() => {
    if (stored) remember(threadId);
  }, [stored, threadId]);
  useListeners(agent, protocol, scenario !== undefined);

  const start = (chosen: Scenario): void => {
    setChoice(chosen.name);
    if (!stored) target.url = endpoint(chosen, address);
    void agent.submit(chosen.prompt);
  };
  // Another protocol is another agent: the conversation begins anew.
  const speak = (name: string): void => {
    if (!stored) agent.dispose();
    notices.clear();
    setProtocol(protocolOf(name));
  };
  const restart = (): void => {
    if (stored) setThreadId(crypto.randomUUID());
    else agent.reset();
    notices.clear();
    byId("input").focus();
  };
  const choosing = { scenarios, choice, scenario, address, onChoice: setChoice, onAddress: setAddress };

  return (
    <>
      {stored && <Sidebar open={threadId} onOpen={setThreadId} />}
      <main className="chat" data-testid="chat" data-framework="react" data-status={status} data-dragging={files.dragging || undefined} {...files.dropProps}>
        <Toolbar
          protocol={protocol.name}
          address={target.url}
          open={open}
          onProtocol={speak}
          onInspect={() => void toggleInspector(agent)}
          onRestart={restart}
          onToggle={() => setOpen(!open)}
        />
        <Talk chat={chat} scenarios={scenarios} onStart={start}>
          <Composer chat={chat} files={files} {...choosing} />
        </Talk>
      </main>
      {open && <Panel chat={chat} notices={log} />}
      <Toasts notices={log} onClose={notices.settle} />
    </>
  );
}

/** The scenarios of the protocol, and the one that is chosen. */
function useScenarios(protocol: Protocol) {
  const [catalogue, setCatalogue] = useState<Catalogue>({});
  const [choice, setChoice] = useState(initial.scenario);
  useEffect(() => {
    void loadScenarios().then((list) => {
      setCatalogue(list);
      if (isEmpty(list)) setChoice(OTHER);
    });
  }, []);
  const scenarios = scenariosOf(protocol, catalogue);
  return { scenarios, scenario: scenarioOf(scenarios, choice), choice, setChoice };
}

/** The messages, from the greeting to what the agent waits for. */
function Talk({ chat, scenarios, onStart, children }: {
  chat: UseAgent;
  scenarios: readonly Scenario[];
  onStart: (scenario: Scenario) => void;
  children: ReactNode;
}) {
  const { agent, thread, status } = chat;
  const rows = rowList.read(chat.messages, chat.toolCalls, chat.subagents, chat.state);
  return (
    <Transcript
      empty={rows.length === 0 && thread.status !== "loading" && <Welcome scenarios={scenarios} onStart={onStart} />}
      rows={
        <>
          {thread.hasOlder && (
            <button type="button" className="button older" data-testid="older" onClick={() => void agent.loadOlder()}>
              Earlier messages
            </button>
          )}
          {rows.map((row) => <MessageRow key={row.key} row={row} agent={agent} />)}
        </>
      }
      after={
        <>
          {status === "running" && rows.at(-1)?.message.role === "user" && <Waiting />}
          <Cards chat={chat} />
        </>
      }
    >
      {children}
    </Transcript>
  );
}

/** Listens to the agent. `known`: its scenario is. */
function useListeners(agent: Agent, protocol: Protocol, known: boolean): void {
  useEffect(() => notices.listen(agent), [agent]);
  useEffect(() => contract.listen(agent, protocol), [agent, protocol]);
  useEffect(() => held.listen(agent, () => target.url), [agent]);
  useEffect(() => {
    if (known) listen(agent, protocol);
  }, [agent, protocol, known]);
  useAnnouncer(agent, { element: byId("announcer"), words: { answer: textOf } });
  useEffect(() => listenForEscape(() => void agent.stop()), [agent]);
}

/** The questions that are open, and the error. */
function Cards({ chat: { agent, status, interrupts, error } }: { chat: UseAgent }) {
  const questions = useSyncExternalStore(held.subscribe, held.get);
  return (
    <>
      {questions.map(({ id, message, answer }) => (
        <Question
          key={id}
          reason="held"
          message={message}
          onApprove={() => answer(true)}
          onCancel={() => answer(false)}
        />
      ))}
      {status !== "running" && <Questions interrupts={interrupts} onAnswer={(answers) => void agent.resume(answers)} />}
      {error !== undefined && <ErrorCard error={error} onRetry={() => void agent.retry()} />}
    </>
  );
}

/** The sign that the agent is about to answer. */
function Waiting() {
  return (
    <div className="waiting" data-testid="waiting">
      <i />
      <i />
      <i />
    </div>
  );
}
