import type { Notice } from "../shared/notices.js";

export function Toasts({ notices, onClose }: { notices: readonly Notice[]; onClose: (id: number) => void }) {
  return (
    <div className="toasts" role="region" aria-label="Notices" aria-live="polite">
      {notices
        .filter(({ fresh }) => fresh)
        .map(({ id, level, title, text }) => (
          <div key={id} className="toast" data-testid="notice" data-level={level}>
            <div>
              <b>{title}</b>
              {text !== "" && <span>{text}</span>}
            </div>
            <button type="button" className="icon-button" aria-label="Close this notice" onClick={() => onClose(id)}>
              <span className="icon" data-icon="close" />
            </button>
          </div>
        ))}
    </div>
  );
}
