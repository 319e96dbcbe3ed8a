// Names of keys → the code points that WebDriver reserves for them (W3C WebDriver, 17.4.2).

/** @type {Record<string, string>} */
const codes = {
  Backspace: "\uE003",
  Tab: "\uE004",
  Enter: "\uE007",
  Shift: "\uE008",
  Control: "\uE009",
  Alt: "\uE00A",
  Escape: "\uE00C",
  Space: " ",
  PageUp: "\uE00E",
  PageDown: "\uE00F",
  End: "\uE010",
  Home: "\uE011",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
  Delete: "\uE017",
  Meta: "\uE03D",
};

/**
 * Presses the keys of a chord in order and lets them go in reverse.
 *
 * @param {string} chord "Enter", "a", "Shift+Tab"
 */
export function keyActions(chord) {
  const values = chord.split("+").map((key) => {
    const value = codes[key] ?? (key.length === 1 ? key : undefined);
    if (value === undefined) throw new Error(`Unknown key "${key}"; known: ${Object.keys(codes).join(", ")} and single characters`);
    return value;
  });
  return [
    ...values.map((value) => ({ type: "keyDown", value })),
    ...values.toReversed().map((value) => ({ type: "keyUp", value })),
  ];
}
