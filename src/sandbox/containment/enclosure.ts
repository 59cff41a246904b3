// The file system of an enclosed script, as a list of mounts for enclose.sh.
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface RunFolders {
  /** Empty folder for the root of the script's file system. */
  readonly root: string;
  /** The script's own, writable folder. */
  readonly home: string;
  readonly runtime: string;
  readonly nodeBinary: string;
  /** null = no browser. */
  readonly browser: string | null;
  /** Folder of the gateway socket. */
  readonly gateway: string;
}

/** System folders with programs and libraries. */
export const systemFolders = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
/** Files of /etc for network access, without information about users. */
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
 * Path of our code inside. Playwright transpiles files outside of node_modules in every test process, which takes
 * longer than starting the browser.
 */
export const insideEnclosed = '/tocsin/node_modules/tocsin';

/** A mount: source, and target in the script's file system. */
type Mount = readonly [from: string, to: string];

/** Builds the arguments of enclose.sh, except the root, the user and the command. */
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

/** Read-only mounts. */
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

function writtenBy({ home }: RunFolders): readonly Mount[] {
  return [
    [home, 'home/check'],
    [join(home, 'tmp'), 'tmp'],
  ];
}

/** Escapes separators like fstab. */
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
