// The list of places that belong to Tocsin itself, in memory that all threads of this process share: one thread writes it, and
// every guard sees the change at once (docs/decisions/0027).

/** A server that belongs to this installation. */
export interface Place {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly owner: PlaceOwner;
  /** Closed by this name alone, because other sites may share its addresses, as behind a reverse proxy. */
  readonly isNameOnly?: boolean;
}

export type PlaceOwner = 'tocsin' | 'database' | 'proxy';

/** Shared memory that holds the list. */
export type PlaceBoard = SharedArrayBuffer;

const capacityBytes = 256 * 1024;
const headerBytes = 8;

/** Makes a board that holds these places. */
export function createPlaceBoard(places: readonly Place[]): PlaceBoard {
  const board = new SharedArrayBuffer(headerBytes + capacityBytes);
  writePlaces(board, places);
  return board;
}

/** Replaces the list. Only the thread that made the board may call it. The last places go if the board is full. */
export function writePlaces(board: PlaceBoard, places: readonly Place[]): void {
  const header = new Int32Array(board, 0, 2);
  let list = places;
  let bytes = Buffer.from(JSON.stringify(list));
  while (bytes.length > capacityBytes) {
    list = list.slice(0, Math.floor(list.length * 0.9));
    bytes = Buffer.from(JSON.stringify(list));
  }
  // The version is odd while the list is being written.
  Atomics.add(header, 0, 1);
  new Uint8Array(board, headerBytes).set(bytes);
  Atomics.store(header, 1, bytes.length);
  Atomics.add(header, 0, 1);
}

/** Answers the current list; parses it only when it has changed since the last call. */
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
