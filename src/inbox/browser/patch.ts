/**
 * Makes one element like another by changing only what differs, so that whatever stays keeps its focus, caret, selection
 * and scroll position.
 *
 * @param takesValues whether what stands in controls is taken over too; else what the person has typed since stays
 */
export function patch(old: Element, fresh: Element, takesValues: boolean): void {
  patchAttributes(old, fresh);
  if (takesValues) takeValue(old, fresh);
  const kept = keptChildren(old, fresh);
  let place: ChildNode | null = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const match = matching(wanted, place, kept);
    if (match === null) {
      old.insertBefore(document.importNode(wanted, true), place);
      continue;
    }
    place = withoutLeavers(match, place, kept);
    if (match === place) place = place.nextSibling;
    else old.insertBefore(match, place);
    if (match instanceof Element && wanted instanceof Element) patch(match, wanted, takesValues);
    else if (match.nodeValue !== wanted.nodeValue) match.nodeValue = wanted.nodeValue;
  }
  while (place !== null) {
    const next: ChildNode | null = place.nextSibling;
    place.remove();
    place = next;
  }
}

/** The children with names that stay. */
function keptChildren(old: Element, fresh: Element): Map<string, Element> {
  const wanted = new Set([...fresh.children].map(keyOf));
  const kept = new Map<string, Element>();
  for (const child of old.children) {
    const key = keyOf(child);
    if (key !== null && wanted.has(key)) kept.set(key, child);
  }
  return kept;
}

/** Takes away what stands before an element and goes, so that the element need not be moved: a move costs it the focus. */
function withoutLeavers(match: ChildNode, place: ChildNode | null, kept: ReadonlyMap<string, Element>) {
  const staying: ReadonlySet<ChildNode> = new Set(kept.values());
  let at = place;
  while (at !== null && at !== match && !staying.has(at)) {
    const next: ChildNode | null = at.nextSibling;
    at.remove();
    at = next;
  }
  return at;
}

/** What an element is called; one without a name is known by its place. */
function keyOf(element: Element): string | null {
  const name = element.id || element.getAttribute('data-field') || element.getAttribute('data-item');
  if (name) return `${element.tagName} ${name}`;
  const control = element.getAttribute('name');
  return control
    ? `${element.tagName} ${control} ${element.getAttribute('type')} ${element.getAttribute('value')}`
    : null;
}

function matching(wanted: ChildNode, place: ChildNode | null, kept: Map<string, Element>): ChildNode | null {
  if (!(wanted instanceof Element)) return place !== null && place.nodeType === wanted.nodeType ? place : null;
  const key = keyOf(wanted);
  if (key !== null) return kept.get(key) ?? null;
  const isSameKind = place instanceof Element && place.tagName === wanted.tagName && keyOf(place) === null;
  return isSameKind ? place : null;
}

/** State that the person has changed, and the browser keeps. */
const OWN = new Set(['value', 'checked', 'selected', 'open', 'autofocus']);

function patchAttributes(old: Element, fresh: Element): void {
  for (const { name } of [...old.attributes]) {
    if (!OWN.has(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    const isOwn = OWN.has(name) && !(name === 'value' && isButtonLike(old));
    if (!isOwn && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

/** Values that nobody types. */
function isButtonLike(element: Element): boolean {
  return element instanceof HTMLButtonElement || (element instanceof HTMLInputElement && element.type === 'hidden');
}

function takeValue(old: Element, fresh: Element): void {
  if (old instanceof HTMLInputElement && fresh instanceof HTMLInputElement) {
    if (old.type === 'radio' || old.type === 'checkbox') old.checked = fresh.checked;
    else old.value = fresh.value;
  }
  if (old instanceof HTMLTextAreaElement && fresh instanceof HTMLTextAreaElement) old.value = fresh.value;
  if (old instanceof HTMLSelectElement && fresh instanceof HTMLSelectElement) old.selectedIndex = fresh.selectedIndex;
}
