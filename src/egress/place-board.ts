// Tocsin's own places, in memory shared by all threads. One thread writes, and every guard sees the change at once
// (docs/decisions/0027).

/** A server of this installation. */
export interface Place {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly owner: PlaceOwner;
  /** Closed by name only, because other sites may share its addresses, for example behind a reverse proxy. */
  readonly isNameOnly?: boolean;
}

export type PlaceOwner = 'tocsin' | 'database' | 'proxy';

/** Shared memory with the list of places. */
export type PlaceBoard = SharedArrayBuffer;

const capacityBytes = 256 * 1024;
const headerBytes = 8;

export function createPlaceBoard(places: readonly Place[]): PlaceBoard {
  const board = new SharedArrayBuffer(headerBytes + capacityBytes);
  writePlaces(board, places);
  return board;
}

/**
 * Replaces the list. Only the thread that created the board may call it. If the board is full, the last places are
 * dropped.
 */
export function writePlaces(board: PlaceBoard, places: readonly Place[]): void {
  const header = new Int32Array(board, 0, 2);
  let list = places;
  let bytes = Buffer.from(JSON.stringify(list));
  while (bytes.length > capacityBytes) {
    list = list.slice(0, Math.floor(list.length * 0.9));
    bytes = Buffer.from(JSON.stringify(list));
  }
  // An odd version means a write is in progress.
  Atomics.add(header, 0, 1);
  new Uint8Array(board, headerBytes).set(bytes);
  Atomics.store(header, 1, bytes.length);
  Atomics.add(header, 0, 1);
}

/** Returns a reader of the current list. It parses the list only after a change. */
export function readerOf(board: PlaceBoard): () => readonly Place[] {
  const header = new Int32Array(board, 0, 2);
  const bytes = new Uint8Array(board, headerBytes);
  let known = -1;
  let places: readonly Place[] = [];
  return () => {
    for (let version = Atomics.load(header, 0); version !== known; version = Atomics.load(header, 0)) {
      if (version % 2 !== 0) continue;
      const text = Buffer.from(bytes.slice(0, Atomics.load(header, 1))).toString();
      if (Atomics.load(header, 0) !== version) continue;
      places = JSON.parse(text) as readonly Place[];
      known = version;
    }
    return places;
  };
}
