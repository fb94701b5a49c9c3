/** Labels are any text that a client sent, so text is only ever set as text, never as HTML. */

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} "${id}"`);
  return found;
}

/**
 * Sets the text where it is another one, so that a selection and the focus survive.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {HTMLElement} parent
 * @param {Tag} tag
 * @param {string} text
 * @param {string} className
 */
export function append(parent, tag, text = "", className = "") {
  const child = parent.appendChild(document.createElement(tag));
  child.textContent = text;
  if (className !== "") child.className = className;
  return child;
}

/**
 * Children of an element by key: made once, kept while their key is there, in the order of the items.
 * @template Item
 * @template {HTMLElement} Child
 */
export class Keyed {
  /** @type {Map<string, Child>} */
  #children = new Map();

  /**
   * @param {HTMLElement} parent
   * @param {{ key: (item: Item) => string, make: (item: Item) => Child, update: (child: Child, item: Item) => void }} how
   */
  constructor(parent, how) {
    this.parent = parent;
    this.how = how;
  }

  /** @param {readonly Item[]} items */
  show(items) {
    const { key, make, update } = this.how;
    const kept = new Map(
      items.map((item) => {
        const child = this.#children.get(key(item)) ?? make(item);
        update(child, item);
        return [key(item), child];
      }),
    );
    for (const [name, child] of this.#children) if (!kept.has(name)) child.remove();
    let next = this.parent.firstElementChild;
    for (const child of kept.values()) {
      if (child === next) next = next.nextElementSibling;
      else this.parent.insertBefore(child, next);
    }
    this.#children = kept;
  }
}
