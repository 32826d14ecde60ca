// Elements from values. Text goes in as text, never as HTML: names of pods come from others.

// An element; attributes that are null, undefined or false are left out, children may be text.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

export function setAttribute(element, name, value) {
  if (name.startsWith('on')) {
    element.addEventListener(name.slice(2), value);
  } else if (value == null || value === false) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? '' : String(value));
  }
}

// Sets a text only where it differs, so that a selection in it survives and nothing is laid out anew.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function byId(id) {
  return document.getElementById(id);
}

// Lets the children of `parent` be one element for each item, in the order of the items. An item keeps
// its element by its key; whoever has the keyboard's focus keeps it.
export function keyed(parent, items, { keyOf, create, update }) {
  parent.keyedElements ??= new Map();
  const before = parent.keyedElements;
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const after = new Map();
  let place = null;
  for (const item of items) {
    const key = keyOf(item);
    const element = before.get(key) ?? create(item);
    update?.(element, item);
    after.set(key, element);
    const next = place ? place.nextSibling : parent.firstChild;
    if (next !== element) parent.insertBefore(element, next);
    place = element;
  }
  for (const [key, element] of before) {
    if (!after.has(key)) element.remove();
  }
  parent.keyedElements = after;
  if (focused && focused !== document.activeElement && parent.contains(focused)) {
    focused.focus({ preventScroll: true });
  }
}
