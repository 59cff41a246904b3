// Round-robin queue: owners take turns, each with its oldest item.

interface Line<Item> {
  items: Item[];
  /** Index of the oldest item; earlier ones were taken. */
  from: number;
}

/** Queue of items with owners. The owner served last does not come next if another is waiting. */
export class FairQueue<Item> {
  readonly #lines = new Map<string, Line<Item>>();
  #last = '';
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(who: string, item: Item): void {
    const line = this.#lines.get(who);
    if (line === undefined) this.#lines.set(who, { items: [item], from: 0 });
    else line.items.push(item);
    this.#size++;
  }

  /** Removes a waiting item. */
  remove(who: string, item: Item): void {
    const line = this.#lines.get(who);
    const at = line?.items.indexOf(item, line.from) ?? -1;
    if (line === undefined || at < 0) return;
    line.items.splice(at, 1);
    this.#size--;
    if (line.from === line.items.length) this.#lines.delete(who);
  }

  /** Removes and returns the next item; undefined if the queue is empty. */
  next(): Item | undefined {
    const [first, second] = this.#lines;
    const chosen = first?.[0] === this.#last ? (second ?? first) : first;
    if (chosen === undefined) return undefined;
    const [who, line] = chosen;
    const item = line.items[line.from++];
    this.#size--;
    this.#last = who;
    // Reinserting moves the owner to the end of the map.
    this.#lines.delete(who);
    if (line.from < line.items.length) this.#lines.set(who, shortened(line));
    return item;
  }
}

/** Drops taken items once they make up half of the line. */
function shortened<Item>(line: Line<Item>): Line<Item> {
  if (line.from * 2 < line.items.length) return line;
  return { items: line.items.slice(line.from), from: 0 };
}
