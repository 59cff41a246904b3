// How far a script is kept apart from this machine: by bubblewrap, by namespaces of our own making, or by a process alone.
import { lstatSync, readlinkSync } from 'node:fs';
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
import { ownGroup } from './own-group.ts';

/** From the strongest down: what each does is in docs/security.md. */
export const containments = ['bubblewrap', 'namespaces', 'user', 'process'] as const;
export type Containment = (typeof containments)[number];

/** A command to be spawned, and what it sees. */
export interface Contained {
  readonly command: string;
  readonly words: readonly string[];
  /** Whom it runs as; null = as we do. */
  readonly user: number | null;
  /** The group that only this run has; null = none. */
  readonly group: number | null;
  /** Whether processes have other numbers there than here. */
  readonly hasOwnNumbers: boolean;
  /** Its folder, by the name it has there. */
  readonly home: string;
  /** Where its packages are, by the name they have there. */
  readonly packages: string;
  /** Where its gateway and the CAs to be trusted are, by the name they have there. */
  readonly gateway: string;
  /** Where its browser is, by the name it has there; null = none. */
  readonly browser: string | null;
  /** What leads its connections through the gateway, by the name it has there; null = it has the machine's network. */
  readonly network: string | null;
}

const enclose = join(insideFolder, 'enclose.sh');
/** Nobody, who owns nothing: whom scripts run as when we are root. */
export const nobody = 65_534;
/** Room that Node.js reserves beyond what a script uses, bytes; each process has its own. */
const reservedBytes = 1 << 30;
/** A kernel's last word on processes and threads of a user; the limit of a run itself is watched. */
const threadsMost = 4096;

/** Whether scripts run as another user than we do. */
export function hasOtherUser(isRoot: boolean, containment: Containment): boolean {
  return isRoot && containment !== 'process';
}

/** Whether scripts have no network but what their gateway makes for them (docs/decisions/0089). */
export function hasGateway(containment: Containment): boolean {
  return containment === 'bubblewrap' || containment === 'namespaces';
}

/**
 * New objects of a process that drives a browser have 32 MB: in the 1 MB that V8 begins with it collects garbage again and again
 * while a page loads, and takes what a trace holds for lasting.
 */
const roomForBrowsers = ['--min-semi-space-size=32', '--max-semi-space-size=32'];

/** The command that runs a script's first code, contained so. */
export function contained(
  containment: Containment,
  folders: RunFolders,
  limits: ScriptLimits,
  isRoot: boolean,
): Contained {
  const { root, home, runtime, nodeBinary, browser, gateway } = folders;
  const bounds = [
    // Whatever else runs here comes first (docs/decisions/0081).
    'nice',
    '-n19',
    'prlimit',
    '--core=0',
    `--fsize=${limits.diskBytes}`,
    `--nproc=${threadsMost}`,
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
    // The shell stays as the first process there: it takes in what loses its parent, and everything ends with it.
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

/** What a process needs that is root still, to enter the folder of the script and then to give up everything. */
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
 * As root it mounts as root and becomes nobody afterwards, as enclose.sh does: nobody could not mount what lies in folders of root's,
 * as a browser below /root, and would need user namespaces (docs/decisions/0081).
 */
function isolationWords(isRoot: boolean): readonly string[] {
  const ended = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
  if (!isRoot) return ['--unshare-all', ...ended];
  const apart = ['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'];
  return [...apart, ...ended, ...lastRights.flatMap((name) => ['--cap-add', name])];
}

function bubblewrapWords(folders: RunFolders, isRoot: boolean): readonly string[] {
  const { home, runtime, nodeBinary, browser, gateway } = folders;
  // It would close a folder that it makes where what it mounts there is closed.
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
