// Keyboard commands. The dialog with the id "keys" lists them.

let prefix = 0;  // when "g" was pressed last

function neighbour(step: number): void {
  const tabs = [...document.querySelectorAll<HTMLAnchorElement>(".tabs a")];
  const at = tabs.findIndex((tab) => tab.hasAttribute("aria-current"));
  if (at >= 0) tabs[(at + step + tabs.length) % tabs.length]!.click();
}

// Closes questions such as "Cancel the job" when the user clicks elsewhere.
function closeDetails(target: Element | null): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>("details.confirm[open]")) {
    if (!target || !details.contains(target)) details.open = false;
  }
}

export function startKeyboard(nextTheme: () => void): void {
  const commands: Record<string, () => void> = {
    "/": () => document.querySelector<HTMLElement>("[data-filter]")?.focus(),
    "?": () => document.querySelector<HTMLDialogElement>("#keys")?.showModal(),
    "[": () => neighbour(-1),
    "]": () => neighbour(1),
    t: nextTheme,
    g: () => void (prefix = Date.now()),
  };
  document.addEventListener("click", (event) => closeDetails(event.target as Element));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeDetails(null);
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if ((event.target as Element).closest("input:not([type=checkbox], [type=radio]), select, textarea, dialog")) return;
    if (Date.now() - prefix < 1000) {
      prefix = 0;
      if (event.key === "j") location.assign("/");
      if (event.key === "c") location.assign("/cluster");
      return;
    }
    const command = commands[event.key];
    if (!command) return;
    event.preventDefault();
    command();
  });
}
