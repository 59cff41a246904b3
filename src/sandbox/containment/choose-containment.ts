// Chooses the strongest containment that works on this machine, by running a script that tries to escape
// (docs/decisions/0081).
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepsNothing, type ScriptOutcome, type ScriptWork } from '#domain/checks/script.ts';
import { type Containment, containments, hasGateway } from './containment.ts';
import { insideFolder } from '../inside-folder.ts';
import { type OpenGateway, runScript } from '../run-script.ts';

/** The chosen containment, and why stronger ones do not work. */
export interface ChosenContainment {
  readonly containment: Containment;
  /** One message for each level that does not work here. */
  readonly refused: readonly string[];
}

/** Generous, because scripts have the lowest priority on a busy machine, which is no reason for a weaker level. */
const limits = { wallClockMs: 60_000, memoryBytes: 1 << 28, processes: 32, outputBytes: 65_536, diskBytes: 1 << 20 };

/**
 * Throws if it sees something forbidden or misses something required. The file exists so that the script can look for
 * it.
 */
function spyScript(canary: string): string {
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

/** Identifies a namespace. Process numbers do not, if this process is the first of a container. */
function namespaceOf(sort: 'pid' | 'net'): string {
  try {
    return readlinkSync(`/proc/self/ns/${sort}`);
  } catch {
    return 'none, as where there is no Linux';
  }
}

/**
 * Chooses the strongest level that works. The last two only use what the system gives every process, so no escape is
 * tried.
 */
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
  throw new Error('no level of containment is left to try');
}

/**
 * Returns why a level does not work on this machine, starting with its name, or null.
 *
 * @throws {Error} if it cannot be tested, for example because the disk is full
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
  const content = hasGateway(containment) ? spyScript(canary) : '';
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
    if (isTemporary(outcome)) throw cannotBeTried(why);
    return why;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function cannotBeTried(why: string): Error {
  return new Error(`script containment cannot be tested: ${why}`);
}

/** Whether a test says nothing about the machine, because it hit a limit or did not start. A retry may succeed. */
function isTemporary({ ending, problem }: ScriptOutcome): boolean {
  const isOurs = ending === 'crashed' && problem?.startsWith('the script could not be started') === true;
  return isOurs || !(ending === 'ended' || ending === 'crashed');
}
