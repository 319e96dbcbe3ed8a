// Policies as Chio's documents write them (HushSpec), as options of the guard. Only names are translated here: what a policy
// forbids is decided in one place, the core. A member that is not known is an error, because it was written to forbid
// something.

import type { CapabilityScope, Classification, GuardOptions, Velocity } from "../../api/guard.js";
import { wrong } from "./ask.js";
import { nearest } from "./nearest.js";

type Enabled = { readonly enabled?: boolean };

/** The blocks of a policy that are about AG-UI. A block is in force unless `enabled` is `false`. */
export interface PolicyRules {
  readonly ag_ui?: Enabled & {
    /** Read and not used: the guard works over every transport. */
    readonly transport?: "sse" | "websocket" | "web_socket";
    /** Default: `false`. */
    readonly allow_display_without_capability?: boolean;
    /** Default: all but `display`. */
    readonly restricted_classifications?: readonly Classification[];
    readonly max_events_per_second?: number;
    readonly capability_scopes?: readonly {
      readonly scope_id: string;
      readonly allow_event_types: readonly string[];
      readonly allow_targets: readonly { readonly component_type: string; readonly component_id?: string }[];
    }[];
  };
  readonly ag_ui_components?: Enabled & {
    readonly allow_components?: readonly string[];
    /** As `type:id`. */
    readonly allow_ids?: readonly string[];
    /** The decision about all other events. Default: `block`. */
    readonly default?: "block" | "allow";
  };
  readonly ag_ui_inbound?: Enabled & {
    readonly allow_classifications?: readonly Classification[];
    /** The decision about all other events. Default: `block`. */
    readonly default?: "block" | "allow";
  };
  readonly velocity?: Enabled & {
    /** The guard counts for its agent, which has one session. */
    readonly scope?: "session";
    /** Default: every event. */
    readonly match?: { readonly event_type?: string };
    readonly max_invocations: number;
    /** Seconds, from 1 on. */
    readonly window_seconds: number;
  };
}

/** A policy as Chio's documents have it, or its blocks alone. */
export interface PolicyDocument extends PolicyRules {
  /** Version `0.1`. */
  readonly hushspec?: string;
  readonly name?: string;
  readonly description?: string;
  readonly rules?: PolicyRules;
}

type PolicyMembers = { readonly [name: string]: unknown };

const CLASSES = ["display", "mutate", "navigate", "create", "destroy", "submit", "alert"] as const;
const TYPES = ["text_stream", "state_update", "navigation", "lifecycle", "form_action", "notification", "error"];
const BLOCKS = ["ag_ui", "ag_ui_components", "ag_ui_inbound", "velocity"] as const;

/**
 * The options of the guard that a policy of Chio's documents comes to. `document`: the parsed YAML, whole or one or more of
 * its blocks. Members that a policy leaves out are as in the documents: every class but `display` needs a capability, and without
 * `allow_display_without_capability` that one does, too.
 *
 * @throws AgentError of kind `unsupported` and code `input`: a member that is not known, with the nearest one that is, or
 * a value that is not what it must be.
 * @example
 * const agent = createAgent({ url, dialect: "chio", guard: { ...policyFrom(parse(yaml)), capabilities: [token] } });
 */
export function policyFrom(document: PolicyDocument | object): GuardOptions {
  const top = toMembers(document, "the policy", ["hushspec", "name", "description", "rules", ...BLOCKS]);
  for (const name of ["name", "description"]) text(top, name, "the policy");
  const version = text(top, "hushspec", "the policy");
  if (version !== undefined && !/^0\.1(\.\d+)?$/.test(version)) throw wrong(`"hushspec" must be 0.1, not ${shown(version)}`);
  const rules = top.rules === undefined ? {} : toMembers(top.rules, "rules", BLOCKS);
  const blocks: PolicyMembers = Object.fromEntries(
    BLOCKS.flatMap((name) => {
      if (name in rules && name in top) throw wrong(`"${name}" is given twice: in "rules", and beside it`);
      return name in rules ? [[name, rules[name]]] : name in top ? [[name, top[name]]] : [];
    }),
  );
  if (!Object.keys(blocks).length) throw wrong(`the policy has no rule for AG-UI: it needs one of ${BLOCKS.join(", ")}`);
  const at = (name: string): string => ("rules" in top && name in rules ? `rules.${name}` : name);
  return {
    ...classes(blocks.ag_ui, at("ag_ui")),
    ...components(blocks.ag_ui_components, at("ag_ui_components")),
    ...inbound(blocks.ag_ui_inbound, at("ag_ui_inbound")),
    ...velocity(blocks.velocity, at("velocity")),
  };
}

function classes(block: unknown, at: string): GuardOptions {
  const restricted = CLASSES.filter((name) => name !== "display");
  if (block === undefined) return { restrictedClassifications: restricted, allowDisplayWithoutCapability: false };
  const names = ["allow_display_without_capability", "restricted_classifications", "max_events_per_second", "capability_scopes"];
  const rule = toMembers(block, at, ["enabled", "transport", ...names]);
  word(rule, "transport", at, ["sse", "websocket", "web_socket"]);
  const guard: GuardOptions = {
    restrictedClassifications: words(rule, "restricted_classifications", at, CLASSES) ?? restricted,
    allowDisplayWithoutCapability: flag(rule, "allow_display_without_capability", at) ?? false,
    ...ifDefined("maxEventsPerSecond", whole(rule, "max_events_per_second", at, 0)),
    ...ifDefined("capabilityScopes", list(rule, "capability_scopes", at)?.map((scope, i) => toScope(scope, `${at}.capability_scopes[${i}]`))),
  };
  return isOn(rule, at) ? guard : { restrictedClassifications: [], allowDisplayWithoutCapability: true };
}

function toScope(value: unknown, at: string): CapabilityScope {
  const scope = toMembers(value, at, ["scope_id", "allow_event_types", "allow_targets"]);
  const types = strings(scope, "allow_event_types", at) ?? missing("allow_event_types", at);
  const targets = list(scope, "allow_targets", at) ?? missing("allow_targets", at);
  return {
    scopeId: text(scope, "scope_id", at) || missing("scope_id", at),
    allowEventTypes: types.map((name) => toType(name, `${at}.allow_event_types`)),
    allowTargets: targets.map((entry, i) => {
      const where = `${at}.allow_targets[${i}]`;
      const target = toMembers(entry, where, ["component_type", "component_id"]);
      const componentType = text(target, "component_type", where) || missing("component_type", where);
      return { componentType, ...ifDefined("componentId", text(target, "component_id", where)) };
    }),
  };
}

function components(block: unknown, at: string): GuardOptions {
  if (block === undefined) return {};
  const rule = toMembers(block, at, ["enabled", "allow_components", "allow_ids", "default"]);
  const allowComponents = strings(rule, "allow_components", at);
  const allowIds = strings(rule, "allow_ids", at);
  for (const id of allowIds ?? []) if (!/^[^:]+:./s.test(id)) throw wrong(`${shown(id)} in ${at}.allow_ids must be "type:id"`);
  const open = word(rule, "default", at, ["block", "allow"]) === "allow";
  if (!isOn(rule, at) || open) return {};
  // With neither list, none is allowed.
  return { allowComponents: allowComponents ?? [], ...ifDefined("allowIds", allowIds) };
}

function inbound(block: unknown, at: string): GuardOptions {
  if (block === undefined) return {};
  const rule = toMembers(block, at, ["enabled", "default", "allow_classifications"]);
  const allowClassifications = words(rule, "allow_classifications", at, CLASSES) ?? [];
  const open = word(rule, "default", at, ["block", "allow"]) === "allow";
  return !isOn(rule, at) || open ? {} : { inbound: { allowClassifications } };
}

function velocity(block: unknown, at: string): GuardOptions {
  if (block === undefined) return {};
  const rule = toMembers(block, at, ["enabled", "scope", "match", "max_invocations", "window_seconds"]);
  word(rule, "scope", at, ["session"]);
  const match = rule.match === undefined ? undefined : toMembers(rule.match, `${at}.match`, ["event_type"]);
  const type = match && text(match, "event_type", `${at}.match`);
  const limits: Velocity = {
    ...(type !== undefined && { match: { eventType: toType(type, `${at}.match.event_type`) } }),
    maxInvocations: whole(rule, "max_invocations", at, 0) ?? missing("max_invocations", at),
    windowSeconds: whole(rule, "window_seconds", at, 1) ?? missing("window_seconds", at),
  };
  return isOn(rule, at) ? { velocity: limits } : {};
}

/** A type of Chio's events; AG-UI's own are left to the core, which knows them. */
function toType(name: string, at: string): string {
  if (TYPES.includes(name) || /^custom:./s.test(name) || /^[A-Z_]+$/.test(name)) return name;
  throw wrong(`${shown(name)} in ${at} is no known type of events; the nearest is "${nearest(name, TYPES)}"`);
}

/** A map whose members are all known, and none of them `null`, as YAML reads a value that was left out. */
function toMembers(value: unknown, at: string, names: readonly string[]): PolicyMembers {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(`${at} must be a map, not ${kindOf(value)}`);
  for (const [name, member] of Object.entries(value)) {
    if (!names.includes(name)) throw wrong(`"${name.slice(0, 64)}" is no known member of ${at}; the nearest is "${nearest(name, names)}"`);
    if (member === null) throw wrong(`${at}.${name} is null; leave it out, or give it a value`);
  }
  return value as PolicyMembers;
}

const isOn = (rule: PolicyMembers, at: string): boolean => flag(rule, "enabled", at) ?? true;

function flag(rule: PolicyMembers, name: string, at: string): boolean | undefined {
  return read(rule, name, at, "true or false", (value) => typeof value === "boolean") as boolean | undefined;
}

function text(rule: PolicyMembers, name: string, at: string): string | undefined {
  return read(rule, name, at, "a string", (value) => typeof value === "string") as string | undefined;
}

function whole(rule: PolicyMembers, name: string, at: string, from: number): number | undefined {
  return read(rule, name, at, `a whole number from ${from} on`, (value) => Number.isSafeInteger(value) && (value as number) >= from) as
    | number
    | undefined;
}

function list(rule: PolicyMembers, name: string, at: string): readonly unknown[] | undefined {
  return read(rule, name, at, "a list", Array.isArray) as readonly unknown[] | undefined;
}

function strings(rule: PolicyMembers, name: string, at: string): readonly string[] | undefined {
  return read(rule, name, at, "a list of strings", (value) => Array.isArray(value) && value.every((item) => typeof item === "string")) as
    | readonly string[]
    | undefined;
}

function word<Word extends string>(rule: PolicyMembers, name: string, at: string, allowed: readonly Word[]): Word | undefined {
  const value = text(rule, name, at);
  return value === undefined ? undefined : oneOf(value, `${at}.${name}`, allowed);
}

function words<Word extends string>(rule: PolicyMembers, name: string, at: string, allowed: readonly Word[]): readonly Word[] | undefined {
  return strings(rule, name, at)?.map((value) => oneOf(value, `${at}.${name}`, allowed));
}

function oneOf<Word extends string>(value: string, at: string, allowed: readonly Word[]): Word {
  if (allowed.includes(value as Word)) return value as Word;
  throw wrong(`${shown(value)} is not known in ${at}; the nearest is "${nearest(value, allowed)}"`);
}

function read(rule: PolicyMembers, name: string, at: string, expected: string, fits: (value: unknown) => boolean): unknown {
  const value = rule[name];
  if (value !== undefined && !fits(value)) throw wrong(`${at}.${name} must be ${expected}, not ${kindOf(value)}`);
  return value;
}

function missing(name: string, at: string): never {
  throw wrong(`${at}.${name} is missing`);
}

const ifDefined = <Value>(name: string, value: Value | undefined): object => (value === undefined ? {} : { [name]: value });

const shown = (value: string): string => JSON.stringify(value.slice(0, 64));

function kindOf(value: unknown): string {
  if (typeof value === "string") return shown(value);
  if (typeof value === "number" || typeof value === "boolean" || value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "a map" : `a ${typeof value}`;
}
