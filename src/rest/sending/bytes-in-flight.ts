// Budget of the bytes in memory between a request's body and the end of its response (docs/decisions/0131).

/** Bytes that owners of one kind may hold at the same time. */
export interface BytesAllowed {
  /** Of one owner. */
  readonly each: number;
  /** Of all owners. */
  readonly all: number;
  /** Further bytes, only for owners that hold none. */
  readonly spare: number;
}

/** Bytes held for one request. */
export interface Reservation {
  /**
   * Sets the size that became known, without waiting. Larger than before is allowed, because the bytes exist already.
   */
  set(bytes: number): void;
  /** Waits until at least that many bytes are held; null = at once. Throws `NoBytes` after some time. */
  grow(bytes: number): Promise<void> | null;
  /** Gives everything back. Calling it again has no effect. */
  release(): void;
}

/** No bytes became free in time. */
export class NoBytes extends Error {
  override readonly name = 'NoBytes';
  /** Whether the owner holds too much itself; otherwise all owners together do. */
  readonly isOwn: boolean;

  constructor(isOwn: boolean) {
    super('no bytes became free in time');
    this.isOwn = isOwn;
  }
}

/** Hands out bytes. */
export interface BytesInFlight {
  /** Sum of all reservations. */
  readonly held: number;
  /** Waits for its turn if necessary; throws `NoBytes` after some time. 0 bytes are always granted. */
  reserve(owner: string, bytes: number): Reservation | Promise<Reservation>;
}

/** How long a request waits, ms. */
const waitMs = 2000;
/** Maximum number of waiting requests of an owner; further ones are refused at once. */
const maxWaiting = 100;

interface Waiting {
  readonly more: number;
  /** Bytes that the request holds already. */
  readonly holds: number;
  readonly grant: () => void;
}

/** Creates a budget in which nobody holds anything. @param howLongMs how long a request waits */
export function createBytesInFlight(allowed: BytesAllowed, howLongMs = waitMs): BytesInFlight {
  const budget = new Budget(allowed, howLongMs);
  return {
    get held() {
      return budget.held;
    },
    reserve(owner, bytes) {
      const taken = budget.take(owner, bytes, 0);
      if (taken === null) return reservation(budget, owner, bytes);
      return taken.then(() => reservation(budget, owner, bytes));
    },
  };
}

function reservation(budget: Budget, owner: string, bytes: number): Reservation {
  let own = bytes;
  let isReleased = false;
  const set = (size: number): void => {
    if (isReleased || size === own) return;
    budget.change(owner, size - own);
    own = size;
  };
  return {
    set,
    grow(size) {
      if (isReleased || size <= own) return null;
      const more = size - own;
      const granted = (): void => {
        // The client may have left meanwhile.
        if (isReleased) budget.change(owner, -more);
        else own += more;
      };
      const taken = budget.take(owner, more, own);
      if (taken !== null) return taken.then(granted);
      granted();
      return null;
    },
    release() {
      set(0);
      isReleased = true;
    },
  };
}

class Budget {
  held = 0;
  readonly #allowed: BytesAllowed;
  readonly #howLongMs: number;
  readonly #heldBy = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(allowed: BytesAllowed, howLongMs: number) {
    this.#allowed = allowed;
    this.#howLongMs = howLongMs;
  }

  /** Changes what an owner holds, and grants what fits then. */
  change(owner: string, by: number): void {
    this.held += by;
    const own = this.#ownOf(owner) + by;
    if (own > 0) this.#heldBy.set(owner, own);
    else this.#heldBy.delete(owner);
    if (by < 0) this.#serve();
  }

  /** Takes bytes in addition to those that the request holds; null = at once. Rejects with `NoBytes`. */
  take(owner: string, more: number, holds: number): Promise<void> | null {
    if (more === 0) return null;
    if (!this.#waiting.has(owner) && this.#fits(owner, more, holds)) {
      this.change(owner, more);
      return null;
    }
    const line = this.#waiting.get(owner) ?? [];
    if (line.length >= maxWaiting || holds + more > this.#allowed.each) return Promise.reject(this.#none(owner, more));
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        line.splice(line.indexOf(entry), 1);
        if (line.length === 0) this.#waiting.delete(owner);
        reject(this.#none(owner, more));
        this.#serve();
      };
      const late = setTimeout(giveUp, this.#howLongMs);
      const grant = (): void => {
        clearTimeout(late);
        this.change(owner, more);
        resolve();
      };
      const entry: Waiting = { more, holds, grant };
      line.push(entry);
      this.#waiting.set(owner, line);
    });
  }

  #ownOf(owner: string): number {
    return this.#heldBy.get(owner) ?? 0;
  }

  #none(owner: string, more: number): NoBytes {
    return new NoBytes(this.#ownOf(owner) + more > this.#allowed.each);
  }

  #fits(owner: string, more: number, holds: number): boolean {
    const { each, all, spare } = this.#allowed;
    const own = this.#ownOf(owner);
    return own + more <= each && this.held + more <= (own === holds ? all + spare : all);
  }

  #serve(): void {
    // A copy, because owners are reinserted.
    const owners = Array.from(this.#waiting.keys());
    for (const owner of owners) {
      const line = this.#waiting.get(owner) ?? [];
      const [first] = line;
      if (first === undefined || !this.#fits(owner, first.more, first.holds)) continue;
      line.shift();
      // Reinserting moves the owner behind the others.
      this.#waiting.delete(owner);
      if (line.length > 0) this.#waiting.set(owner, line);
      first.grant();
    }
  }
}
