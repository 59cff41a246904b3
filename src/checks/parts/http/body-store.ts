// Collects the stored part of a body in few buffers, within the account's memory limit.

/** Memory limit for bodies being read, per account. */
export interface ByteBudget {
  /** Reserves bytes if the limit allows it, until they are released. */
  take(accountId: string, bytes: number): boolean;
  giveBack(accountId: string, bytes: number): void;
}

/** Small chunks are merged into pages that grow up to this size. */
const maxPage = 64 * 1024;
const leastPage = 4 * 1024;

/** The stored part of one body. */
export class BodyStore {
  /** In order. */
  readonly pieces: Buffer[] = [];
  /** Whether the body exceeded the limit. */
  isPart = false;
  /** Whether the account's memory limit was reached. */
  isRefused = false;
  readonly #most: number;
  readonly #budget: { readonly accountId: string; readonly bytes: ByteBudget } | null;
  #kept = 0;
  #held = 0;
  #page: Buffer | null = null;
  #used = 0;

  /** @param most maximum bytes; more is dropped */
  constructor(max: number, budget: { readonly accountId: string; readonly bytes: ByteBudget } | null = null) {
    this.#most = max;
    this.#budget = budget;
  }

  add(chunk: Buffer): void {
    const wanted = chunk.subarray(0, this.#most - this.#kept);
    if (wanted.length < chunk.length) this.isPart = true;
    if (wanted.length === 0 || this.isRefused) return;
    this.#kept += wanted.length;
    // A small view would keep its large buffer alive.
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
        const size = Math.min(maxPage, Math.max(leastPage, this.#kept, chunk.length - from));
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

  end(): void {
    this.#closePage();
  }

  /** Releases the memory. */
  release(): void {
    this.#budget?.bytes.giveBack(this.#budget.accountId, this.#held);
    this.#held = 0;
    this.pieces.length = 0;
    this.#page = null;
  }
}

/** Memory limits in bytes, for all accounts and for one. */
const maxBytesOfAll = 96 * 1024 * 1024;
export const maxBytesOfOne = 32 * 1024 * 1024;
/** Guaranteed bytes per account. */
const sureOfOne = 8 * 1024 * 1024;

/** Creates the memory limit of a thread. */
export function createByteBudget(): ByteBudget {
  const bytesOf = new Map<string, number>();
  let all = 0;
  return {
    take(accountId, bytes) {
      const own = (bytesOf.get(accountId) ?? 0) + bytes;
      if (own > maxBytesOfOne || (own > sureOfOne && all + bytes > maxBytesOfAll)) return false;
      bytesOf.set(accountId, own);
      all += bytes;
      return true;
    },
    giveBack(accountId, bytes) {
      const own = (bytesOf.get(accountId) ?? 0) - bytes;
      if (own > 0) bytesOf.set(accountId, own);
      else bytesOf.delete(accountId);
      all -= bytes;
    },
  };
}
