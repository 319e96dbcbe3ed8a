/** Keeps a growing list scrolled to its end, until the reader scrolls up; then it stays where the reader is. */
export interface Tail {
  /** Goes to the end and follows again. */
  jump(): void;
  stop(): void;
}

/** How near the end counts as being there. */
const NEAR = 32;

/** @param onChange told whether the end is followed, whenever that changes */
export function followTail(viewport: HTMLElement, content: HTMLElement, onChange: (following: boolean) => void): Tail {
  let following = true;
  let top = 0;
  const gap = (): number => viewport.scrollHeight - viewport.scrollTop - viewport.clientHeight;
  const set = (next: boolean): void => {
    if (next === following) return;
    following = next;
    onChange(next);
  };
  const log = content.querySelector('[role="log"]');
  const toEnd = (): void => {
    if (log?.childElementCount === 0) return; // a greeting is read from its beginning
    viewport.scrollTop = viewport.scrollHeight;
    top = viewport.scrollTop;
  };
  const onScroll = (): void => {
    // Only a move upwards lets go: new content makes the gap grow as well, but moves nothing.
    if (gap() <= NEAR) set(true);
    else if (viewport.scrollTop < top - 1) set(false);
    top = viewport.scrollTop;
  };
  // Scrolling brings rows into sight that then get their true size. Within the observer's own turn that would be a
  // loop, which browsers report as an error; in the next frame it is not.
  let frame = 0;
  const observer = new ResizeObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      if (following) toEnd();
    });
  });
  observer.observe(content);
  observer.observe(viewport);
  viewport.addEventListener("scroll", onScroll, { passive: true });
  return {
    jump() {
      set(true);
      toEnd();
    },
    stop() {
      observer.disconnect();
      cancelAnimationFrame(frame);
      viewport.removeEventListener("scroll", onScroll);
    },
  };
}
