// Makes one tree of elements equal to another one with as few changes as possible. Focus, open
// details and the position of scrolling survive, because equal elements stay the same.

function sameKind(a: Node, b: Node): boolean {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName &&
    (a as Element).id === (b as Element).id;
}

function copyAttributes(from: Element, to: Element): void {
  for (const { name, value } of [...from.attributes]) {
    if (to.getAttribute(name) !== value) to.setAttribute(name, value);
  }
  for (const { name } of [...to.attributes]) {
    // A user opens details; the server never does.
    if (!from.hasAttribute(name) && !(name === "open" && to.nodeName === "DETAILS")) to.removeAttribute(name);
  }
}

// Changes `now` into `next`. Leaves elements with data-keep alone: scripts own their content.
export function morph(now: Element, next: Element): void {
  if (now.hasAttribute("data-keep") || now.isEqualNode(next)) return;
  copyAttributes(next, now);
  let at: ChildNode | null = now.firstChild;
  for (const wanted of [...next.childNodes]) {
    let found = at;
    if (wanted instanceof Element && wanted.id) {
      const old = now.ownerDocument.getElementById(wanted.id);
      if (old && old.parentNode === now) found = old;
    }
    if (!found || !sameKind(found, wanted)) {
      now.insertBefore(now.ownerDocument.importNode(wanted, true), at);
      continue;
    }
    if (found !== at) now.insertBefore(found, at);
    else at = at!.nextSibling;
    if (found instanceof Element) morph(found, wanted as Element);
    else if (found.nodeValue !== wanted.nodeValue) found.nodeValue = wanted.nodeValue;
  }
  while (at) {
    const after: ChildNode | null = at.nextSibling;
    at.remove();
    at = after;
  }
}
