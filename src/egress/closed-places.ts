// Blocks access to Tocsin itself (its listeners, database and proxy) from checks, webhooks and scripts, regardless of
// the egress policy.
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { hostAndPort } from '#lib/net/host-and-port.ts';
import { addressClass, plainAddress } from './address-class.ts';
import { type Place, type PlaceBoard, type PlaceOwner, readerOf } from './place-board.ts';
import type { ResolveName } from './resolve-name.ts';

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
