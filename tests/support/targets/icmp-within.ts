// Runs in a network of its own: ICMP checks by the real program of the machine, where hosts answer, do not, and cease to.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPing, pingProblem } from '#checks/kinds/icmp/ping.ts';
import type { JsonObject } from '#domain/json.ts';
import { verdictOf } from '../checks/api-probe.ts';
import { readImage } from '../service/deploy-files.ts';
import { describedKind, type KindProbeOptions, probeKind } from '../checks/kind-probe.ts';
import { until } from '../until.ts';

/** What came of a check. */
export interface Pinged {
  /** Verdict and reason. */
  readonly verdict: string;
  readonly message: string | null;
  readonly responseTimeMs: number | null;
  /** Of its result; null = nothing can be said of the target. */
  readonly response: JsonObject | null;
}

/** All that was seen. */
export interface SeenOfPings {
  readonly answering: Readonly<Record<'IPv4' | 'IPv6', Pinged>>;
  readonly silent: Readonly<Record<'IPv4' | 'IPv6', Pinged>>;
  /** Answers until some have come, and then no more. */
  readonly ceasing: Pinged;
  /** No way leads there. */
  readonly unreachable: Pinged;
  /** By somebody without any right; null where only root can try it. */
  readonly unprivileged: {
    /** Neither the program nor the system gives it a right. */
    readonly closed: Pinged;
    /** What doctor says then. */
    readonly problem: string | null;
    /** `net.ipv4.ping_group_range` holds its group. */
    readonly inRange: Readonly<Record<'IPv4' | 'IPv6', Pinged>>;
    /** The program has its capability. */
    readonly capable: Pinged;
    /** The program has its capability, but nobody here may have it, as in a container that drops all. */
    readonly dropped: Pinged;
    /** There too, by what the Dockerfile makes of the program. */
    readonly ofImage: Pinged;
  } | null;
}

const isRoot = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/)[1] === '0';
const groupRange = '/proc/sys/net/ipv4/ping_group_range';
const folder = mkdtempSync(join(tmpdir(), 'tocsin-pings-'));
try {
  // Of its own: in many a temporary folder capabilities of programs do not count.
  if (isRoot) execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', folder]);
  process.stdout.write(JSON.stringify(await inspectAll()));
} finally {
  if (isRoot) execFileSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true });
}

async function inspectAll(): Promise<SeenOfPings> {
  makeSilentNetwork();
  const both = async (ipv4: string, ipv6: string) => ({
    IPv4: await inspect(ipv4, { ipFamily: 'IPv4' }),
    IPv6: await inspect(ipv6, { ipFamily: 'IPv6' }),
  });
  const seen = {
    answering: await both('127.0.0.1', '::1'),
    silent: await both('198.51.100.2', '2001:db8::2'),
    ceasing: await pingUntilItCeases(),
    unreachable: await inspect('203.0.113.1'),
  };
  if (!isRoot) return { ...seen, unprivileged: null };
  return { ...seen, unprivileged: await pingAsNobody() };
}

async function pingAsNobody(): Promise<SeenOfPings['unprivileged']> {
  const [plain, capable] = [nobodysPing('plain', []), nobodysPing('capable', [])];
  const allDropped = ['--bounding-set=-all', '--no-new-privs'];
  const dropped = nobodysPing('dropped', allDropped);
  const ofImage = nobodysPing('of-image', allDropped);
  for (const name of ['capable', 'dropped', 'of-image']) {
    execFileSync('setcap', ['cap_net_raw+ep', join(folder, name)]);
  }
  const [, making = ''] =
    /lists\/\* && (.*)$/.exec(readImage().runs.find((line) => / iputils-ping /.test(line)) ?? '') ?? [];
  execFileSync('sh', ['-c', making.replaceAll('/usr/bin/ping', join(folder, 'of-image'))]);
  const pingWith = (pingCommand: string, hostname = '127.0.0.1', request: JsonObject = {}): Promise<Pinged> =>
    inspect(hostname, request, { deps: { pingCommand } });
  const closed = await pingWith(plain);
  const problem = await pingProblem(plain);
  const byCapable = await pingWith(capable);
  writeFileSync(groupRange, '0 2147483647');
  const inRange = {
    IPv4: await pingWith(plain),
    IPv6: await pingWith(plain, '::1', { ipFamily: 'IPv6' }),
  };
  return {
    closed,
    problem,
    inRange,
    capable: byCapable,
    dropped: await pingWith(dropped),
    ofImage: await pingWith(ofImage),
  };
}

/** Networks in which nobody answers: what goes into one end of the line is not for the other. */
function makeSilentNetwork(): void {
  const ip = (...words: string[]): void => void execFileSync('ip', words);
  // Everything led back to this machine.
  ip('route', 'del', 'local', '0.0.0.0/0', 'dev', 'lo');
  ip('-6', 'route', 'del', 'local', '::/0', 'dev', 'lo');
  ip('link', 'add', 'near', 'type', 'veth', 'peer', 'name', 'far');
  ip('link', 'set', 'near', 'arp', 'off', 'up');
  ip('link', 'set', 'far', 'arp', 'off', 'up');
  ip('address', 'add', '198.51.100.1/24', 'dev', 'near');
  ip('address', 'add', '2001:db8::1/64', 'dev', 'near', 'nodad');
}

async function inspect(hostname: string, request: JsonObject = {}, options: KindProbeOptions = {}): Promise<Pinged> {
  const allow = ['198.51.100.0', '203.0.113.0'].map((address) => ({ address, prefix: 24, family: 'ipv4' }) as const);
  const documentation = { address: '2001:db8::', prefix: 32, family: 'ipv6' } as const;
  const egress = { mode: 'any', allow: [...allow, documentation] } as const;
  const finding = await probeKind('ICMP', { request: { hostname, pingCount: 3, ...request } }, { ...options, egress });
  const { message, responseTimeMs } = finding;
  const response = (describedKind('ICMP', finding)['response'] ?? null) as JsonObject | null;
  return { verdict: verdictOf(finding), message, responseTimeMs, response };
}

async function pingUntilItCeases(): Promise<Pinged> {
  const switchOff = '/proc/sys/net/ipv4/icmp_echo_ignore_all';
  const before = echoesHeard();
  const inspecting = inspect('127.0.0.1', { pingCount: 20 });
  await until('the first pings', () => echoesHeard() >= before + 5);
  writeFileSync(switchOff, '1');
  const pinged = await inspecting;
  writeFileSync(switchOff, '0');
  return pinged;
}

/** Pings that have come to this network. */
function echoesHeard(): number {
  const [names = [], values = []] = readFileSync('/proc/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Icmp:'))
    .map((line) => line.split(' '));
  return Number(values[names.indexOf('InEchos')]);
}

/** The program, without its rights, run by nobody. */
function nobodysPing(name: string, bounds: readonly string[]): string {
  const [copy, start] = [join(folder, name), join(folder, `${name}.sh`)];
  copyFileSync(findPing() ?? '', copy);
  chmodSync(copy, 0o755);
  const words = ['--reuid=65534', '--regid=65534', '--clear-groups', ...bounds, copy];
  writeFileSync(start, `#!/bin/sh\nexec setpriv ${words.join(' ')} "$@"\n`, { mode: 0o755 });
  return start;
}
