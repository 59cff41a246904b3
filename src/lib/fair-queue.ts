// What waits, of several: those who have something waiting come in turn, each with its oldest.

interface Line<Item> {
  items: Item[];
  /** Where the oldest stands: those before it are gone. */
  from: number;
}

/** Items, each of somebody. Who came last is not the next if there is another. */
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

  /** Takes one out before its turn. */
  remove(who: string, item: Item): void {
    const line = this.#lines.get(who);
    const at = line?.items.indexOf(item, line.from) ?? -1;
    if (line === undefined || at < 0) return;
    line.items.splice(at, 1);
    this.#size--;
    if (line.from === line.items.length) this.#lines.delete(who);
  }

  /** Takes out the next one; undefined = there is none. */
  next(): Item | undefined {
    const [first, second] = this.#lines;
    const chosen = first?.[0] === this.#last ? (second ?? first) : first;
    if (chosen === undefined) return undefined;
    const [who, line] = chosen;
    const item = line.items[line.from++];
    this.#size--;
    this.#last = who;
    // To the end of those who wait.
    this.#lines.delete(who);
    if (line.from < line.items.length) this.#lines.set(who, shortened(line));
    return item;
  }
}

/** Without what is gone, once that is as much as what is left. */
function shortened<Item>(line: Line<Item>): Line<Item> {
  if (line.from * 2 < line.items.length) return line;
  return { items: line.items.slice(line.from), from: 0 };
}
