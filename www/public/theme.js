// Sets the theme before the first paint, so this is a plain script in the head and no module.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const choices = ["auto", "light", "dark"];
  let choice = "auto";
  try {
    choice = localStorage.getItem("theme") ?? "auto";
  } catch {
    // Storage may be forbidden; then the theme lasts as long as the page.
  }
  if (!choices.includes(choice)) choice = "auto";

  const show = () => {
    root.dataset.theme = choice === "auto" ? (dark.matches ? "dark" : "light") : choice;
    const button = document.getElementById("theme");
    if (button === null) return;
    button.dataset.choice = choice;
    button.setAttribute("aria-label", `Theme: ${choice}`);
    button.title = `Theme: ${choice}`;
  };

  dark.addEventListener("change", show);
  document.addEventListener("DOMContentLoaded", () => {
    show();
    document.getElementById("theme")?.addEventListener("click", () => {
      choice = choices[(choices.indexOf(choice) + 1) % choices.length];
      try {
        localStorage.setItem("theme", choice);
      } catch {
        // As above.
      }
      show();
    });
  });
  show();
})();
