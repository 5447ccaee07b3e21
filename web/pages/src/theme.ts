// The colours of the page: as the system has them, light or dark. The choice is kept in the browser.

const kChoices = ["system", "light", "dark"] as const;
type Choice = (typeof kChoices)[number];
const kKey = "paravane-theme";

function stored(): Choice {
  try {
    return kChoices.find((choice) => choice === localStorage.getItem(kKey)) ?? "system";
  } catch {
    return "system";  // the browser keeps nothing for this page
  }
}

function apply(choice: Choice): void {
  if (choice === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
}

let current = stored();
// Before the first paint, so that no page flashes in the other colours.
apply(current);

function show(button: HTMLElement): void {
  button.dataset.choice = current;
  button.setAttribute("aria-label", `Colours: ${current}`);
  button.title = { system: "Colours of the system", light: "Light colours", dark: "Dark colours" }[current];
}

// Selects the next choice and calls `changed`, because canvases do not follow style sheets.
export function nextTheme(changed: () => void): void {
  current = kChoices[(kChoices.indexOf(current) + 1) % kChoices.length]!;
  try {
    localStorage.setItem(kKey, current);
  } catch {
    // The choice then holds for this page only.
  }
  apply(current);
  const button = document.getElementById("theme");
  if (button) show(button);
  changed();
}

export function startTheme(changed: () => void): void {
  const button = document.getElementById("theme");
  if (button) {
    show(button);
    button.hidden = false;
    button.addEventListener("click", () => nextTheme(changed));
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}
