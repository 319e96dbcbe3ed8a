// Debug output of an agent on the console.

/** The debug options with their defaults filled in. */
export interface ResolvedAgentDebugConfig {
  enabled: boolean;
  events: boolean;
  lifecycle: boolean;
  verbose: boolean;
}

/** `true`: everything; an object: events and lifecycle unless they are switched off. */
export type AgentDebugConfig = boolean | { events?: boolean; lifecycle?: boolean; verbose?: boolean };

export type DebugLoggerInput = DebugLogger | boolean | null | undefined;

/** The setting, with its defaults. */
export function resolveAgentDebugConfig(debug: AgentDebugConfig | undefined): ResolvedAgentDebugConfig {
  if (typeof debug !== "object" || !debug) {
    const on = debug === true;
    return { enabled: on, events: on, lifecycle: on, verbose: on };
  }
  const { events = true, lifecycle = true, verbose = false } = debug;
  return { enabled: events || lifecycle, events, lifecycle, verbose };
}

/** Writes to `console.debug` what its settings ask for. */
export class DebugLogger {
  constructor(private readonly config: ResolvedAgentDebugConfig) {}

  get enabled(): boolean {
    return this.config.enabled;
  }

  get eventsEnabled(): boolean {
    return this.config.events;
  }

  get lifecycleEnabled(): boolean {
    return this.config.lifecycle;
  }

  /** One event: in full where `verbose`, else its summary. */
  event(prefix: string, label: string, data: unknown, summary?: Record<string, unknown>): void {
    if (!this.config.events) return;
    const full = typeof data === "string" ? data : () => JSON.stringify(data);
    const shown = this.config.verbose ? (typeof full === "string" ? full : full()) : (summary ?? data);
    console.debug(`[${prefix}] ${label}`, shown);
  }

  /** A step in the life of a run. */
  lifecycle(prefix: string, label: string, data?: Record<string, unknown>): void {
    if (this.config.lifecycle) console.debug(`[${prefix}] ${label}`, ...(data ? [data] : []));
  }
}

export function createDebugLogger(config: ResolvedAgentDebugConfig): DebugLogger | undefined {
  return config.enabled ? new DebugLogger(config) : undefined;
}

export function resolveDebugLogger(input: DebugLoggerInput): DebugLogger | undefined {
  if (input === true) return new DebugLogger(resolveAgentDebugConfig(true));
  return input instanceof DebugLogger ? input : undefined;
}
