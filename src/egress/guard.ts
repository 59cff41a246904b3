// Where requests may go: one guard for checks and webhooks alike (decisions: Where requests may go;
// docs/decisions/0027).
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { addressClass, networkList, plainAddress } from './address-class.ts';
import type { Cidr } from './cidr.ts';
import { type Proxy, type Tunnel, tunnelThrough } from './proxy.ts';
import { createResolveName, type NameSources } from './resolve-name.ts';

/** `public` · `private` = public and private · `any` = loopback too; none of them opens what is forbidden. */
export type EgressMode = 'public' | 'private' | 'any';

/** What is allowed, and where names are looked up. */
export interface EgressPolicy {
  readonly mode: EgressMode;
  /** Networks allowed whatever their class. */
  readonly allow: readonly Cidr[];
  readonly names?: NameSources;
  /** Where all connections are made through, and judged instead; null = none. */
  readonly proxy?: Proxy | null;
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** Judges every address a request could go to. */
export interface Guard {
  /** As the `lookup` option of node:net: fails with code `EGRESS_REFUSED` if any address of the name is refused. */
  lookup(hostname: string, options: LookupOptions, callback: LookupCallback): void;
  /** All addresses of a name, IPv4 first, each of them judged; `family` 0 = both. Fails as `lookup` does. */
  resolve(hostname: string, family: 0 | 4 | 6): Promise<readonly string[]>;
  /** null = allowed; otherwise a sentence: the address, its class, and the setting that would allow it. */
  judge(address: string): string | null;
  /** How connections are made, where a proxy makes and judges them: nothing is judged here then. null = there is none. */
  readonly tunnel: Tunnel | null;
}

const words = { public: 'public', private: 'private', local: 'loopback', forbidden: 'reserved' } as const;
const remedies = {
  public: 'nothing more is needed',
  private: 'TOCSIN_EGRESS=private would allow it, or its network in TOCSIN_EGRESS_ALLOW',
  local: 'TOCSIN_EGRESS=any would allow it, or its network in TOCSIN_EGRESS_ALLOW',
  forbidden: 'only naming its network in TOCSIN_EGRESS_ALLOW would allow it, whatever TOCSIN_EGRESS says',
} as const;
const allowed = {
  public: new Set(['public']),
  private: new Set(['public', 'private']),
  any: new Set(['public', 'private', 'local']),
} as const;

/** The same few addresses are asked about all the time. */
const rememberedAddresses = 10_000;

/** Makes the guard of a policy. What cannot be understood is refused. */
export function createGuard(policy: EgressPolicy): Guard {
  const exceptions = networkList(policy.allow);
  const resolveName = createResolveName(policy.names ?? {});
  const classes: ReadonlySet<string> = allowed[policy.mode];

  const judged = new Map<string, string | null>();
  const tunnel = policy.proxy === undefined || policy.proxy === null ? null : tunnelThrough(policy.proxy);
  const judge = (address: string): string | null => {
    if (tunnel !== null) return null;
    const known = judged.get(address);
    if (known !== undefined) return known;
    if (judged.size >= rememberedAddresses) judged.clear();
    const refusal = judgeAnew(address);
    judged.set(address, refusal);
    return refusal;
  };
  const judgeAnew = (address: string): string | null => {
    const plain = plainAddress(address);
    if (plain === null) return `"${address}" is not an IP address, so TOCSIN_EGRESS refuses it`;
    const name = addressClass(plain);
    if (classes.has(name) || exceptions.holds(plain)) return null;
    return `${plain} is a ${words[name]} address; ${remedies[name]}`;
  };

  const resolve = async (hostname: string, family: 0 | 4 | 6): Promise<readonly string[]> => {
    const addresses = isIP(hostname) > 0 ? [hostname] : await resolveName(hostname, family);
    for (const address of addresses) {
      const refusal = judge(address);
      if (refusal !== null) throw coded('EGRESS_REFUSED', hostname === address ? refusal : `${hostname}: ${refusal}`);
    }
    if (addresses.length === 0) throw coded('ENODATA', `${hostname} has no address of this family`);
    return addresses;
  };

  const resolveByCallback = callbackify(resolve);
  return {
    tunnel,
    judge,
    resolve,
    lookup: (hostname, options, callback) => {
      resolveByCallback(hostname, familyOf(options.family), (error, addresses) => {
        if (error !== null) return callback(error, '');
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all === true) return callback(null, found);
        return callback(null, found[0]?.address ?? '', found[0]?.family);
      });
    },
  };
}

function familyOf(family: LookupOptions['family']): 0 | 4 | 6 {
  if (family === 4 || family === 'IPv4') return 4;
  return family === 6 || family === 'IPv6' ? 6 : 0;
}

function coded(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}
