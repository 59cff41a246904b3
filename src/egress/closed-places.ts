// Places that no script may reach, whatever the egress policy says: the servers of our own database.
import { type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressClass, plainAddress } from './address-class.ts';
import type { Guard } from './guard.ts';
import { createResolveName, type NameSources } from './resolve-name.ts';

/** A server: its name or address, and its port. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Closes places to those who connect through a gateway. */
export interface ClosedPlaces {
  /**
   * A guard that refuses them as well, by what they are called and where that leads at this moment; whoever has a proxy still has
   * to ask `judgeName`. null = none of them has this port, and the guard as it is will do.
   */
  closing(guard: Guard, port: number): Promise<ClosingGuard> | null;
}

/** Judges by the policy and by what is closed. */
export interface ClosingGuard extends Guard {
  /** Judges a host that a proxy is to look up, by where its name leads from here; null = it may. */
  judgeName(host: string): Promise<string | null>;
}

/** null = it is none of them; otherwise a sentence. */
type Judge = (host: string) => string | null;

/** Remembers them; names are looked up when somebody wants to connect to such a port. */
export function createClosedPlaces(places: readonly Place[], names: NameSources = {}): ClosedPlaces {
  const resolveName = createResolveName(names);
  const addressesOf = async (host: string): Promise<readonly string[] | null> => {
    if (isIP(host) > 0) return [host];
    return resolveName(host, 0).catch(() => null);
  };
  return {
    closing: (guard, port) => {
      const hosts = places.filter((place) => place.port === port).map(({ host }) => host);
      if (hosts.length === 0) return null;
      return Promise.all(hosts.map(addressesOf)).then((found) => closingGuard(guard, judgeOf(hosts, found, port)));
    },
  };
}

function judgeOf(hosts: readonly string[], found: readonly (readonly string[] | null)[], port: number): Judge {
  const ours = ownAddresses();
  // A server that listens on one address of this machine mostly listens on the others.
  const whereIs = (address: string): string => {
    const plain = plainAddress(address) ?? address;
    return ours.has(plain) || addressClass(plain) === 'local' ? 'here' : plain;
  };
  const closed = new Set(found.flatMap((addresses) => addresses ?? []).map(whereIs));
  const names = new Set(hosts.map(plainName));
  const isLost = found.includes(null);
  return (host) => {
    const shown = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const isAddress = isIP(host) > 0;
    if (isAddress ? closed.has(whereIs(host)) : names.has(plainName(host))) {
      return `${shown} is the database of Tocsin itself, which no script may reach; no setting would allow it`;
    }
    if (!isAddress || !isLost) return null;
    return `${shown} could be the database of Tocsin itself, whose name cannot be looked up just now`;
  };
}

function closingGuard(guard: Guard, judge: Judge): ClosingGuard {
  const judgeAll = (hosts: readonly string[]): string | null =>
    hosts.map(judge).find((refused) => refused !== null) ?? null;
  return {
    ...guard,
    judge: (address) => guard.judge(address) ?? judge(address),
    lookup: (hostname, options, callback) => {
      guard.lookup(hostname, options, (error, found, family) => {
        const addresses = typeof found === 'string' ? [found] : found.map(({ address }: LookupAddress) => address);
        const refused = error === null ? judgeAll([hostname, ...addresses]) : null;
        if (refused === null) callback(error, found, family);
        else callback(Object.assign(new Error(`${hostname}: ${refused}`), { code: 'EGRESS_REFUSED' }), '');
      });
    },
    judgeName: async (host) => {
      const addresses = isIP(host) > 0 ? [] : await guard.resolve(host, 0).catch(() => []);
      return judgeAll([host, ...addresses]);
    },
  };
}

/** Every address by which this machine is reached from itself, in its plain spelling. */
function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // Connecting to the unspecified address leads to loopback.
  return new Set(['0.0.0.0', '::', ...all.map(({ address }) => plainAddress(address) ?? address)]);
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
