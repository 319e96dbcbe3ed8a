/** Does it after so many milliseconds. Node does not stay alive for it. */
export function later(ms: number, action: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(action, ms);
  (timer as { unref?(): void }).unref?.();
  return timer;
}
