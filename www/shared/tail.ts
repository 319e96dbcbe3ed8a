/** Keeps a growing list scrolled to its end, until the reader scrolls up; then it stays where the reader is. */
export interface Tail {
  /** Goes to the end and follows again. */
  jump(): void;
  stop(): void;
}

/** How near the end counts as being there, in CSS pixels. */
const NEAR = 32;
/** The events by which a reader scrolls, and for how long after one a scroll is theirs, in milliseconds. */
const INPUTS = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
const INPUT_MS = 500;

/** @param onChange called with whether the end is followed, whenever that changes */
export function followTail(viewport: HTMLElement, content: HTMLElement, onChange: (following: boolean) => void): Tail {
  let following = true;
  let [top, height, input] = [0, 0, -Infinity];
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
    remember();
  };
  const remember = (): void => {
    ({ scrollTop: top, scrollHeight: height } = viewport);
  };
  const onInput = (): void => {
    input = performance.now();
  };
  // Scrolling brings rows into sight that then get their true size. Within the observer's own turn that would be a
  // loop, which browsers report as an error; in the next frame it is not.
  const frame = createFrame(() => following && toEnd());
  const onScroll = (): void => {
    // Only a move upwards lets go: new content makes the gap grow as well, but moves nothing. Rows that turn out smaller than
    // they were taken for move the end, and with it what is shown: that is not the reader.
    const resized = frame.isAsked() || viewport.scrollHeight !== height;
    const byReader = !resized || performance.now() - input < INPUT_MS;
    if (gap() <= NEAR) set(true);
    else if (viewport.scrollTop < top - 1) {
      if (byReader) set(false);
      else frame.ask();
    }
    remember();
  };
  const observer = new ResizeObserver(frame.ask);
  observer.observe(content);
  observer.observe(viewport);
  viewport.addEventListener("scroll", onScroll, { passive: true });
  for (const name of INPUTS) viewport.addEventListener(name, onInput, { passive: true });
  return {
    jump() {
      set(true);
      toEnd();
    },
    stop() {
      observer.disconnect();
      frame.cancel();
      viewport.removeEventListener("scroll", onScroll);
      for (const name of INPUTS) viewport.removeEventListener(name, onInput);
    },
  };
}

/** A frame that is asked for: `draw` is called once in it, however often that was. */
function createFrame(draw: () => void) {
  let id = 0;
  const cancel = (): void => cancelAnimationFrame(id);
  return {
    isAsked: () => id !== 0,
    ask(): void {
      cancel();
      id = requestAnimationFrame(() => {
        id = 0;
        draw();
      });
    },
    cancel,
  };
}
