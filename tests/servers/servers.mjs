// The servers, and what is expected of each where they differ. docs/servers has a page for each, whose code is what runs.

/**
 * @typedef {object} Server
 * @property {string} name  of its page in docs/servers, and of its requirements
 * @property {boolean} [node]  it runs in Node
 * @property {false} [opens]  it has no stored threads
 * @property {false} [pageTools]  it gives the model no tools of the page
 * @property {readonly string[]} [pageSaw]  how the model sees a call of the page's tool, and its result
 * @property {string} [pageSays]  what it answers then
 * @property {boolean} [approval]  it asks for approval, as an interrupt
 * @property {"replaced" | "appended" | "none"} edits  how an edit reaches the model
 * @property {readonly string[]} [afterStop]  what the model sees of a run that was stopped, where that does not depend on what comes first
 * @property {readonly string[]} [afterRun]  what it sees of one that was not
 * @property {boolean} [goesOn]  it listens to the model after its page has stopped the run, if only for the next piece
 * @property {boolean} [rejoins]  a run goes on when the connection is lost
 * @property {boolean} [joins]  a run that another page has begun is joined when its thread is opened
 * @property {boolean} [busy]  it answers 409 during a run
 * @property {boolean} [asksAgain]  a thread is opened with its open questions
 * @property {number} [pages]  messages of a page of a thread, where it is paged
 * @property {{ whole?: true, changes?: true }} [lists]  it has a list of threads: all in one page, and one that can be changed
 * @property {(threadId: string) => string} [saved]  it saves a run after its stream has ended: where that is seen
 * @property {boolean} [quick]  `npm test` runs it live
 */

const adkResult = '{"success": true, "result": "Recipes", "status": "completed"}';
const partly = ["user: slow", "assistant: one "];

/** @type {readonly Server[]} */
export const servers = [
  {
    name: "agent-framework",
    approval: true,
    asksAgain: true,
    edits: "none",
    afterStop: ["user: slow", "assistant: one two three"],
    goesOn: true,
    rejoins: true,
    busy: true,
  },
  { name: "pydantic-ai", approval: true, edits: "replaced", afterStop: [], quick: true },
  { name: "lang-graph", approval: true, asksAgain: true, pageTools: false, edits: "replaced", afterStop: partly, goesOn: true, quick: true },
  { name: "adk", edits: "appended", goesOn: true, pageSaw: ["assistant: page_title({})", `tool: ${adkResult}`], pageSays: `It said: ${adkResult}` },
  { name: "agno", edits: "none", lists: { changes: true }, afterStop: [], saved: (threadId) => `/sessions/${threadId}?type=agent` },
  { name: "strands", opens: false, edits: "replaced", afterStop: partly },
  {
    name: "llama-index",
    opens: false,
    pageSaw: ["assistant: <tool_call><name>page_title</name><arguments>{}</arguments></tool_call>", "user: Recipes"],
    pageSays: "answer to Recipes",
    edits: "replaced",
    afterStop: partly,
  },
  { name: "crew-ai", opens: false, edits: "replaced", afterStop: partly },
  { name: "mastra", node: true, edits: "appended", pages: 6, lists: { changes: true }, afterStop: ["user: slow", "assistant: one two three"], goesOn: true },
  { name: "copilot-kit", node: true, edits: "replaced", afterStop: partly, rejoins: true, joins: true, lists: { whole: true } },
  { name: "tan-stack", node: true, approval: true, asksAgain: true, edits: "replaced", afterStop: partly, goesOn: true, rejoins: true, joins: true },
];
