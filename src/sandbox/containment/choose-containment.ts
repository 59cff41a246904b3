// Tries how far scripts can be kept apart on this machine, by running one that tries to look out (docs/decisions/0081).
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepsNothing, type ScriptOutcome, type ScriptWork } from '#domain/checks/script.ts';
import { type Containment, containments, hasGateway } from './containment.ts';
import { insideFolder } from '../inside-folder.ts';
import { type OpenGateway, runScript } from '../run-script.ts';

/** What was chosen, and why none of the stronger ones. */
export interface ChosenContainment {
  readonly containment: Containment;
  /** A sentence for each that does not work here. */
  readonly refused: readonly string[];
}

/** Patient, because on a busy machine scripts run after everything else, and no weaker level is taken for that. */
const limits = { wallClockMs: 60_000, memoryBytes: 1 << 28, processes: 32, outputBytes: 65_536, diskBytes: 1 << 20 };

/** Throws where it sees what it must not, or not what it must; the file exists for it to be found. */
function lookout(canary: string): string {
  return `import { existsSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
if (existsSync(${JSON.stringify(canary)})) throw new Error('it sees files outside');
const isShown = readlinkSync('/proc/self') === String(process.pid);
if (!isShown || readlinkSync('/proc/self/ns/pid') === ${JSON.stringify(namespaceOf('pid'))})
  throw new Error('it sees processes outside');
const interfaces = Object.keys(networkInterfaces());
const outside = interfaces.filter((name) => name !== 'lo');
if (outside.length > 0 || readlinkSync('/proc/self/ns/net') === ${JSON.stringify(namespaceOf('net'))})
  throw new Error('it sees the network outside: ' + outside.join());
if (interfaces.length === 0) throw new Error('it has no loopback');
const socket = connect('/tocsin/gateway/socket');
socket.end('?\\n');
let answer = '';
for await (const chunk of socket) answer += chunk;
if (!answer.includes('EGRESS_REQUEST')) throw new Error('its gateway does not answer');`;
}

/** What tells the namespace of this process from others; numbers of processes do not, where this one is the first of a container. */
function namespaceOf(sort: 'pid' | 'net'): string {
  try {
    return readlinkSync(`/proc/self/ns/${sort}`);
  } catch {
    return 'none, as where there is no Linux';
  }
}

/** The strongest that works; the last two only keep what the system gives a process, so they are not tried by looking out. */
export async function chooseContainment(
  nodeBinary: string,
  isRoot: boolean,
  openGateway: OpenGateway,
): Promise<ChosenContainment> {
  const refused: string[] = [];
  for (const containment of containments) {
    if (containment === 'user' && !isRoot) continue;
    const why = await whyNotContained(containment, nodeBinary, isRoot, openGateway);
    if (why === null) return { containment, refused };
    if (containment === 'process') throw cannotBeTried(why);
    refused.push(why);
  }
  throw new Error('there is no level of containment left to be tried');
}

/**
 * Why a level does not hold on this machine, with its name in front; null = it does.
 *
 * @throws {Error} when it cannot be tried, as on a full disk
 */
export async function whyNotContained(
  containment: Containment,
  nodeBinary: string,
  isRoot: boolean,
  openGateway: OpenGateway,
): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-lookout-'));
  const canary = join(folder, 'canary');
  writeFileSync(canary, '');
  const content = hasGateway(containment) ? lookout(canary) : '';
  const work: ScriptWork = {
    runtime: { folder: insideFolder, nodeBinary },
    sort: 'plain',
    files: [{ path: 'lookout.mjs', content }],
    entry: 'lookout.mjs',
    environment: {},
    hide: (text) => text,
    hidden: [],
    keeps: keepsNothing,
    browser: null,
    limits,
  };
  try {
    const outcome = await runScript(work, new AbortController().signal, { containment, isRoot, openGateway });
    if (outcome.ending === 'ended' && outcome.failedTests === 0) return null;
    const why = `${containment}: ${outcome.problem ?? outcome.errors[0]?.message ?? outcome.ending}`;
    if (isPassing(outcome)) throw cannotBeTried(why);
    return why;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function cannotBeTried(why: string): Error {
  return new Error(`how far scripts are kept apart cannot be tried: ${why}`);
}

/** Whether a try says nothing of the machine: it ran into a limit, or was not even begun. Another one may do better. */
function isPassing({ ending, problem }: ScriptOutcome): boolean {
  const isOurs = ending === 'crashed' && problem?.startsWith('the script could not be started') === true;
  return isOurs || !(ending === 'ended' || ending === 'crashed');
}
