// Installs the packages of every runtime under runtimes/, each from its own lock; npm runs it after an install.
//
// Plain JavaScript, because it may have to run under the Node.js of the machine. After an `npm ci` that had no network
// for it, it says what is missing and lets the install end well: everything but scripts of checks works without.
// Called by hand (npm run runtimes:install) a failure is its exit code.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folder = resolve(process.argv[2] ?? join(root, 'runtimes'));
const afterInstall = process.env.npm_lifecycle_event === 'postinstall';

/** What an installation was made from; kept beside the packages so that an unchanged one is not made again. */
function stampOf(runtime) {
  const lock = readFileSync(join(runtime, 'package-lock.json'));
  return `${process.platform}-${process.arch} ${createHash('sha256').update(lock).digest('hex')}\n`;
}

/** The npm that runs us, under the Node.js it was started with: the project's own may be too new for an older npm. */
function npm(args, cwd) {
  const { npm_execpath: cli, npm_node_execpath: node, PATH = '' } = process.env;
  const path = PATH.split(delimiter).filter((part) => part !== join(root, 'node_modules', '.bin'));
  const env = { ...process.env, PATH: path.join(delimiter) };
  if (cli?.endsWith('npm-cli.js')) {
    return spawnSync(node ?? process.execPath, [cli, ...args], { cwd, env, encoding: 'utf8' });
  }
  return spawnSync('npm', args, { cwd, env, encoding: 'utf8', shell: process.platform === 'win32' });
}

function install(runtime) {
  const stampFile = join(runtime, 'node_modules', '.tocsin-installed');
  const stamp = stampOf(runtime);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return null;
  const { status, stderr, error } = npm(
    ['ci', '--omit=dev', '--ignore-scripts', '--fetch-retries=1', '--fetch-retry-mintimeout=1000'],
    runtime,
  );
  if (status === 0) {
    writeFileSync(stampFile, stamp);
    return null;
  }
  const lines = (stderr ?? '').split('\n').filter((line) => line.startsWith('npm error'));
  return error?.message ?? lines.slice(0, 4).join('\n') ?? `npm ended with ${status}`;
}

const names = existsSync(folder)
  ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'package-lock.json')))
  : [];
for (const name of names) {
  const problem = install(join(folder, name));
  if (problem === null) continue;
  console.error(`tocsin: the packages of runtime ${name} could not be installed; everything else works.`);
  console.error(`${problem}\nWhen the package registry can be reached again: npm run runtimes:install`);
  if (!afterInstall) process.exitCode = 1;
}
