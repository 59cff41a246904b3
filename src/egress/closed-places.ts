// Blocks access to Tocsin itself (its listeners, database and proxy) from checks, webhooks and scripts, regardless of
// the egress policy.
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { hostAndPort } from '#lib/net/host-and-port.ts';
import { addressClass, plainAddress } from './address-class.ts';
import type { ResolveName } from './resolve-name.ts';

/** A server of this installation. */
export interface Place {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly owner: PlaceOwner;
  /** Closed by name only, because other sites may share its addresses, for example behind a reverse proxy. */
  readonly isNameOnly?: boolean;
}

type PlaceOwner = 'tocsin' | 'database' | 'proxy';

/** Shared memory with the list of places: one thread writes, and every guard sees the change at once (docs/decisions/0027). */
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
function readerOf(board: PlaceBoard): () => readonly Place[] {
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

/** Checks hosts against the closed places. */
export interface ClosedPlaces {
  /** Whether any closed place uses this port. If not, no lookup is needed. */
  has(port: number): boolean;
  /** Resolves the names of places with this port. Never rejects. */
  refresh(port: number): Promise<void>;
  /** Checks a name or address against the last lookup. Returns the reason if it is closed, or null. */
  judge(host: string, port: number): string | null;
}

const descriptions: Readonly<Record<PlaceOwner, string>> = {
  tocsin: 'Tocsin itself',
  database: "Tocsin's own database",
  proxy: "Tocsin's own proxy",
};

/** Creates the check for a board. null closes nothing. */
export function createClosedPlaces(board: PlaceBoard | null, resolveName: ResolveName): ClosedPlaces {
  const places = board === null ? () => [] : readerOf(board);
  const addresses = new Map<string, readonly string[]>();
  const withPort = (port: number): readonly Place[] => places().filter((place) => place.port === port);
  return {
    has: (port) => places().some((place) => place.port === port),
    async refresh(port) {
      const names = withPort(port).filter(({ host, isNameOnly }) => isIP(host) === 0 && isNameOnly !== true);
      const refreshOne = async ({ host }: Place): Promise<void> => {
        const found = await resolveName(host, 0).catch(() => null);
        if (found === null) addresses.delete(host);
        else addresses.set(host, found);
      };
      await Promise.all(names.map(refreshOne));
    },
    judge: (host, port) => {
      const candidates = withPort(port);
      if (candidates.length === 0) return null;
      const shown = hostAndPort(host, port);
      if (isIP(host) === 0) {
        const named = candidates.find((place) => plainName(place.host) === plainName(host));
        return named === undefined ? null : refusalOf(shown, named.owner);
      }
      return judgeAddress(host, shown, candidates, addresses);
    },
  };
}

function judgeAddress(
  address: string,
  shown: string,
  places: readonly Place[],
  addresses: ReadonlyMap<string, readonly string[]>,
): string | null {
  const own = ownAddresses();
  // A server that listens on one local address usually listens on the others.
  const whereIs = (each: string): string => {
    const plain = plainAddress(each) ?? each;
    return own.has(plain) || addressClass(plain) === 'local' ? 'here' : plain;
  };
  const target = whereIs(address);
  for (const { host, owner, isNameOnly } of places) {
    const found = isIP(host) > 0 ? [host] : isNameOnly === true ? [] : addresses.get(host);
    if (found === undefined) {
      return `${shown} may be ${descriptions[owner]}: ${host} cannot currently be resolved`;
    }
    if (found.some((each) => whereIs(each) === target)) return refusalOf(shown, owner);
  }
  return null;
}

function refusalOf(shown: string, owner: PlaceOwner): string {
  const advice = owner === 'tocsin' ? '; use another Tocsin to monitor this one' : '';
  return `${shown} is ${descriptions[owner]}, which checks, webhooks and scripts cannot reach under any setting${advice}`;
}

/** All addresses of this machine, normalized. */
function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // The unspecified address connects to loopback.
  return new Set(['0.0.0.0', '::', ...all.map(({ address }) => plainAddress(address) ?? address)]);
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
