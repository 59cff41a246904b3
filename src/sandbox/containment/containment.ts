// Levels of containment for scripts: bubblewrap, our own namespaces, another user, or a plain process.
import { lstatSync, readlinkSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptLimits } from '#domain/checks/script.ts';
import {
  enclosureWords,
  insideEnclosed,
  type RunFolders,
  settingFiles,
  settingFolders,
  systemFolders,
} from './enclosure.ts';
import { insideFolder } from '../inside-folder.ts';
import { randomInt } from 'node:crypto';

/** Range that neither systems nor containers use; the last one is excluded. */
const [first, beyond] = [0x7000_0000, 0x7ffe_0000];

/** Whether root can use these ids. A container may map only the first few thousand. */
export const hasOwnGroups = isMapped();

/** Returns a group id that is almost always unused, or null if none is available. */
function ownGroup(): number | null {
  return hasOwnGroups ? randomInt(first, beyond) : null;
}

function isMapped(): boolean {
  try {
    const lines = readFileSync('/proc/self/gid_map', 'utf8').trim().split('\n');
    return lines.some((line) => {
      const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
      return inside <= first && inside + count >= beyond;
    });
  } catch {
    return false;
  }
}

/** From strongest to weakest. docs/security.md describes them. */
export const containments = ['bubblewrap', 'namespaces', 'user', 'process'] as const;
export type Containment = (typeof containments)[number];

/** A command to spawn, and the paths inside the containment. */
export interface Contained {
  readonly command: string;
  readonly words: readonly string[];
  /** User of the script; null = the same as Tocsin. */
  readonly user: number | null;
  /** Group used only by this run; null = none. */
  readonly group: number | null;
  /** Whether it has its own process numbers. */
  readonly hasOwnNumbers: boolean;
  /** Path of its folder inside. */
  readonly home: string;
  /** Path of its packages inside. */
  readonly packages: string;
  /** Path of its gateway and trusted CAs inside. */
  readonly gateway: string;
  /** Path of its browser inside; null = none. */
  readonly browser: string | null;
  /** Path of the module that routes connections through the gateway; null = it uses the machine's network. */
  readonly network: string | null;
}

const enclose = join(insideFolder, 'enclose.sh');
/** The unprivileged user of scripts if Tocsin runs as root. */
export const nobody = 65_534;
/** Address space that Node.js reserves in each process, in bytes. */
const reservedBytes = 1 << 30;
/** Kernel limit on processes and threads of a user. The limit of a run itself is monitored. */
const maxThreads = 4096;

/** Whether scripts run as another user than Tocsin. */
export function hasOtherUser(isRoot: boolean, containment: Containment): boolean {
  return isRoot && containment !== 'process';
}

/** Whether the gateway is the only network of scripts (docs/decisions/0089). */
export function hasGateway(containment: Containment): boolean {
  return containment === 'bubblewrap' || containment === 'namespaces';
}

/**
 * Young-generation size for processes that drive a browser. With V8's default of 1 MB, it collects garbage continuously
 * during page loads and promotes trace data.
 */
const roomForBrowsers = ['--min-semi-space-size=32', '--max-semi-space-size=32'];

/** Builds the command that starts a contained script. */
export function contained(
  containment: Containment,
  folders: RunFolders,
  limits: ScriptLimits,
  isRoot: boolean,
): Contained {
  const { root, home, runtime, nodeBinary, browser, gateway } = folders;
  const bounds = [
    // Scripts have the lowest priority (docs/decisions/0081).
    'nice',
    '-n19',
    'prlimit',
    '--core=0',
    `--fsize=${limits.diskBytes}`,
    `--nproc=${maxThreads}`,
    `--data=${limits.memoryBytes + reservedBytes}`,
    '--',
  ];
  const flags = ['--disable-warning=ExperimentalWarning', ...(browser === null ? [] : roomForBrowsers)];
  const enclosed = {
    hasOwnNumbers: true,
    home: '/home/check',
    packages: '/tocsin/runtime/node_modules',
    gateway: '/tocsin/gateway',
    browser: browser === null ? null : '/tocsin/browser',
    network: `${insideEnclosed}/network.cjs`,
  };
  const start = ['/tocsin/node', ...flags, `--require=${enclosed.network}`, `${insideEnclosed}/start.mjs`];
  const user = isRoot ? nobody : null;
  if (containment === 'bubblewrap') {
    const words = [...bubblewrapWords(folders, isRoot), ...(isRoot ? becomingNobody : []), ...bounds, ...start];
    return { command: 'bwrap', words, user: null, group: null, ...enclosed };
  }
  if (containment === 'namespaces') {
    const apart = ['--mount', '--pid', '--ipc', '--uts', '--net'];
    const unshare = ['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), ...apart];
    const ours = ['--fork', '--kill-child=KILL', '--', 'sh', enclose, root, ...enclosureWords(folders, insideFolder)];
    // The shell stays as the first process: it adopts orphans, and everything ends with it.
    const theirs = [...bounds, 'sh', '-c', '"$@"; exit $?', 'sh', ...start];
    const words = ['--pdeathsig', 'KILL', ...unshare, ...ours, user === null ? '-' : String(user), ...theirs];
    return { command: 'setpriv', words, user: null, group: null, ...enclosed };
  }
  const packages = join(runtime, 'node_modules');
  const open = { hasOwnNumbers: false, home, packages, gateway, browser, network: null };
  const plain = [nodeBinary, ...flags, join(insideFolder, 'start.mjs')];
  if (process.platform !== 'linux')
    return { command: nodeBinary, words: plain.slice(1), user: null, group: null, ...open };
  const words = ['--no-new-privs', '--pdeathsig', 'KILL', ...bounds, ...plain];
  if (containment === 'process' || user === null)
    return { command: 'setpriv', words, user: null, group: null, ...open };
  return { command: 'setpriv', words, user, group: ownGroup(), ...open };
}

/** Capabilities that root needs to enter the script's folder and drop privileges. */
const lastRights = ['CAP_DAC_READ_SEARCH', 'CAP_SETGID', 'CAP_SETUID', 'CAP_SETPCAP'];
const becomingNobody = [
  'setpriv',
  `--reuid=${nobody}`,
  `--regid=${nobody}`,
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
  '--no-new-privs',
];

/**
 * As root, mounts as root and becomes `nobody` afterwards, like enclose.sh. `nobody` could not mount from folders of root,
 * such as a browser below /root, and would need user namespaces (docs/decisions/0081).
 */
function isolationWords(isRoot: boolean): readonly string[] {
  const ended = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
  if (!isRoot) return ['--unshare-all', ...ended];
  const apart = ['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'];
  return [...apart, ...ended, ...lastRights.flatMap((name) => ['--cap-add', name])];
}

function bubblewrapWords(folders: RunFolders, isRoot: boolean): readonly string[] {
  const { home, runtime, nodeBinary, browser, gateway } = folders;
  // bwrap would give a folder the closed mode of what it mounts there.
  const open = ['/etc', '/home', '/tocsin', '/tocsin/node_modules'].flatMap((path) => ['--dir', path]);
  const system = systemFolders.flatMap((name) => systemFolder(`/${name}`));
  const settings = [...settingFiles, ...settingFolders].flatMap((name) => [
    '--ro-bind-try',
    `/etc/${name}`,
    `/etc/${name}`,
  ]);
  const own = ['--bind', home, '/home/check', '--bind', join(home, 'tmp'), '/tmp', '--chdir', '/home/check'];
  const ours = ['--ro-bind', insideFolder, insideEnclosed, '--ro-bind', runtime, '/tocsin/runtime'];
  const out = ['--ro-bind', gateway, '/tocsin/gateway'];
  const node = ['--ro-bind', nodeBinary, '/tocsin/node'];
  const chromium = browser === null ? [] : ['--ro-bind', browser, '/tocsin/browser'];
  const devices = ['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev'];
  return [
    ...isolationWords(isRoot),
    ...open,
    ...system,
    ...settings,
    ...devices,
    ...own,
    ...ours,
    ...out,
    ...chromium,
    ...node,
    '--remount-ro',
    '/',
    '--',
  ];
}

function systemFolder(path: string): readonly string[] {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return [];
  return facts.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}
