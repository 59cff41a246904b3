// What of this machine stands in the file system of an enclosed script, as a list of mounts for enclose.sh.
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Where a run has its files. */
export interface RunFolders {
  /** Empty: the root of the script's file system is made there. */
  readonly root: string;
  /** The script's own folder, writable. */
  readonly home: string;
  readonly runtime: string;
  readonly nodeBinary: string;
  /** null = no browser. */
  readonly browser: string | null;
  /** Where the socket of its gateway is. */
  readonly gateway: string;
}

/** Of the system: programs and libraries. */
export const systemFolders = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
/** Of /etc: what programs need to know of this machine to speak with others, and nothing of its users. */
export const settingFiles = [
  'hosts',
  'resolv.conf',
  'nsswitch.conf',
  'host.conf',
  'gai.conf',
  'services',
  'protocols',
  'localtime',
  'ld.so.cache',
];
export const settingFolders = ['ssl', 'ca-certificates', 'pki', 'fonts', 'alternatives'];
const devices = ['null', 'zero', 'full', 'random', 'urandom'];

/**
 * What an enclosed script has our code as: Playwright rewrites, in each process of tests anew, what lies in no folder called
 * node_modules, and that takes longer than the browser.
 */
export const insideEnclosed = '/tocsin/node_modules/tocsin';

/** A mount: what, and where in the script's file system. */
type Mount = readonly [from: string, to: string];

/** The words of enclose.sh, but for the first and the last of them: the root, whom to become, and what to run then. */
export function enclosureWords(folders: RunFolders, inside: string): readonly string[] {
  const { root } = folders;
  const shown = shownBy(folders, inside);
  const written = writtenBy(folders);
  const node: Mount = [folders.nodeBinary, 'tocsin/node'];
  const given = devices.map((name): Mount => [`/dev/${name}`, `dev/${name}`]);
  const line = ([from, to]: Mount, kind: string, options: string): string =>
    [escaped(from), escaped(join(root, to)), kind, options, '0', '0'].join(' ');
  const mounts = [
    ...[...shown, node].map((mount) => line(mount, 'none', 'bind,ro')),
    ...[...written, ...given].map((mount) => line(mount, 'none', 'bind')),
    line(['tmpfs', 'dev/shm'], 'tmpfs', 'size=64m,mode=1777,nosuid,nodev'),
    line(['proc', 'proc'], 'proc', 'nosuid,nodev,noexec'),
  ];
  const made = ['dev/shm', 'proc', 'etc', ...[...shown, ...written].map(([, to]) => to)];
  const files = [...given, node].map(([, to]) => to);
  const links = systemFolders.map((name) => `/${name}`).filter(isLink);
  const copies = settingFiles.map((name) => `/etc/${name}`).filter(isFile);
  const readOnly = [...shown, node].map(([, to]) => `/${to}`);
  const others = ['/dev/shm', '/proc', ...[...written, ...given].map(([, to]) => `/${to}`)];
  return [mounts.join('\n'), ...[made, files, links, copies, readOnly, others].map((names) => names.join(' '))];
}

/** What it reads. */
function shownBy({ runtime, browser, gateway }: RunFolders, inside: string): readonly Mount[] {
  const ours: readonly (readonly [string | null, string])[] = [
    [inside, insideEnclosed.slice(1)],
    [runtime, 'tocsin/runtime'],
    [gateway, 'tocsin/gateway'],
    [browser, 'tocsin/browser'],
  ];
  return [
    ...systemFolders.filter((name) => isFolder(`/${name}`)).map((name): Mount => [`/${name}`, name]),
    ...settingFolders.filter((name) => isFolder(`/etc/${name}`)).map((name): Mount => [`/etc/${name}`, `etc/${name}`]),
    ...ours.flatMap(([from, to]): Mount[] => (from === null ? [] : [[from, to]])),
  ];
}

/** What it writes. */
function writtenBy({ home }: RunFolders): readonly Mount[] {
  return [
    [home, 'home/check'],
    [join(home, 'tmp'), 'tmp'],
  ];
}

/** As fstab has the characters that divide its fields. */
function escaped(path: string): string {
  return path.replace(/[\s\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isFolder(path: string): boolean {
  return !isLink(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
