// Phrases that a reader has to translate, and what to write instead. CONTRIBUTING.md, "House style", has the rules.

import assert from "node:assert/strict";
import { test } from "node:test";
import { beginnings, prose } from "./prose.mjs";

/** @type {readonly [phrase: RegExp, instead: string, allowed?: RegExp][]} */
const PHRASES = [
  [
    /\bbehind\b/i,
    '"after" for time and order, "older than" for values',
    /behind (a proxy|`import\(\)`|a URL|the church|it has begun|one interface)|`behind`|behind\?|(leaves?|left) [\w ]*behind|(measurements|framework|agent|chat) behind/i,
  ],
  [/\bany more\b/i, '"no longer", or the positive fact'],
  [/\brun is on\b/i, '"while a run is in progress"'],
  [/\bof no interest\b/i, '"is ignored"'],
  [/, and nothing else\b|\bnothing else (does|is)\b/i, '"only"'],
  [/\btwice does no more\b/i, '"idempotent"'],
  [/\bit else does not\b/i, '"otherwise"'],
  [/\bwhom?\b [a-z]+ tells?\b/i, '"how … is notified"'],
  [
    /\b(is|are|was|were|be|been|being|not|have|had|has) told (of|about|that|what|the|by|in|all|again|first|next|once|as|whole|at|it|anyway|a)\b/i,
    '"notified", "reported", "emitted", "sent" or "replayed"',
  ],
  [/\balso if\b/i, '"even if"'],
  [/\b(for|to|by|of) who\b/i, 'a noun: "for a reader", "by the caller"'],
  [/(^\W*|[.:;] )Who (?!am|is|may)[a-z]+s?\b/, 'a noun: "a reader that …"'],
  [/\b(is|are|was|were) (given|taken) away\b/i, '"released", "transferred", "removed"'],
  [/\bwhat becomes? of\b/i, '"how … is handled", "its translation"'],
  [/\bno more\b[.;,]/i, '"no longer"'],
  [/\bshall\b/i, '"must", "should"', /shall (I|we)/i],
  [/\bgives? no answer\b/i, '"does not respond"'],
];

const lines = prose();

for (const [phrase, instead, allowed] of PHRASES) {
  test(`nowhere: ${phrase.source}`, () => {
    const found = lines.filter(({ text }) => phrase.test(allowed ? text.replace(new RegExp(allowed, "gi"), "") : text));
    assert.deepEqual(found.map(({ file, line, text }) => `${file}:${line} ${text.trim()}`), [], `write ${instead}`);
  });
}

test("no comment begins with a clause: it begins with a noun or a verb", () => {
  const found = beginnings().filter(({ file, text }) => /^(What|Those|Who|Whom|Whose)\b/.test(text));
  assert.deepEqual(found.map(({ file, line, text }) => `${file}:${line} ${text}`), [], 'write "The options of …", not "What … takes"');
});
