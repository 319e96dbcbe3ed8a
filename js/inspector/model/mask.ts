// Text without what it says: as long as it was, and of the same form.

/** Letters become `x`, digits `1`; what separates them stays. */
export function maskText(text: string): string {
  return text.replace(/[^\s!-/:-@[-`{-~]/g, (character) => (character >= "0" && character <= "9" ? "1" : "x"));
}

/** A number with as many digits. */
export function maskNumber(value: number): number {
  return Number(maskText(String(value)).replace("x", "e")) || 0;
}

/**
 * Masks JSON text that may come in pieces: keys and all that is not a string or a number stay, and so it is JSON as before. What
 * turns out to be none is masked as text.
 */
export function createJsonMask(): (piece: string) => string {
  // For each container that is open: whether a string in it is a key.
  const stack: { readonly object: boolean; key: boolean }[] = [];
  let inString = false;
  let isKey = false;
  let escape = false;
  // Digits of a `\\u` that are yet to come.
  let digits = 0;
  let word = "";
  let broken = false;

  const inside = (character: string): string => {
    if (digits > 0) return isKey ? (digits--, character) : "8700"[--digits]!;
    if (escape) {
      escape = false;
      if (character === "u") digits = 4;
    } else if (character === "\\") escape = true;
    else if (character === '"') inString = false;
    else if (!isKey) return maskText(character);
    return character;
  };
  const outside = (character: string): string => {
    const top = stack[stack.length - 1];
    word = /[a-z]/.test(character) ? word + character : "";
    if (character === '"') {
      inString = true;
      isKey = top?.key ?? false;
    } else if (character === "{" || character === "[") stack.push({ object: character === "{", key: character === "{" });
    else if (character === "}" || character === "]") stack.pop();
    else if (character === ":" && top) top.key = false;
    else if (character === "," && top) top.key = top.object;
    else if (/\d/.test(character)) return "1";
    else if (word && !["true", "false", "null"].some((literal) => literal.startsWith(word)) && word !== "e") broken = true;
    else if (!/[\s.+\-eEtrufalsn]/.test(character)) broken = true;
    return broken ? maskText(character) : character;
  };

  return (piece) => {
    if (broken) return maskText(piece);
    let masked = "";
    for (const character of piece.split("")) masked += broken ? maskText(character) : inString ? inside(character) : outside(character);
    return masked;
  };
}

/** JSON text, masked as JSON; any other text as text. */
export function maskJson(text: string): string {
  return /^\s*[[{"]/.test(text) ? createJsonMask()(text) : maskText(text);
}
