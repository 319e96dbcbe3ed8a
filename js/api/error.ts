/**
 * The kind of failure, for code that decides what to do:
 *
 * | kind | meaning |
 * | --- | --- |
 * | `connection` | no response, or the stream was cut |
 * | `http` | a response that is not a stream of events: see `status` and `body` |
 * | `auth` | 401 or 403 |
 * | `protocol` | the server broke AG-UI's rules |
 * | `run` | the agent itself reported the failure (RUN_ERROR): see `code` |
 * | `aborted` | somebody stopped it |
 * | `limit` | a limit of the options was passed |
 * | `blocked` | the page's Content-Security-Policy, or the host, forbids to compile WebAssembly |
 * | `unsupported` | the platform or the call cannot do this: see `code` |
 * | `internal` | a fault of this package |
 */
export type AgentErrorKind =
  | "connection"
  | "http"
  | "auth"
  | "protocol"
  | "run"
  | "aborted"
  | "limit"
  | "blocked"
  | "unsupported"
  | "internal";

/** The plain data of an {@link AgentError}, as it crosses borders. */
export interface AgentErrorData {
  readonly kind: AgentErrorKind;
  readonly message: string;
  /** Whether `agent.retry()` has a chance. Default: false. */
  readonly retryable?: boolean | undefined;
  /** The HTTP status. */
  readonly status?: number | undefined;
  /** How long the server asks to wait before another attempt, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /**
   * Says more than the kind. The agent's own, from RUN_ERROR, or ours: `truncated` for a stream without an end, `busy` for
   * a server that works on another run (409),
   * `load` for WebAssembly that did not come, `restore` for a save that cannot be read; `disposed`, `busy`, `calls-open`, `queue-full`,
   * `nothing-to-regenerate`, `nothing-to-attach`, `nothing-to-replace`, `interrupts-open`, `interrupt-unknown`, `interrupt-expired`, `interrupt-invalid`, `checkpoint-unknown`
   * `threads` and `input` for a call that could not be made; `dialect`, `guard` and `worker` for an option of another entry.
   */
  readonly code?: string | undefined;
  /** The protocol's rule that the server broke (kind `protocol`): its tag in docs/rules.md. */
  readonly rule?: string | undefined;
  /** The `type` of the event that broke it. */
  readonly eventType?: string | undefined;
  /** The beginning of the response's body. */
  readonly body?: string | undefined;
  /** Of code `truncated`: the connection was lost. Otherwise the server closed the stream before the run had ended. */
  readonly lost?: boolean | undefined;
  readonly cause?: unknown;
}

// A registered symbol, so that two copies of the package in one page recognize each other's errors.
const brand = Symbol.for("ag-ui-wasm.error");

const members = ["kind", "message", "retryable", "status", "retryAfterMs", "code", "rule", "eventType", "body", "lost"] as const;

/** The plain data of an error, without the cause. */
const membersOf = (data: AgentErrorData) => Object.fromEntries(members.map((name) => [name, data[name]])) as unknown as AgentErrorData;

/**
 * Everything that can go wrong with an agent, as a real `Error`.
 *
 * @example
 * const { error } = agent.getSnapshot();
 * if (error?.kind === "auth") location.assign("/login");
 * else if (error?.retryable) await agent.retry();
 */
export class AgentError extends Error {
  override readonly name = "AgentError";
  declare readonly kind: AgentErrorKind;
  declare readonly retryable: boolean;
  declare readonly status: number | undefined;
  declare readonly retryAfterMs: number | undefined;
  declare readonly code: string | undefined;
  declare readonly rule: string | undefined;
  declare readonly eventType: string | undefined;
  declare readonly body: string | undefined;
  declare readonly lost: boolean | undefined;

  constructor(data: AgentErrorData) {
    super(data.message, data);
    Object.assign(this, membersOf(data), { retryable: !!data.retryable });
    Object.defineProperty(this, brand, { value: true });
  }

  /**
   * Whether a value is an agent's error, also when another copy of this package made it.
   *
   * @example
   * try {
   *   await agent.submit("hello");
   * } catch (error) {
   *   if (AgentError.is(error) && error.code === "disposed") return;
   *   throw error;
   * }
   */
  static is(value: unknown): value is AgentError {
    return value instanceof Error && brand in value;
  }

  /** Where the error is explained: the page of its code, or of all errors where the code is the agent's own. */
  get help(): string {
    return `https://ag-ui-wasm.github.io/ag-ui-wasm/${this.code && this.kind !== "run" ? `codes/${this.code}` : "errors"}.html`;
  }

  /** The plain data, without the cause, for logs and storage. */
  toJSON(): AgentErrorData {
    return membersOf(this);
  }
}
