// Draws at most once a frame, in the window that the inspector is in.

/** The frames in which the inspector is drawn. */
export interface Frames {
  /** Draws in the next frame. */
  schedule(): void;
  /** Draws for the first time; what was asked for before that is left out. */
  begin(): void;
  close(): void;
}

export function createFrames(window: () => Window, draw: () => void): Frames {
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
    schedule,
    begin: () => {
      begun = true;
      schedule();
    },
    close: () => {
      closed = true;
      frame?.view.cancelAnimationFrame(frame.id);
    },
  };
}
