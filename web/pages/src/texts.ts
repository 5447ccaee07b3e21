// Small additions to the page of the server: times as "3 min ago", and buttons that copy commands.
import { formatAgo } from "./format";

export function prepareTexts(page: Document): void {
  const now = Date.now();
  for (const time of page.querySelectorAll<HTMLTimeElement>("time[data-ms]")) {
    const ms = Number(time.dataset.ms);
    if (!Number.isFinite(ms)) continue;
    time.dateTime = new Date(ms).toISOString();
    time.title = new Date(ms).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
    time.textContent = formatAgo(ms, now);
  }
  for (const command of page.querySelectorAll<HTMLElement>("pre.command")) {
    if (command.querySelector("button")) continue;
    const button = page.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy the command ${command.textContent!.trim()}`);
    command.append(button);
  }
}

async function copy(button: HTMLElement): Promise<void> {
  const text = button.parentElement!.querySelector("code")!.textContent!.trim();
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // Pages without TLS may not write to the clipboard. Select the text instead.
    getSelection()!.selectAllChildren(button.parentElement!.querySelector("code")!);
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 1500);
}

export function startCopying(): void {
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("pre.command > button");
    if (button) void copy(button);
  });
}
