// Shares the places for connections, so that no client takes those of the others (docs/decisions/0132).
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { countedAddress } from './rate-limit.ts';

/** Limits of a listener. */
export interface ConnectionLimits {
  /** Maximum number of connections. */
  readonly max: number;
  /** Called for each connection that is refused or closed although it may carry a ping. */
  readonly onRefused?: () => void;
  /** Networks whose connections carry requests of many clients. This machine is always one of them. */
  readonly proxies?: readonly string[];
  /** How long a new connection may take to send its request before it counts as idle, ms. */
  readonly freshMs?: number;
}

/** Connections of a listener. */
export type Connections = ReturnType<typeof shareConnections>;

const freshMs = 1000;

/** Maximum number of addresses that are known to send pings; beyond it, every address may be one. */
const maxPinging = 10_000;

interface ConnectionSlot {
  readonly socket: Socket;
  /** The network that it counts for, and its parts, the smallest last. */
  readonly networks: readonly string[];
  readonly isProxy: boolean;
  /** Requests in progress. */
  requests: number;
  isPing: boolean;
  isRecognized: boolean;
  /** When it was opened or its last request began or ended, on the clock of `performance.now()`. */
  since: number;
}

/** Connections of a network, those that changed longest ago first. */
interface Group {
  /** Without a request in progress; closed first. */
  readonly idle: Set<ConnectionSlot>;
  readonly busy: Set<ConnectionSlot>;
  /** With an authenticated request, or a ping in progress. */
  readonly reserved: Set<ConnectionSlot>;
}

/** Share of all places by network: addresses and /64, /56, /48 of IPv6. */
const shares = { address: 1 / 4, site: 3 / 8, provider: 1 / 2 } as const;
/** Share of the places that only pings and authenticated requests may use. */
const reservedShare = 1 / 8;

/** Limits the connections of a server from now on. */
export function shareConnections(server: Server, limits: ConnectionLimits) {
  const table = new PlaceTable(limits);
  const places = new WeakMap<Socket, ConnectionSlot>();
  server.on('connection', (socket: Socket) => {
    const place = table.open(socket);
    if (place === null) return;
    places.set(socket, place);
    socket.once('close', () => table.close(place));
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const place = places.get(request.socket);
    if (place === undefined) return;
    const isPing = request.url?.startsWith('/ping/') === true;
    table.begin(place, isPing);
    response.once('close', () => table.end(place, isPing && response.statusCode < 300));
  });
  return {
    /** Marks the connection of an authenticated request. Such connections have reserved places. */
    recognize(socket: Socket): void {
      const place = places.get(socket);
      if (place !== undefined) table.recognize(place);
    },
  };
}

class PlaceTable {
  readonly #limits: ConnectionLimits;
  readonly #proxies = new BlockList();
  /** By the largest network, between which places are shared. */
  readonly #groups = new Map<string, Group>();
  readonly #counts = new Map<string, number>();
  readonly #open = new Set<ConnectionSlot>();
  /** Addresses that sent pings. */
  readonly #pinging = new Set<string>();
  #reserved = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    for (const network of ['127.0.0.1/32', '::1/128', ...(limits.proxies ?? [])]) {
      const [address = '', prefix] = network.split('/');
      this.#proxies.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4');
    }
  }

  /** null = the connection is refused. */
  open(socket: Socket): ConnectionSlot | null {
    const address = plainAddress(socket.remoteAddress ?? '');
    const isProxy = address !== '' && this.#proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
    const place: ConnectionSlot = {
      socket,
      networks: networksOf(address),
      isProxy,
      requests: 0,
      isPing: false,
      isRecognized: false,
      since: performance.now(),
    };
    if (this.#makeRoom(place)) {
      this.#open.add(place);
      for (const network of place.networks) this.#counts.set(network, (this.#counts.get(network) ?? 0) + 1);
      this.#setOf(place).add(place);
      return place;
    }
    this.#refuse(place);
    socket.destroy();
    return null;
  }

  begin(place: ConnectionSlot, isPing: boolean): void {
    this.#move(place, () => {
      place.requests++;
      place.isPing = isPing;
    });
  }

  /** @param isPinged a ping was accepted */
  end(place: ConnectionSlot, isPinged: boolean): void {
    if (isPinged && this.#pinging.size < maxPinging) this.#pinging.add(addressOf(place));
    this.#move(place, () => {
      place.requests--;
      place.isPing &&= place.requests > 0;
    });
  }

  recognize(place: ConnectionSlot): void {
    if (!place.isRecognized) this.#move(place, () => (place.isRecognized = true));
  }

  close(place: ConnectionSlot): void {
    if (!this.#open.delete(place)) return;
    this.#takeOut(place);
    for (const network of place.networks) {
      const count = (this.#counts.get(network) ?? 1) - 1;
      if (count > 0) this.#counts.set(network, count);
      else this.#counts.delete(network);
    }
  }

  #move(place: ConnectionSlot, change: () => void): void {
    if (!this.#open.has(place)) return;
    this.#takeOut(place);
    change();
    place.since = performance.now();
    this.#setOf(place).add(place);
  }

  #takeOut(place: ConnectionSlot): void {
    const [network = ''] = place.networks;
    const group = this.#groups.get(network);
    if (group === undefined) return;
    if (group.reserved.delete(place)) this.#reserved--;
    else if (!group.idle.delete(place)) group.busy.delete(place);
    if (sizeOf(group) === 0) this.#groups.delete(network);
  }

  /** Where a connection belongs. It must be added there. */
  #setOf(place: ConnectionSlot): Set<ConnectionSlot> {
    const [network = ''] = place.networks;
    let group = this.#groups.get(network);
    if (group === undefined) {
      group = { idle: new Set(), busy: new Set(), reserved: new Set() };
      this.#groups.set(network, group);
    }
    if (place.isRecognized || place.isPing) {
      this.#reserved++;
      return group.reserved;
    }
    return place.requests === 0 ? group.idle : group.busy;
  }

  /** Closes connections until there is a place for a new one; false = none can be closed. */
  #makeRoom(place: ConnectionSlot): boolean {
    const { max } = this.#limits;
    const [network = ''] = place.networks;
    if (!place.isProxy) {
      const full = place.networks.find((one, at) => (this.#counts.get(one) ?? 0) >= this.#shareOf(place, at));
      const own = this.#groups.get(network);
      if (
        full !== undefined &&
        own !== undefined &&
        !this.#closeOne(own, (one) => one.networks.includes(full), false)
      ) {
        return false;
      }
    }
    const isFull = this.#open.size >= max;
    const ordinary = max - Math.floor(max * reservedShare);
    if (!isFull && this.#open.size - this.#reserved < ordinary) return true;
    return (
      this.#closeOneOf(
        this.#largest(({ idle, busy }) => idle.size + busy.size),
        network,
      ) ||
      (isFull && this.#closeOneOf(this.#largest(sizeOf), network))
    );
  }

  #largest(size: (group: Group) => number): Group | undefined {
    let largest: Group | undefined;
    for (const group of this.#groups.values())
      if (largest === undefined || size(group) > size(largest)) largest = group;
    return largest;
  }

  #closeOneOf(group: Group | undefined, network: string): boolean {
    return group !== undefined && this.#closeOne(group, () => true, group !== this.#groups.get(network));
  }

  /** Tells of a connection that may have carried a ping. One of an address that never sent one does not. */
  #refuse(place: ConnectionSlot): void {
    if (this.#pinging.size === maxPinging || this.#pinging.has(addressOf(place))) this.#limits.onRefused?.();
  }

  #shareOf({ networks }: ConnectionSlot, at: number): number {
    const { max } = this.#limits;
    const parts = networks.length === 1 ? [shares.address] : [shares.provider, shares.site, shares.address];
    return Math.max(1, Math.floor(max * (parts[at] ?? 1)));
  }

  /** @param withFresh also a connection that has had no time to send its request */
  #closeOne(group: Group, mayClose: (place: ConnectionSlot) => boolean, withFresh: boolean): boolean {
    const now = performance.now();
    const fresh = this.#limits.freshMs ?? freshMs;
    const first = (
      places: Iterable<ConnectionSlot>,
      fits: (place: ConnectionSlot) => boolean,
    ): ConnectionSlot | undefined => {
      for (const place of places) if (mayClose(place) && fits(place)) return place;
      return undefined;
    };
    const victim =
      first(group.idle, ({ since }) => now - since >= fresh) ??
      first(group.reserved, ({ requests, since }) => requests === 0 && now - since >= fresh) ??
      first(group.busy, () => true) ??
      first(group.reserved, ({ isRecognized, since }) => !isRecognized && now - since >= fresh) ??
      (withFresh
        ? (first(group.idle, () => true) ?? first(group.reserved, ({ isRecognized }) => !isRecognized))
        : undefined);
    if (victim === undefined) return false;
    // A client sends its ping at once.
    if (victim.isPing || (victim.requests === 0 && now - victim.since < fresh)) this.#refuse(victim);
    this.close(victim);
    victim.socket.destroy();
    return true;
  }
}

/** The smallest network of a connection. */
function addressOf({ networks }: ConnectionSlot): string {
  return networks.at(-1) ?? '';
}

function sizeOf({ idle, busy, reserved }: Group): number {
  return idle.size + busy.size + reserved.size;
}

/** IPv4 addresses of a listener for both families without their prefix. */
function plainAddress(address: string): string {
  return /^::ffff:[\d.]+$/i.test(address) ? address.slice(7) : address;
}

/** The networks of an address, the largest first: itself for IPv4, /48, /56 and /64 for IPv6. */
export function networksOf(address: string): readonly string[] {
  const network = countedAddress(address);
  if (!isIPv6(address)) return [network];
  const [a = '0', b = '0', c = '0', d = '0'] = network.split(':');
  const provider = `${a}:${b}:${c}`;
  return [`${provider}/48`, `${provider}:${Number.parseInt(d, 16) >> 8}/56`, `${network}/64`];
}
