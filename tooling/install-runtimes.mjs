// Installs the packages of runtimes from their lock files. npm runs it after an install for the CURRENT one.
//
// Plain JavaScript, because the machine's own Node.js may run it. If `npm ci` has no network for it, prints what is missing
// and lets the install succeed, because everything except scripts works without. When run by hand
// (npm run tocsin -- runtimes install), it fails with an exit code. Arguments: names of runtimes, or `all`; default: the
// CURRENT one. --folder=<path> is the folder of the runtimes.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const afterInstall = process.env.npm_lifecycle_event === 'postinstall';
const asked = process.argv.slice(2);
const folderWord = asked.find((word) => word.startsWith('--folder='));
const folder = resolve(folderWord?.slice('--folder='.length) ?? join(root, 'runtimes'));

/** Input of an installation, stored with the packages so that an unchanged one is not repeated. */
function stampOf(runtime) {
  const lock = readFileSync(join(runtime, 'package-lock.json'));
  return `${process.platform}-${process.arch} ${createHash('sha256').update(lock).digest('hex')}\n`;
}

/** The npm that runs this, with the Node.js it was started with; the project's own may be too new for an older npm. */
function npm(args, cwd) {
  const { npm_execpath: cli, npm_node_execpath: node, PATH = '' } = process.env;
  const path = PATH.split(delimiter).filter((part) => part !== join(root, 'node_modules', '.bin'));
  const env = { ...process.env, PATH: path.join(delimiter) };
  if (cli?.endsWith('npm-cli.js')) {
    return spawnSync(node ?? process.execPath, [cli, ...args], { cwd, env, encoding: 'utf8' });
  }
  return spawnSync('npm', args, { cwd, env, encoding: 'utf8', shell: process.platform === 'win32' });
}

/** Size of a folder on disk, bytes. */
function bytesOf(path) {
  let bytes = 0;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) bytes += bytesOf(below);
    else bytes += (lstatSync(below).blocks ?? 0) * 512;
  }
  return bytes;
}

/** Options of npm: no scripts and no prompts. */
const words = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
words.push('--fetch-retries=1', '--fetch-retry-mintimeout=1000');

/**
 * The lock files contain no URLs, so that they work with every registry. npm would therefore read the list of versions of each
 * package, which is a third of the install time. By convention, a registry serves packages under their name and version.
 * Downloads must match the digest in the lock file; if one is missing or differs, npm resolves the URLs itself.
 */
function fetchPackages(aside) {
  const lockFile = join(aside, 'package-lock.json');
  const plain = readFileSync(lockFile, 'utf8');
  writeFileSync(lockFile, withAddresses(plain, aside));
  const quick = npm(words, aside);
  if (quick.status === 0 || !/npm error code E(4\d\d|INTEGRITY)/.test(quick.stderr ?? '')) return quick;
  writeFileSync(lockFile, plain);
  return npm(words, aside);
}

/** The lock file with the conventional URL of each package that has a digest, in the registry configured for its scope. */
function withAddresses(plain, aside) {
  try {
    const lock = JSON.parse(plain);
    const without = Object.entries(lock.packages).filter(
      ([, { integrity, resolved, inBundle }]) => integrity && !resolved && !inBundle,
    );
    if (without.length === 0) return plain;
    const settings = JSON.parse(npm(['config', 'list', '--json'], aside).stdout);
    for (const [path, entry] of without) {
      const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const [scope, bare = scope] = name.split('/');
      const registry = new URL(settings[`${scope}:registry`] ?? settings.registry).href.replace(/\/$/, '');
      entry.resolved = `${registry}/${name}/-/${bare}-${entry.version}.tgz`;
    }
    return JSON.stringify(lock);
  } catch {
    return plain;
  }
}

/** Prefix of temporary folders, which are not mistaken for a complete runtime; followed by a process id. */
const begunOf = (name) => `.installing-${name}-`;

function install(runtime, name) {
  removeCutOff(name);
  const packages = join(runtime, 'node_modules');
  const stampFile = join(packages, '.tocsin-installed');
  const stamp = stampOf(runtime);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) {
    if (!afterInstall) console.log(`tocsin: runtime ${name} is installed, ${megabytes(packages)} on disk`);
    return null;
  }
  const { dependencies = {} } = JSON.parse(readFileSync(join(runtime, 'package.json'), 'utf8'));
  console.log(`tocsin: runtime ${name}: fetching ${Object.keys(dependencies).length} packages and what they need …`);
  const startedAt = Date.now();
  const aside = join(folder, `${begunOf(name)}${process.pid}`);
  try {
    cpSync(runtime, aside, { recursive: true, filter: (path) => path !== packages });
    const { status, stderr, error } = fetchPackages(aside);
    if (status !== 0) {
      const lines = (stderr ?? '').split('\n').filter((line) => line.startsWith('npm error'));
      return error?.message ?? (lines.slice(0, 4).join('\n') || `npm ended with ${status}`);
    }
    writeFileSync(join(aside, 'node_modules', basename(stampFile)), stamp);
    if (existsSync(packages)) renameSync(packages, join(aside, 'before'));
    renameSync(join(aside, 'node_modules'), packages);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  console.log(`tocsin: runtime ${name} installed in ${seconds} s, ${megabytes(packages)} on disk`);
  return null;
}

/** Removes unfinished installations of ended processes. */
function removeCutOff(name) {
  for (const each of readdirSync(folder).filter((entry) => entry.startsWith(begunOf(name)))) {
    const pid = Number(each.slice(begunOf(name).length));
    if (!isRunning(pid)) rmSync(join(folder, each), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function megabytes(path) {
  return `${(bytesOf(path) / 1e6).toFixed(0)} MB`;
}

function isCurrent(name) {
  try {
    return JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')).stage === 'CURRENT';
  } catch {
    return false;
  }
}

const known = existsSync(folder)
  ? // Folders of an interrupted install begin with a dot.
    readdirSync(folder).filter((name) => !name.startsWith('.') && existsSync(join(folder, name, 'package-lock.json')))
  : [];
const wanted = asked.filter((word) => word !== folderWord);
const names = wanted.includes('all') ? known : wanted.length > 0 ? wanted : known.filter(isCurrent);
for (const name of names) {
  const problem = known.includes(name)
    ? install(join(folder, name), name)
    : `unknown runtime ${name}; available: ${known.join(', ')}`;
  if (problem === null) continue;
  console.error(`tocsin: the packages of runtime ${name} could not be installed; everything else works.`);
  console.error(`${problem}\nOnce the package registry is reachable, run: npm run tocsin -- runtimes install ${name}`);
  if (!afterInstall) process.exitCode = 1;
}
