// Curves and worst mistakes of a checkpoint. The server computes them when they are asked for, which
// may take a minute, so they are a page of their own. It is shown within the page of the evaluation.

// Shows a part of the page at the address of the link, which has the same id.
async function load(link: HTMLAnchorElement, prepare: (page: Document) => void): Promise<void> {
  const id = link.dataset.load!;
  const place = document.getElementById(id)!;
  const status = document.getElementById(`${id}-status`);
  if (status) status.textContent = "Evaluating the last checkpoint …";
  link.hidden = true;
  place.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(link.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const part = page.getElementById(id);
    if (!answer.ok || !part) throw new Error(`status ${answer.status}`);
    prepare(page);
    place.replaceChildren(...[...part.childNodes].map((node) => document.importNode(node, true)));
  } catch {
    if (status) status.textContent = "The checkpoint could not be evaluated.";
    link.hidden = false;
  }
  place.removeAttribute("aria-busy");
}

// Loads at once if the job has ended. A job that runs may share the processors with the server, so
// the user decides.
export function startExamined(prepare: (page: Document) => void): void {
  const link = document.querySelector<HTMLAnchorElement>("a[data-load]");
  if (!link) return;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    void load(link, prepare);
  });
  if (!document.body.hasAttribute("data-job-live")) void load(link, prepare);
}
