// Divides the full module into a base and add-ons, which a page loads only where an option asks for them. Of all modules it puts the
// functions in an order that compresses well.
//
//   full.wasm ──► base: all but the add-ons. Their functions are called through places of the function table that are empty
//             └─► an add-on: imports what it uses of the base, and fills its places when it is instantiated, and those of its data
//
// Which functions are an add-on's follows from the names that wasm-opt has left in the module: see `ownersOf`.

import { brotliCompressSync, deflateRawSync } from "node:zlib";
import { sideBySide } from "./alike.mjs";
import { sort } from "./pack.mjs";
import { Failure } from "./run.mjs";
import { dataOf, dividedData, reachedBy, segmentsIn, signed, unsigned } from "./split-data.mjs";
import { kinds, Reader } from "./wasm.mjs";

/**
 * The add-ons, each with the paths of its functions, the add-ons that it brings, and those that it calls where they are there.
 *
 * @type {Record<string, { paths: RegExp, brings?: string[], calls?: string[] }>}
 */
export const addOns = {
  "agent-os": { paths: /dialect::agent_os::/, brings: ["dialects"] },
  chio: { paths: /dialect::chio::/, brings: ["dialects", "guard"] },
  hector: { paths: /dialect::hector::/, brings: ["dialects"] },
  ngaf: { paths: /dialect::ngaf::/, brings: ["dialects"] },
  "open-search": { paths: /dialect::open_search::/, brings: ["dialects"] },
  dialects: { paths: /handlers::dialect::/, calls: ["guard"] },
  ask: { paths: /^askGuard|guard::(ask|canonical|receipt)::/, brings: ["guard"] },
  guard: { paths: /ag_ui_wasm::guard::|handlers::guard::/ },
  strict: { paths: /rules::grammar::|session::Session as .*::is_grammatical\b/ },
  binary: { paths: /wire::(protobuf|packets|fields)::/ },
  stepper: { paths: /ag_ui_wasm::(stepper|journal)::|::Stepper|^stepper_|^compact /, calls: ["strict", "binary"] },
};

/**
 * The functions through which the base enters an add-on: wasm-opt would move the only call of one into its caller. Stars stand for anything.
 */
export const doors = [
  "*handlers::dialect::*",
  "*handlers::guard::*",
  "*guard::Guard>::begin*",
  "*session::Session as *::is_grammatical*",
  "*protobuf::to_json*",
  "*packets::Packets>::feed*",
  "*stepper::Stepper>::with_settings*",
];

/** A shorter function that stands in for a call may be one that the compiler has merged with another's: it stays in the base. */
const shortest = 100;

/** The destructor of a value that may be absent is called without an add-on, too. */
const dropsMaybe = /drop_in_place::<core::option::Option</;

/** @typedef {Map<number, number[]>} Places  where functions of add-ons stand in the function table, by their numbers */
/** @typedef {Map<number, string[]>} Owners  the add-ons that have a function, by its number */
/**
 * @typedef {{ type: number, body: Uint8Array, code: number, name: string, calls: Set<number>, fixed: boolean }} Defined
 *   a function; `code`: where its operations begin; `fixed`: it uses a table or a segment, which an add-on does not have
 * @typedef {{ kind: number, index: number }} External
 * @typedef {External & { name: number }} Shared  `name`: of a function, its place in the table
 * @typedef {{ offset: number, functions: number[] }} Elements
 * @typedef {{
 *   sections: Map<number, Uint8Array>, types: Uint8Array[], imported: number[], functions: Defined[], tables: { type: number, limits: number[] }[],
 *   exports: Map<string, External>, elements: Elements[],
 * }} Module  `imported`: the types of the functions that are imported; `sections`: as they are
 */

/**
 * The base and the add-ons of a module that has names.
 *
 * @param {Uint8Array} bytes @param {Uint8Array} linked  the same as the linker has made it, with its notes
 * @returns {{ base: Uint8Array, addOns: Record<string, Uint8Array> }}
 */
export function split(bytes, linked) {
  const module = read(bytes);
  if (module.functions.every(({ name }) => !name)) throw new Failure("The module has no names by which it can be divided.");
  const notes = dataOf(linked);
  const owners = ownersOf(module, notes);
  const places = placesOf(module, owners);
  const own = Object.keys(addOns).map((name) => /** @type {const} */ ([name, functionsOf(module, (index) => !!owners.get(index)?.includes(name))]));
  const data = dividedData(notes, segmentsIn(sectionOf(module, 11)), functionsOf(module, (index) => !owners.has(index)), new Map(own));
  const written = basesOf(module, owners).map((bases) => {
    const shared = sharedWith(module, bases, owners, places);
    return { shared, bytes: writeBase(module, bases, owners, places, shared, data.base) };
  });
  const { shared, bytes: base } = smallest(written);
  const made = Object.keys(addOns).map((name) => [name, writeAddOn(module, owners, places, shared, data.addOns.get(name) ?? [], name)]);
  return { base, addOns: Object.fromEntries(made) };
}

/** @param {Module} module @param {(index: number) => boolean} which */
const functionsOf = ({ imported, functions }, which) => functions.filter((_, at) => which(imported.length + at));

/** @param {Pick<Module, "sections">} module @param {number} id */
const sectionOf = ({ sections }, id) => new Reader(sections.get(id) ?? Uint8Array.of(0));

/** The functions through which JavaScript calls closures, and wakes tasks that wait. */
const closures = /^wasm_bindgen::convert::closures::.*::invoke\b|^js_sys::futures::/;

/**
 * The module without the closures that js-sys could hand to JavaScript: wasm-bindgen leaves them all in the function table, though
 * nothing makes one. Their places stay empty.
 *
 * @param {Uint8Array} bytes a module that has names
 * @param {string} glue
 */
export function withoutClosures(bytes, glue) {
  if (/\bmake\w*Closure\b/.test(glue)) throw new Failure("The glue makes closures: their functions are needed.");
  const { imported, functions, elements } = read(bytes);
  const isUnused = (/** @type {number} */ index) => closures.test(functions[index - imported.length]?.name ?? "");
  const filled = elements.flatMap(({ offset, functions: all }) => filling(all.map((index, at) => [offset + at, index, isUnused(index)])));
  const reader = new Reader(bytes, 8);
  /** @type {[number, Uint8Array | number[]][]} */
  const sections = [];
  while (reader.place < bytes.length) {
    const id = reader.byte();
    const section = reader.block();
    sections.push([id, id === 9 ? vector(filled) : section]);
  }
  return assembled(sections);
}

/** The module with its functions in an order that compresses well, and without what only tools read. @param {Uint8Array} bytes */
export function arranged(bytes) {
  const module = read(bytes);
  return smallest(basesOf(module, new Map()).map((bases) => ({ bytes: writeBase(module, bases, new Map(), new Map(), []) }))).bytes;
}

/** @param {Uint8Array} bytes @returns {Module} */
function read(bytes) {
  const reader = new Reader(bytes, 8);
  /** @type {Map<number, Uint8Array>} */
  const sections = new Map();
  /** @type {string[]} */
  let names = [];
  while (reader.place < bytes.length) {
    const id = reader.byte();
    const section = reader.block();
    if (id > 0) sections.set(id, section);
    else names = namesIn(section) ?? names;
  }
  /** @template Item @param {number} id @param {(reader: Reader, at: number) => Item} item @returns {Item[]} */
  const list = (id, item) => {
    const section = sectionOf({ sections }, id);
    return section.list((at) => item(section, at));
  };
  const imported = list(2, readImport).flatMap((type) => type ?? []);
  const functionTypes = list(3, (section) => section.number());
  const functions = list(10, (section, at) => readFunction(section.block(), functionTypes[at] ?? 0, names[imported.length + at] ?? ""));
  const tables = list(4, (section) => ({ type: section.byte(), limits: readLimits(section) }));
  const exports = new Map(list(7, (section) => [text(section.block()), { kind: section.byte(), index: section.number() }]));
  const elements = list(9, readElements);
  const types = list(1, readType);
  return { sections, types, imported, functions, tables, exports, elements };
}

/** The names of the functions, without what compilers add to them. @param {Uint8Array} section */
function namesIn(section) {
  const reader = new Reader(section);
  if (text(reader.block()) !== "name") return undefined;
  /** @type {string[]} */
  const names = [];
  while (reader.place < section.length) {
    const kind = reader.byte();
    const part = new Reader(reader.block());
    if (kind === 1) part.list(() => void (names[part.number()] = text(part.block()).replaceAll(/\[[0-9a-f]+\]/g, "")));
  }
  return names;
}

/** The type of what is imported, where that is a function. @param {Reader} reader */
function readImport(reader) {
  reader.block();
  reader.block();
  const kind = reader.byte();
  if (kind === 0) return reader.number();
  throw new Failure("The module imports something other than functions.");
}

/** @param {Uint8Array} body @param {number} type @param {string} name @returns {Defined} */
function readFunction(body, type, name) {
  const reader = new Reader(body);
  reader.list(() => void (reader.number(), reader.byte()));
  const code = reader.place;
  /** @type {Set<number>} */
  const calls = new Set();
  let fixed = false;
  visit({ body, code }, (what, index) => {
    if (what === "function") calls.add(index);
    fixed ||= what === "other";
  });
  return { type, body, code, name, calls, fixed };
}

/** @param {Reader} reader */
function readLimits(reader) {
  const flags = reader.byte();
  return [flags, ...Array.from({ length: 1 + (flags & 1) }, () => reader.number())];
}

/** @param {Reader} reader @returns {Elements} */
function readElements(reader) {
  if (reader.number() !== 0 || reader.byte() !== 0x41) throw new Failure("The function table is filled in a way that the build does not know.");
  const offset = reader.number();
  reader.byte();
  return { offset, functions: reader.list(() => reader.number()) };
}

/** A type as it is written. @param {Reader} reader */
function readType(reader) {
  const from = reader.place;
  if (reader.byte() !== 0x60) throw new Failure("The module has a type that is no function's.");
  reader.block();
  reader.block();
  return reader.bytes.subarray(from, reader.place);
}

/**
 * Hands on what a function names by a number that may change: a function, a type, a variable of the module, a table.
 *
 * @typedef {"function" | "type" | "global" | "table" | "other"} Named
 * @param {Pick<Defined, "body" | "code">} function_
 * @param {(what: Named, index: number, from: number, to: number, operation: number) => void} take
 */
function visit({ body, code }, take) {
  const reader = new Reader(body, code);
  while (reader.place < body.length) {
    let nth = 0;
    reader.operation((kind, from, to, operation) => {
      const index = new Reader(body, from).number();
      const what = named(kind, operation, nth++, index, body[from] ?? 0);
      if (what) take(what, index, from, to, operation);
    });
  }
}

/** @param {number} kind @param {number} operation @param {number} nth @param {number} index @param {number} first  the number's first byte @returns {Named | undefined} */
function named(kind, operation, nth, index, first) {
  if (kind === kinds.calls || operation === 0xd2) return "function";
  // A block's type is a number of a type, or a negative number: none or one value.
  if (kind === kinds.blocks) return first >= 0x40 && first < 0x80 ? undefined : "type";
  if (operation === 0x11) return nth === 0 ? "type" : "table";
  if (operation === 0x23 || operation === 0x24) return "global";
  // Numbers may be cut off, and memory copied and filled; the rest of these names segments and tables.
  const harmless = index < 8 || index === 10 || index === 11;
  return operation === 0x25 || operation === 0x26 || (operation === 0xfc && nth === 0 && !harmless) ? "other" : undefined;
}

/**
 * Which add-ons have a function. It is one of an add-on's paths, and long enough to be no function that was merged with another one
 * where it can be reached from outside; or nothing but add-ons calls it. Where several do that do not come together, each has a copy.
 *
 * @param {Module} module @param {import("./split-data.mjs").Data} data @returns {Owners}
 */
function ownersOf({ functions, imported, exports, elements }, data) {
  const first = imported.length;
  const all = functions.map((_, at) => first + at);
  const of = (/** @type {number} */ index) => /** @type {Defined} */ (functions[index - first]);
  const table = new Map(elements.flatMap(({ offset, functions: some }) => some.map((index, at) => [offset + at, index])));
  const placed = [...table].flatMap(([place, index]) => (data.held.has(place) ? [] : index));
  /** The functions that each calls, or has in a trait object. */
  const uses = new Map(all.map((index) => {
    const held = [...reachedBy(data, [of(index)])].flatMap((piece) => piece.places.filter((place) => data.held.has(place)));
    return [index, new Set([...of(index).calls, ...held.flatMap((place) => table.get(place) ?? [])])];
  }));
  const exported = [...exports.values()].flatMap(({ kind, index }) => (kind === 0 ? index : []));
  /** @type {Map<number, Set<number>>} */
  const callers = new Map(all.map((index) => [index, new Set()]));
  for (const [index, used] of uses) used.forEach((called) => callers.get(called)?.add(index));

  /** @type {Map<number, string>} */
  const byPath = new Map();
  for (const index of all) {
    const found = Object.entries(addOns).find(([, { paths }]) => paths.test(of(index).name));
    if (found && !dropsMaybe.test(of(index).name)) byPath.set(index, found[0]);
  }
  for (let before = -1; before !== byPath.size;) {
    before = byPath.size;
    for (const [index, owner] of byPath) {
      const { body, fixed } = of(index);
      const others = [...(callers.get(index) ?? [])].filter((caller) => byPath.get(caller) !== owner);
      const calling = others.flatMap((other) => (of(other).calls.has(index) ? (byPath.get(other) ?? []) : []));
      const allowed = calling.every((name) => addOns[name]?.calls?.includes(owner) || addOns[name]?.brings?.includes(owner));
      const outside = placed.includes(index) || others.length > 0;
      if (fixed || (outside && (body.length < shortest || !allowed))) byPath.delete(index);
    }
  }

  /** These functions and all that they reach without a call of a function that has an add-on's path. @param {number[]} from */
  const reached = (from) => {
    const found = new Set(from);
    for (const index of found) uses.get(index)?.forEach((called) => void (byPath.has(called) || found.add(called)));
    return found;
  };
  const based = reached([...placed, ...exported, ...all.filter((index) => of(index).fixed)].filter((index) => !byPath.has(index)));
  /** @type {Owners} */
  const owners = new Map([...byPath].map(([index, owner]) => [index, [owner]]));
  for (const name of Object.keys(addOns)) {
    for (const index of reached([...byPath].flatMap(([each, owner]) => (owner === name ? each : [])))) {
      if (of(index) && !based.has(index) && !byPath.has(index)) owners.set(index, [...(owners.get(index) ?? []), name]);
    }
  }
  // Once where one of them brings the other.
  for (const [index, names] of owners) owners.set(index, names.filter((name) => !addOns[name]?.brings?.some((other) => names.includes(other))));
  return owners;
}

/** Whether an add-on, or the base, has to call a function through the table. @param {string[] | undefined} callers @param {string[] | undefined} owners */
const isApart = (callers = [], owners) => !!owners && (callers.length === 0 || callers.some((name) => !owners.includes(name)));

/**
 * The places in the function table of the add-ons' functions: those that they have, and new ones for functions that are called from outside.
 *
 * @param {Module} module @param {Owners} owners @returns {Places}
 */
function placesOf({ functions, imported, exports, elements, tables }, owners) {
  /** @type {Places} */
  const places = new Map();
  for (const { offset, functions: all } of elements) {
    all.forEach((index, at) => void (owners.has(index) && places.set(index, [...(places.get(index) ?? []), offset + at])));
  }
  let next = functionTable(tables).limits[1] ?? 0;
  const add = (/** @type {number} */ index) => void (places.has(index) || places.set(index, [next++]));
  functions.forEach(({ calls }, at) => {
    const callers = owners.get(imported.length + at);
    calls.forEach((index) => void (isApart(callers, owners.get(index)) && add(index)));
  });
  for (const { kind, index } of exports.values()) if (kind === 0 && owners.has(index)) add(index);
  return places;
}

/** @param {Module["tables"]} tables */
function functionTable(tables) {
  const found = tables.find(({ type }) => type === 0x70);
  if (!found) throw new Failure("The module has no table of functions.");
  return found;
}

/** The first place of the function table that has no use. @param {Module["tables"]} tables @param {Places} places */
const freeFrom = (tables, places) => Math.max(functionTable(tables).limits[1] ?? 0, ...[...places.values()].flat().map((place) => place + 1));

/**
 * The imports of the add-ons from the base, by number: its exports for them, which are its function table, the variable that holds the top of its
 * stack, and its memory; and functions, which stand in the table.
 *
 * @param {Module} module @param {number[]} bases @param {Owners} owners @param {Places} places @returns {Shared[]}
 */
function sharedWith({ functions, imported, tables }, bases, owners, places) {
  const globals = new Set();
  const shared = new Set();
  functions.forEach((each, at) => {
    if (!owners.has(imported.length + at)) return;
    visit(each, (what, index) => {
      if (what === "function" && !owners.has(index)) shared.add(index);
      if (what === "global") globals.add(index);
    });
  });
  const free = freeFrom(tables, places);
  return [
    { kind: 1, index: tables.indexOf(functionTable(tables)), name: 0 },
    { kind: 2, index: 0, name: 1 },
    ...[...globals].map((index, at) => ({ kind: 3, index, name: 2 + at })),
    ...[...imported.keys(), ...bases].filter((index) => shared.has(index)).map((index, at) => ({ kind: 0, index, name: free + at })),
  ];
}

/** How many orders are tried. How well one compresses is known once it is: they differ by some hundred bytes. */
const tries = 6;

/** The functions of no add-on, in orders that may compress well. @param {Module} module @param {Owners} owners */
function basesOf(module, owners) {
  const indexes = module.functions.map((_, at) => module.imported.length + at).filter((index) => !owners.has(index));
  return arrange(module, indexes, tries);
}

/** Functions in orders that may compress well. @param {Module} module @param {number[]} indexes @param {number} count  of orders */
function arrange({ functions, imported }, indexes, count) {
  const bodies = indexes.map((index) => functions[index - imported.length]?.body ?? new Uint8Array());
  return sideBySide(bodies, count).map((order) => order.map((at) => indexes[at] ?? 0));
}

/** The module that is smallest in the two forms in which pages load one. @template {{ bytes: Uint8Array }} Made @param {Made[]} made @returns {Made} */
function smallest(made) {
  const lengths = made.map(({ bytes }) => deflateRawSync(sort(bytes), { level: 9 }).length + brotliCompressSync(bytes).length);
  return /** @type {Made} */ (made[lengths.indexOf(Math.min(...lengths))]);
}

/**
 * The base: the functions of no add-on, those that pass on an exported call to one, and the exports for the add-ons, whose names are numbers.
 *
 * @param {Module} module @param {number[]} bases @param {Owners} owners @param {Places} places @param {Shared[]} shared
 * @param {number[][]} [data]  its segments, if it has not all
 */
function writeBase(module, bases, owners, places, shared, data) {
  const { functions, imported, tables, exports, elements } = module;
  const numbers = [...imported.keys(), ...bases];
  const order = new Map(numbers.map((index, at) => [index, at]));
  const table = tables.indexOf(functionTable(tables));
  const call = (/** @type {number} */ index) => throughTable(places, index, typeOf(module, index), table);
  const kept = bases.map((index) => /** @type {Defined} */ (functions[index - imported.length]));
  const code = kept.map((each) =>
    rewritten(each, (what, index, _from, _to, operation) => {
      if (what !== "function") return undefined;
      if (owners.has(index)) return call(index);
      return [operation, ...unsigned(order.get(index) ?? 0)];
    })
  );

  const passing = [...exports.values()].filter(({ kind, index }) => kind === 0 && owners.has(index));
  passing.forEach(({ index }, at) => order.set(index, numbers.length + at));
  const passed = passing.map(({ index }) => {
    const parameters = new Reader(module.types[typeOf(module, index)] ?? new Uint8Array(), 1).number();
    const gets = Array.from({ length: parameters }, (_, at) => [0x20, ...unsigned(at)]).flat();
    return [0, ...gets, ...call(index), 0x0b];
  });

  const free = freeFrom(tables, places);
  const passedOn = shared.flatMap(({ kind, index }) => (kind === 0 ? index : []));
  const size = passedOn.length > 0 ? free + passedOn.length : 0;
  const grown = tables.map((
    { type, limits: [flags = 0, ...limits] },
    at,
  ) => [type, flags, ...limits.flatMap((limit) => unsigned(at === table ? Math.max(limit, size) : limit))]);
  const names = [...exports].map(([name, { kind, index }]) => [...string(name), kind, ...unsigned(kind === 0 ? (order.get(index) ?? 0) : index)]);
  const numbered = shared.flatMap(({ kind, index, name }) => (kind === 0 ? [] : [[...string(`${name}`), kind, ...unsigned(index)]]));
  const filled = elements.flatMap(({ offset, functions: all }) => filling(all.map((index, at) => [offset + at, order.get(index), owners.has(index)])));
  filled.push(...filling(passedOn.map((index, at) => [free + at, order.get(index), false])));
  const written = new Map([
    [3, vector([...kept, ...passing.map(({ index }) => ({ type: typeOf(module, index) }))].map(({ type }) => unsigned(type)))],
    [4, vector(grown)],
    [7, vector([...names, ...numbered])],
    [9, vector(filled)],
    [10, vector([...code, ...passed].map((body) => [...unsigned(body.length), ...body]))],
    ...(data ? [/** @type {[number, number[]]} */ ([11, vector(data)])] : []),
  ]);
  if (module.sections.has(8)) throw new Failure("The module has a function that starts it.");
  // How many segments there are is said for operations that name one by its number.
  return assembled([...module.sections].filter(([id]) => id !== 12).map(([id, section]) => [id, written.get(id) ?? section]));
}

/**
 * An add-on: its functions, which it puts into the base's table, and the imports that they use.
 *
 * @param {Module} module @param {Owners} owners @param {Places} places @param {Shared[]} shared @param {number[][]} data @param {string} name
 */
function writeAddOn(module, owners, places, shared, data, name) {
  const { functions, imported } = module;
  const [own = []] = arrange(module, [...owners].filter(([, names]) => names.includes(name)).map(([index]) => index).sort((a, b) => a - b), 1);
  const bodies = own.map((index) => /** @type {Defined} */ (functions[index - imported.length]));
  /** @type {number[]} */
  const types = [];
  const typeAt = (/** @type {number} */ type) => {
    if (!types.includes(type)) types.push(type);
    return types.indexOf(type);
  };
  const used = new Set();
  const globals = new Set();
  for (const each of bodies) {
    visit(each, (what, index) => {
      if (what === "function" && !owners.has(index)) used.add(index);
      if (what === "global") globals.add(index);
    });
  }
  const imports = shared.filter(({ kind, index }) => (kind === 0 ? used.has(index) : kind !== 3 || globals.has(index)));
  const order = new Map([...imports.filter(({ kind }) => kind === 0).map(({ index }) => index), ...own].map((index, at) => [index, at]));
  const globalAt = new Map(imports.filter(({ kind }) => kind === 3).map(({ index }, at) => [index, at]));
  const code = bodies.map((each) =>
    rewritten(each, (what, index, _from, _to, operation) => {
      if (what === "type") return operation === 0x11 ? [operation, ...unsigned(typeAt(index))] : [operation, ...signed(typeAt(index))];
      if (what === "table") return [0];
      if (what === "global") return [operation, ...unsigned(globalAt.get(index) ?? 0)];
      const at = order.get(index);
      return at === undefined ? throughTable(places, index, typeAt(typeOf(module, index)), 0) : [operation, ...unsigned(at)];
    })
  );
  const ownTypes = bodies.map(({ type }) => unsigned(typeAt(type)));
  const importList = imports.map((each) => [...string("a"), ...string(`${each.name}`), each.kind, ...importType(module, each, typeAt)]);
  const filled = filling(own.flatMap((index) => (places.get(index) ?? []).map((place) => [place, order.get(index), false])));
  return assembled([
    [1, vector(types.map((type) => [...(module.types[type] ?? [])]))],
    [2, vector(importList)],
    [3, vector(ownTypes)],
    [9, vector(filled)],
    [10, vector(code.map((body) => [...unsigned(body.length), ...body]))],
    ...(data.length > 0 ? [/** @type {[number, number[]]} */ ([11, vector(data)])] : []),
  ]);
}

/** The type of an import. @param {Module} module @param {External} external @param {(type: number) => number} typeAt */
function importType(module, { kind, index }, typeAt) {
  if (kind === 0) return unsigned(typeAt(typeOf(module, index)));
  // Tables and memories of any size.
  if (kind === 1) return [0x70, 0, 0];
  if (kind === 2) return [0, 0];
  // The variables of the module are numbers that change: the top of the stack.
  return [0x7f, 1];
}

/** @param {Module} module @param {number} index */
const typeOf = ({ imported, functions }, index) => imported[index] ?? functions[index - imported.length]?.type ?? 0;

/** A call by the place in the table. @param {Places} places @param {number} index @param {number} type @param {number} table */
function throughTable(places, index, type, table) {
  const [place] = places.get(index) ?? [];
  if (place === undefined) throw new Failure("A function of an add-on has no place.");
  return [0x41, ...signed(place), 0x11, ...unsigned(type), ...unsigned(table)];
}

/**
 * A function's body with other numbers. `change` returns what takes the place of an operation's number, with the operation before it; nothing: it stays.
 *
 * @param {Defined} function_
 * @param {(what: Named, index: number, from: number, to: number, operation: number) => number[] | undefined} change
 * @returns {number[]}
 */
function rewritten(function_, change) {
  /** @type {number[]} */
  const out = [];
  let done = 0;
  visit(function_, (what, index, from, to, operation) => {
    const changed = change(what, index, from, to, operation);
    if (!changed) return;
    // The table of a call follows its type.
    const begin = what === "table" ? from : from - 1;
    out.push(...function_.body.subarray(done, begin), ...changed);
    done = to;
  });
  out.push(...function_.body.subarray(done));
  return out;
}

/**
 * Elements that fill places of the function table, a list for each row of places without a gap.
 *
 * @param {[place: number, index: number | undefined, left: boolean][]} entries
 */
function filling(entries) {
  /** @type {{ from: number, indexes: number[] }[]} */
  const rows = [];
  for (const [place, index, left] of entries.sort(([a], [b]) => a - b)) {
    if (left) continue;
    const row = rows.at(-1);
    if (row && row.from + row.indexes.length === place) row.indexes.push(index ?? 0);
    else rows.push({ from: place, indexes: [index ?? 0] });
  }
  return rows.map(({ from, indexes }) => [0, 0x41, ...signed(from), 0x0b, ...vector(indexes.map(unsigned))]);
}

/** @param {[id: number, section: Uint8Array | number[]][]} sections */
function assembled(sections) {
  const parts = sections.flatMap(([id, section]) => [Uint8Array.of(id, ...unsigned(section.length)), Uint8Array.from(section)]);
  return new Uint8Array(Buffer.concat([Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), ...parts]));
}

/** @param {number[][]} items */
const vector = (items) => [...unsigned(items.length), ...items.flat()];

/** @param {string} name */
const string = (name) => [...unsigned(Buffer.byteLength(name)), ...Buffer.from(name)];

/** @param {Uint8Array} bytes */
const text = (bytes) => Buffer.from(bytes).toString();
