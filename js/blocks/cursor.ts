// A place in a line of Markdown, by characters and by columns: a tab reaches to the next column that four divides.

const TAB = 9;
const SPACE = 32;

/** A place in a line, before white space that may be there. */
export type Cursor = ReturnType<typeof createCursor>;

/** A cursor in an empty line. */
export function createCursor() {
  let line = "";
  // Where text comes, and the columns of the white space before it, which begin at this column.
  let next = 0;
  let indent = 0;
  let column = 0;

  /** Goes past white space. */
  const measure = (): void => {
    for (indent = 0;; next += 1) {
      const code = line.charCodeAt(next);
      if (code === SPACE) indent += 1;
      else if (code === TAB) indent += 4 - ((column + indent) % 4);
      else return;
    }
  };

  return {
    /** Goes to the beginning of a line. */
    start: (text: string): void => {
      line = text;
      next = column = 0;
      measure();
    },
    /** The text after the white space. */
    rest: (): string => line.slice(next),
    /** The columns of the white space. */
    indent: (): number => indent,
    /** Goes past columns of white space, which may end within a tab. */
    skip: (columns: number): void => {
      column += columns;
      indent -= columns;
    },
    /** Goes past the white space and a marker of so many characters. */
    take: (length: number): void => {
      column += indent + length;
      next += length;
      measure();
    },
  };
}
