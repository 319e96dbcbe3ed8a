/** Generative UI: the calls that the page has a component for, as the values that it draws. All other calls are shown as data. */
import type { ToolCall } from "ag-ui-wasm";
import { parsed } from "./json.js";

export interface Train {
  readonly number: string;
  readonly departs: string;
  readonly arrives: string;
  readonly price: string;
}

export interface Day {
  readonly sky: "sun" | "cloud" | "rain";
  readonly label: string;
  readonly high: string;
}

/** Members that the model has not written yet, or not well, are empty. `undefined` in place of a list: no result yet. */
export type ToolView =
  | { readonly kind: "trains"; readonly from: string; readonly to: string; readonly date: string; readonly trains: readonly Train[] | undefined }
  | { readonly kind: "forecast"; readonly place: string; readonly days: readonly Day[] | undefined };

type Json = Readonly<Record<string, unknown>>;

const views: Readonly<Record<string, (args: Json, result: unknown) => ToolView | undefined>> = {
  search_trains(args, result) {
    const trains = listOf(result, "trains", trainOf);
    return trains === null ? undefined : { kind: "trains", from: text(args["from"]), to: text(args["to"]), date: dayOf(text(args["date"])), trains };
  },
  get_forecast(args, result) {
    const days = listOf(result, "days", skyOf);
    return days === null ? undefined : { kind: "forecast", place: text(args["place"]), days };
  },
  get_weather(args, result) {
    const { temp, sky } = record(result);
    const days = listOf(result === undefined ? undefined : { days: [{ sky, high: temp }] }, "days", skyOf);
    return days === null ? undefined : { kind: "forecast", place: text(args["location"]), days };
  },
};

/** The component's values of a call. None: no component knows the tool, the call has failed, or its result has another shape. */
export function toolView({ name, args, result, error }: ToolCall): ToolView | undefined {
  return error === undefined && Object.hasOwn(views, name) ? views[name]!(record(args), parsed(result)) : undefined;
}

/** Whether a call has arguments to show: not before the first, and not where it has none. */
export const hasArguments = ({ argsText }: ToolCall): boolean => !/^[\s{}]*$/.test(argsText);

/** The list of that name in a result; `null` where an element does not fit. */
function listOf<Item>(result: unknown, name: string, read: (item: Json) => Item | undefined): readonly Item[] | undefined | null {
  if (result === undefined) return undefined;
  const list = record(result)[name];
  if (!Array.isArray(list)) return null;
  const items = list.map((item) => read(record(item)));
  return items.includes(undefined) ? null : (items as readonly Item[]);
}

function trainOf({ number, departs, arrives, price }: Json): Train | undefined {
  if (typeof number !== "string" || typeof departs !== "string" || typeof arrives !== "string") return undefined;
  return { number, departs, arrives, price: typeof price === "number" ? euros.format(price) : "" };
}

function skyOf({ sky, high }: Json): Day | undefined {
  const found = skies.find(([word]) => typeof sky === "string" && sky.includes(word));
  return found && typeof high === "number" ? { sky: found[0], label: found[1], high: `${high}°` } : undefined;
}

const skies = [["sun", "sunny"], ["cloud", "cloudy"], ["rain", "rain"]] as const;
const euros = new Intl.NumberFormat("en", { style: "currency", currency: "EUR" });
const days = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", timeZone: "UTC" });

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const record = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

/** `4 December`; nothing while the date is written. */
function dayOf(date: string): string {
  const parts = /^\d{4}-\d\d-\d\d$/.test(date) ? new Date(date) : undefined;
  return parts && !Number.isNaN(parts.valueOf()) ? days.format(parts) : "";
}
