/** A queue. Taking the first element costs the same however many wait, which `shift` does not. */
export interface Queue<Item> {
  readonly size: number;
  push(item: Item): void;
  /** Takes the first; `undefined` where nothing waits. */
  take(): Item | undefined;
  clear(): void;
}

/** An empty queue. */
export function createQueue<Item>(): Queue<Item> {
  let items: (Item | undefined)[] = [];
  let first = 0;
  return {
    get size() {
      return items.length - first;
    },
    push: (item) => void items.push(item),
    take: () => {
      if (first === items.length) return undefined;
      const item = items[first];
      items[first++] = undefined;
      // As many are moved as were taken since.
      if (first * 2 > items.length) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
    clear: () => {
      items = [];
      first = 0;
    },
  };
}
