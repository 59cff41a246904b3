// What was made of rows when a list was read last: a row that still says the same is not made into an object again.

/** The items of lists that were read last, by the texts of their rows; the least recently read list goes first. */
export interface LastRead<Item> {
  /** Begins a reading of the list of an account. */
  begin(accountId: string): Reading<Item>;
}

/** One reading of a list from its beginning to its end. */
export interface Reading<Item> {
  /** What the text of a row stands for: the object of an earlier reading if the text is the same. */
  item(text: string): Item;
  /** What was read is what the next reading knows. */
  end(): void;
}

interface Known<Item> {
  readonly text: string;
  readonly item: Item;
}

/**
 * Texts begin with the key of their row, which has `keyLength` characters and is no other row's. `itemsMost` bounds the
 * items that are kept of all lists together; a longer list is not kept at all.
 */
export function createLastRead<Item>(
  itemOf: (text: string) => Item,
  { keyLength, itemsMost }: { readonly keyLength: number; readonly itemsMost: number },
): LastRead<Item> {
  // In the order in which they were read.
  const lists = new Map<string, ReadonlyMap<string, Known<Item>>>();
  let kept = 0;
  const forget = (accountId: string): void => {
    kept -= lists.get(accountId)?.size ?? 0;
    lists.delete(accountId);
  };
  const keep = (accountId: string, list: ReadonlyMap<string, Known<Item>>): void => {
    forget(accountId);
    if (list.size === 0 || list.size > itemsMost) return;
    lists.set(accountId, list);
    kept += list.size;
    for (const oldest of lists.keys()) {
      if (kept <= itemsMost) break;
      forget(oldest);
    }
  };
  return {
    begin(accountId) {
      const before = lists.get(accountId);
      const list = new Map<string, Known<Item>>();
      return {
        item(text) {
          const key = text.slice(0, keyLength);
          const known = before?.get(key);
          // The texts are compared in full: nothing has to be known of who changes what.
          const now = known?.text === text ? known : { text, item: itemOf(text) };
          list.set(key, now);
          return now.item;
        },
        end: () => keep(accountId, list),
      };
    },
  };
}
