// The error classes of the ngaf Agent contract, version 2.

/** The kinds of errors, by how an application should handle them. */
export type NgafErrorKind = "connection" | "auth" | "server" | "interrupted" | "aborted";

/** An error of the contract. */
export class NgafError extends Error {
  override readonly name = "AgentError";
  readonly kind: NgafErrorKind;
  readonly retryable: boolean;
  declare readonly status?: number;

  constructor(kind: NgafErrorKind, retryable: boolean, message: string, cause: unknown, status?: number) {
    super(message, { cause });
    this.kind = kind;
    this.retryable = retryable;
    if (status !== undefined) this.status = status;
  }

  /** Its data, without the cause. */
  toJSON(): object {
    const { kind, retryable, status, message } = this;
    return { kind, retryable, ...(status !== undefined && { status }), message };
  }
}

const network = /failed to fetch|networkerror|econnrefused|enotfound|network request failed|load failed/i;

/**
 * The class of whatever was thrown. The first that fits: an error of these classes as it is, an abort, a status, the
 * wording of a network failure, a status in the message; else a fault of the server. `thrown` becomes the `cause` of the
 * result; default: `cause` itself.
 *
 * @example
 * classifyError(new TypeError("Failed to fetch")).kind; // "connection"
 */
export function classifyError(cause: unknown, thrown: unknown = cause): NgafError {
  if (cause instanceof NgafError) return cause;
  const { name, status, message: detail, cause: inner } = (typeof cause === "object" && cause ? cause : {}) as {
    readonly [key in "name" | "status" | "message" | "cause"]?: unknown;
  };
  const message = typeof detail === "string" ? detail : String(cause);
  if (name === "AbortError" || /\babort/i.test(message)) return new NgafError("aborted", false, message, thrown);
  const number = [status, (inner as { status?: unknown } | undefined)?.status].find((at) => typeof at === "number");
  if (number !== undefined) return ofStatus(number as number, message, thrown);
  if (network.test(message)) return new NgafError("connection", true, message, thrown);
  const named = /\bHTTP\s+(\d{3})\b/i.exec(message) ?? /\b(?:status|code)\b\D{0,20}(\d{3})\b/i.exec(message);
  if (named) return ofStatus(Number(named[1]), message, thrown);
  return new NgafError("server", true, message, thrown);
}

function ofStatus(status: number, message: string, thrown: unknown): NgafError {
  if (status === 401 || status === 403) return new NgafError("auth", false, message, thrown, status);
  const refused = status >= 400 && status < 500;
  return new NgafError("server", !refused, message, thrown, status);
}
