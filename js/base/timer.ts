/** Does it after so many milliseconds. Node does not stay alive for it. A timer with a longer time than it can take would fire at once. */
export function later(ms: number, action: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(action, Math.min(ms, 1e9));
  (timer as { unref?(): void }).unref?.();
  return timer;
}
