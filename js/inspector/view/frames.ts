// Draws at most once a frame, in the window that the inspector is in.

/** The frames in which the inspector is drawn. */
export function createFrames(window: () => Window, draw: () => void) {
  let frame: { readonly view: Window; readonly id: number } | undefined;
  let [begun, closed] = [false, false];
  const schedule = (): void => {
    if (closed || !begun) return;
    const view = window();
    if (frame?.view === view) return;
    // A window that was left stops drawing.
    frame?.view.cancelAnimationFrame(frame.id);
    const id = view.requestAnimationFrame(() => {
      frame = undefined;
      if (!closed) draw();
    });
    frame = { view, id };
  };
  return {
    /** Draws in the next frame. */
    schedule,
    /** Draws for the first time; what was asked for before that is left out. */
    begin: (): void => {
      begun = true;
      schedule();
    },
    close: (): void => {
      closed = true;
      frame?.view.cancelAnimationFrame(frame.id);
    },
  };
}
