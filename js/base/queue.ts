/** An empty queue. Taking the first element costs the same however many wait, which `shift` does not. */
export function createQueue<Item>() {
  let items: (Item | undefined)[] = [];
  let first = 0;
  return {
    get size(): number {
      return items.length - first;
    },
    push: (item: Item): void => void items.push(item),
    /** Takes the first; `undefined` where nothing waits. */
    take: (): Item | undefined => {
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
    clear: (): void => {
      items = [];
      first = 0;
    },
  };
}
