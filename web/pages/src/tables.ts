// Filters rows while the user types, and sorts tables by a column.

function valueOf(row: HTMLTableRowElement, column: number): string | number {
  const cell = row.cells[column];
  const text = cell?.dataset.value ?? cell?.textContent?.trim() ?? "";
  const number = Number(text.replaceAll(",", ""));
  return text !== "" && Number.isFinite(number) ? number : text;
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? 1 : -1;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

interface Order {
  column: number;
  direction: "ascending" | "descending";
}
const orders = new Map<string, Order>();  // by the place of the table in the page

function sort(table: HTMLTableElement, order: Order): void {
  const headings = [...table.tHead!.rows[0]!.cells];
  headings.forEach((heading, i) => {
    if (i === order.column) heading.setAttribute("aria-sort", order.direction);
    else heading.removeAttribute("aria-sort");
  });
  const body = table.tBodies[0]!;
  const rows = [...body.rows];
  const sign = order.direction === "ascending" ? 1 : -1;
  rows.sort((a, b) => sign * compare(valueOf(a, order.column), valueOf(b, order.column)));
  body.append(...rows);
}

// Makes the headings of sortable tables buttons, and applies the orders that the user chose.
export function prepareTables(page: Document): void {
  page.querySelectorAll<HTMLTableElement>("table[data-sortable]").forEach((table, place) => {
    const key = String(place);
    [...table.tHead!.rows[0]!.cells].forEach((heading) => {
      if (heading.nodeName !== "TH" || heading.querySelector("button")) return;
      const button = page.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
    });
    const order = orders.get(key);
    if (order) sort(table, order);
  });
}

function onSort(event: Event): void {
  const button = (event.target as Element).closest<HTMLElement>("table[data-sortable] thead th button");
  if (!button) return;
  const heading = button.closest("th")!;
  const table = heading.closest("table")!;
  const place = [...document.querySelectorAll("table[data-sortable]")].indexOf(table);
  // Figures are first shown from the largest on, because the largest is what one looks for.
  const first = heading.classList.contains("figure") ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const direction = heading.getAttribute("aria-sort") === first ? other : first;
  const order: Order = { column: heading.cellIndex, direction };
  orders.set(String(place), order);
  sort(table, order);
}

// Hides the rows whose data-text, or whose text, lacks a word of the filter.
export function prepareFilter(page: Document): void {
  const input = document.querySelector<HTMLInputElement>("[data-filter]");
  if (!input) return;
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0, all = 0;
  for (const row of page.querySelectorAll<HTMLElement>("[data-text], .jobs tbody tr, .events.long > li")) {
    const text = (row.dataset.text ?? row.textContent!).toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    shown += row.hidden ? 0 : 1;
    ++all;
  }
  const none = page.querySelector<HTMLElement>("[data-no-match]");
  if (none) none.hidden = all === 0 || shown > 0;
}

export function startTables(): void {
  document.addEventListener("click", onSort);
  document.querySelector("[data-filter]")?.addEventListener("input", () => prepareFilter(document));
  document.querySelector<HTMLSelectElement>("[data-submit]")?.addEventListener("change", (event) => {
    (event.target as HTMLSelectElement).form!.requestSubmit();
  });
}
