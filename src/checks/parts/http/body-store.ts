// The part of a body that is kept while it comes, in few pieces and within what its account may hold at once.

/** How much of the bodies that are read at one time an account holds. */
export interface ByteBudget {
  /** Whether so many bytes more may be held: then they count until they are given back. */
  take(accountId: string, bytes: number): boolean;
  giveBack(accountId: string, bytes: number): void;
}

/** Small chunks are gathered in pages that grow with the body up to this, bytes. */
const mostPage = 64 * 1024;
const leastPage = 4 * 1024;

/** What is kept of one body. */
export class BodyStore {
  /** In their order. */
  readonly pieces: Buffer[] = [];
  /** There was more than was to be kept. */
  isPart = false;
  /** The account already held as many bytes as it may. */
  isRefused = false;
  readonly #most: number;
  readonly #budget: { readonly accountId: string; readonly bytes: ByteBudget } | null;
  #kept = 0;
  #held = 0;
  #page: Buffer | null = null;
  #used = 0;

  /** @param most bytes that are kept; more is passed over */
  constructor(most: number, budget: { readonly accountId: string; readonly bytes: ByteBudget } | null = null) {
    this.#most = most;
    this.#budget = budget;
  }

  add(chunk: Buffer): void {
    const wanted = chunk.subarray(0, this.#most - this.#kept);
    if (wanted.length < chunk.length) this.isPart = true;
    if (wanted.length === 0 || this.isRefused) return;
    this.#kept += wanted.length;
    // A chunk may be a small view of a large buffer, which it would keep alive.
    if (wanted.length * 2 > wanted.buffer.byteLength) this.#addWhole(wanted);
    else this.#copy(wanted);
  }

  #addWhole(chunk: Buffer): void {
    if (!this.#take(chunk.buffer.byteLength)) return;
    this.#closePage();
    this.pieces.push(chunk);
  }

  #copy(chunk: Buffer): void {
    for (let from = 0; from < chunk.length;) {
      if (this.#page === null || this.#used === this.#page.length) {
        const size = Math.min(mostPage, Math.max(leastPage, this.#kept, chunk.length - from));
        if (!this.#take(size)) return;
        this.#closePage();
        this.#page = Buffer.allocUnsafeSlow(size);
      }
      const copied = chunk.copy(this.#page, this.#used, from);
      this.#used += copied;
      from += copied;
    }
  }

  #closePage(): void {
    if (this.#page !== null) this.pieces.push(this.#page.subarray(0, this.#used));
    this.#page = null;
    this.#used = 0;
  }

  #take(bytes: number): boolean {
    if (this.#budget?.bytes.take(this.#budget.accountId, bytes) === false) {
      this.isRefused = true;
      return false;
    }
    this.#held += bytes;
    return true;
  }

  /** Nothing more comes. */
  end(): void {
    this.#closePage();
  }

  /** Lets go of what is kept. */
  release(): void {
    this.#budget?.bytes.giveBack(this.#budget.accountId, this.#held);
    this.#held = 0;
    this.pieces.length = 0;
    this.#page = null;
  }
}

/** What the bodies of all accounts may hold together, and one of them, bytes. */
const mostOfAll = 96 * 1024 * 1024;
export const mostOfOne = 32 * 1024 * 1024;
/** So much an account has whatever the others hold, bytes. */
const sureOfOne = 8 * 1024 * 1024;

/** The budget of a thread. */
export function createByteBudget(): ByteBudget {
  const heldBy = new Map<string, number>();
  let all = 0;
  return {
    take(accountId, bytes) {
      const own = (heldBy.get(accountId) ?? 0) + bytes;
      if (own > mostOfOne || (own > sureOfOne && all + bytes > mostOfAll)) return false;
      heldBy.set(accountId, own);
      all += bytes;
      return true;
    },
    giveBack(accountId, bytes) {
      const own = (heldBy.get(accountId) ?? 0) - bytes;
      if (own > 0) heldBy.set(accountId, own);
      else heldBy.delete(accountId);
      all -= bytes;
    },
  };
}
