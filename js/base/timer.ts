/** The longest time that a timer takes: a longer one fires at once. */
export const longestMs = 2 ** 31 - 1;

/** Does it after so many milliseconds. Node does not stay alive for it. */
export function later(ms: number, action: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(action, Math.min(ms, longestMs));
  (timer as { unref?(): void }).unref?.();
  return timer;
}
