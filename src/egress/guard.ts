// The egress guard for checks and webhooks (decisions: Where requests may go; docs/decisions/0027).
import { isIP } from 'node:net';
import type { ConnectionGuard, Tunnel } from '#lib/net/guarded.ts';
import { addressClass, networkList, plainAddress, type Cidr } from './address-class.ts';
import { type ClosedPlaces, createClosedPlaces, type PlaceBoard } from './closed-places.ts';
import { type Proxy, tunnelThrough } from './proxy.ts';
import { createNames, type NameSources, type ResolveName } from './resolve-name.ts';

/** `public` · `private` = public and private · `any` = also loopback. Forbidden networks stay forbidden. */
export type EgressMode = 'public' | 'private' | 'any';

/** Egress policy and name sources. */
export interface EgressPolicy {
  readonly mode: EgressMode;
  /** Networks that are always allowed. */
  readonly allow: readonly Cidr[];
  readonly names?: NameSources;
  /** Proxy that makes and checks all connections, or null. */
  readonly proxy?: Proxy | null;
  /** Tocsin's own places, always refused. */
  readonly closed?: PlaceBoard;
}

/** Checks every address and port before a connection. */
export interface Guard extends ConnectionGuard {
  /** The machine's current name servers, as `address` or `address:port`. */
  nameServers(): readonly string[];
  /** Whether no name server of this machine answers, which explains a failed lookup of this name. Takes up to 3 s. */
  isResolverDown(hostname: string): Promise<boolean>;
  /** Connects through the proxy, if one is configured. Refuses Tocsin's own places. */
  readonly tunnel: Tunnel | null;
}

const words = { public: 'public', private: 'private', local: 'loopback', forbidden: 'reserved' } as const;
const remedies = {
  public: 'nothing more is needed',
  private: 'TOCSIN_EGRESS=private would allow it, or its network in TOCSIN_EGRESS_ALLOW',
  local: 'TOCSIN_EGRESS=any would allow it, or its network in TOCSIN_EGRESS_ALLOW',
  forbidden: 'to allow it, add its network to TOCSIN_EGRESS_ALLOW',
} as const;
const allowed = {
  public: new Set(['public']),
  private: new Set(['public', 'private']),
  any: new Set(['public', 'private', 'local']),
} as const;

/** Few addresses make up most requests. */
const rememberedAddresses = 10_000;

/**
 * Creates a guard. It refuses what it cannot parse.
 * @param onResolverChange called when the name servers stop answering, and when one answers again
 */
export function createGuard(policy: EgressPolicy, onResolverChange?: (isDown: boolean) => void): Guard {
  const exceptions = networkList(policy.allow);
  const names = createNames(policy.names ?? {}, onResolverChange);
  const resolveName = names.resolve;
  const classes: ReadonlySet<string> = allowed[policy.mode];

  const closed = createClosedPlaces(policy.closed ?? null, resolveName);

  const judged = new Map<string, string | null>();
  const hasProxy = policy.proxy !== undefined && policy.proxy !== null;
  const judgeByPolicy = (address: string): string | null => {
    const known = judged.get(address);
    if (known !== undefined) return known;
    if (judged.size >= rememberedAddresses) judged.clear();
    const refusal = judgeAnew(address);
    judged.set(address, refusal);
    return refusal;
  };
  const judgeAnew = (address: string): string | null => {
    const plain = plainAddress(address);
    if (plain === null) return `"${address}" is not an IP address`;
    const name = addressClass(plain);
    if (classes.has(name) || exceptions.holds(plain)) return null;
    return `${plain} is a ${words[name]} address; ${remedies[name]}`;
  };
  const judge = (address: string, port: number | null): string | null => {
    if (hasProxy) return null;
    return judgeByPolicy(address) ?? (port === null ? null : closed.judge(address, port));
  };

  const resolve = async (hostname: string, family: 0 | 4 | 6, port: number | null): Promise<readonly string[]> => {
    if (port !== null && closed.has(port)) await closed.refresh(port);
    const named = port === null || hasProxy || isIP(hostname) > 0 ? null : closed.judge(hostname, port);
    if (named !== null) throw coded('EGRESS_REFUSED', named);
    const addresses = isIP(hostname) > 0 ? [hostname] : await resolveName(hostname, family);
    for (const address of addresses) {
      const refusal = judge(address, port);
      if (refusal !== null) throw coded('EGRESS_REFUSED', hostname === address ? refusal : `${hostname}: ${refusal}`);
    }
    if (addresses.length === 0) throw coded('ENODATA', `${hostname} has no address of this family`);
    return addresses;
  };

  return {
    tunnel: policy.proxy ? closingTunnel(tunnelThrough(policy.proxy), closed, resolveName) : null,
    judge,
    nameServers: names.servers,
    isResolverDown: names.isResolverDown,
    resolve,
  };
}

/** A tunnel that refuses closed places, as far as names resolve here. The proxy may resolve them differently. */
function closingTunnel(tunnel: Tunnel, closed: ClosedPlaces, resolveName: ResolveName): Tunnel {
  const refusalOf = async (host: string, port: number): Promise<string | null> => {
    await closed.refresh(port);
    const addresses = isIP(host) > 0 ? [] : await resolveName(host, 0).catch(() => []);
    const refusals = [host, ...addresses].map((each) => closed.judge(each, port));
    return refusals.find((each) => each !== null) ?? null;
  };
  return (target, settle) => {
    if (!closed.has(target.port)) return tunnel(target, settle);
    let isOver = false;
    let giveUp = (): void => {};
    void refusalOf(target.host, target.port).then((refusal) => {
      if (isOver) return;
      if (refusal !== null) settle(coded('EGRESS_REFUSED', refusal), null);
      else giveUp = tunnel(target, settle);
    });
    return () => {
      isOver = true;
      giveUp();
    };
  };
}

function coded(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}
