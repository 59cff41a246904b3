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

  /** Removes and returns the next item of an owner that may be served; undefined if none waits. */
  next(mayServe: (who: string) => boolean = () => true): Item | undefined {
    let chosen: [who: string, line: Line<Item>] | undefined;
    for (const entry of this.#lines) {
      if (!mayServe(entry[0])) continue;
      chosen ??= entry;
      if (entry[0] === this.#last) continue;
      chosen = entry;
      break;
    }
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

/** Sizes of work up to this are small, bytes or characters. */
const smallSize = 32 * 1024;

/** Resolves when work of this owner and size may be done; null = at once. */
export type EnterQueue = (who: string, size: number) => Promise<void> | null;

/** Creates turns: large pieces of work are done one per turn of the event loop, owners in turn. */
export function createFairQueue(): EnterQueue {
  const waiting = new FairQueue<() => void>();
  let isPlanned = false;
  const next = (): void => {
    waiting.next()?.();
    isPlanned = waiting.size > 0;
    if (isPlanned) setImmediate(next);
  };
  return (who, size) => {
    if (size <= smallSize) return null;
    return new Promise((resolve) => {
      waiting.add(who, resolve);
      if (isPlanned) return;
      isPlanned = true;
      setImmediate(next);
    });
  };
}
