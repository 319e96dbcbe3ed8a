/** Hands items to those who ask for them, in order: whoever comes first waits for the other. */
export function createHandover<Item>() {
  const items: Item[] = [];
  const takers: ((item: Item) => void)[] = [];
  return {
    put: (item: Item): void => {
      const take = takers.shift();
      if (take) take(item);
      else items.push(item);
    },
    /** Resolves with the next item, which is this caller's alone. Rejects once the signal is aborted. */
    take: (signal?: AbortSignal): Promise<Item> =>
      new Promise((resolve, reject) => {
        if (items.length) return resolve(items.shift()!);
        takers.push(resolve);
        signal?.addEventListener("abort", () => {
          const place = takers.indexOf(resolve);
          if (place >= 0) takers.splice(place, 1);
          reject(signal.reason);
        });
      }),
  };
}
