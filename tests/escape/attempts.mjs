// Runs inside the sandbox: tries every known way to escape and prints the outcomes. TARGETS in the environment lists
// the targets.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';

const {
  servicePid,
  otherPid,
  dataFolder,
  shared,
  checkout,
  runs,
  ports,
  abstractName,
  canary,
  only = null,
} = JSON.parse(process.env.TARGETS);
const require = createRequire(import.meta.url);
const sh = (command) => execFileSync('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
const pids = () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
const holds = (text) => (text.includes(canary) ? 'read it' : '');
const reads = (path) => holds(fs.readFileSync(path, 'utf8'));
/** Opens for writing only, so that nothing is damaged if it succeeds. */
const writes = (path) => {
  fs.closeSync(fs.openSync(path, 'a'));
  return `may write ${path}`;
};

const connects = (place) =>
  new Promise((resolve) => {
    const socket = net.connect(place);
    socket.once('connect', () => resolve('connected'));
    socket.once('error', () => resolve(''));
    socket.once('close', () => resolve(''));
    socket.once('connect', () => socket.destroy());
  });

/** Each returns what it obtained; an empty result or an error is a failure. */
const attempts = {
  'the environment of the parent': () =>
    holds(
      pids()
        .map((pid) => quiet(() => fs.readFileSync(`/proc/${pid}/environ`, 'utf8')))
        .join(),
    ),
  'the environment of its own': () => holds(JSON.stringify({ ...process.env, TARGETS: '' })),
  'the command lines of others': () => (pids().length > 3 ? `sees ${pids().length} processes` : ''),
  'a signal to the service': () => (process.pid !== servicePid && process.kill(servicePid, 0) ? 'may signal' : ''),
  'a signal by a shell': () => (sh(`kill -0 ${servicePid} && echo may`) ? 'may signal' : ''),
  'memory of the service': () => fs.readFileSync(`/proc/${servicePid}/maps`, 'utf8'),
  'a signal to another run': () => (process.pid !== otherPid && process.kill(otherPid, 0) ? 'may signal' : ''),
  // Its input came by a pipe and is in memory.
  'memory of another run': () => (process.pid !== otherPid ? fs.readFileSync(`/proc/${otherPid}/maps`, 'utf8') : ''),
  'memory of the first process': () => {
    fs.closeSync(fs.openSync('/proc/1/mem', 'r+'));
    return pids().length > 3 ? 'opened the memory of another' : '';
  },
  'the root of the first process': () => reads(`/proc/1/root${dataFolder}/tocsin.db`),
  'the folder of the first process': () => reads(`/proc/1/cwd/../..${dataFolder}/tocsin.db`),
  'the data folder': () => reads(`${dataFolder}/tocsin.db`),
  'the secret key': () => reads(`${dataFolder}/secret.key`),
  'the data folder by a link': () => {
    fs.symlinkSync(dataFolder, 'link');
    return reads('link/tocsin.db');
  },
  'the data folder by a hard link': () => {
    fs.linkSync(`${dataFolder}/tocsin.db`, 'hard');
    return reads('hard');
  },
  'the data folder by going up': () => reads(`${'../'.repeat(20)}${dataFolder}/tocsin.db`),
  'the data folder of a shell': () => holds(sh(`cat ${dataFolder}/*`)),
  'a file in the data folder': () => writes(`${dataFolder}/planted`),
  'a file that is open to others': () => reads(`${shared}/open`),
  'a folder that others may write': () => writes(`${shared}/planted`),
  'the database through node:sqlite': () => {
    const { DatabaseSync } = require('node:sqlite');
    new DatabaseSync(`${dataFolder}/planted.db`).exec('CREATE TABLE t (x)');
    return 'made a database there';
  },
  'the source of the service': () => fs.readFileSync(`${checkout}/src/main.ts`, 'utf8'),
  // Same user; its own files do not contain the canary.
  'the files of other runs': () => holds(sh(`cat ${runs}/tocsin-script-*/home/* 2>/dev/null; true`)),
  'the passwords of the machine': () => fs.readFileSync('/etc/shadow', 'utf8'),
  'the home of root': () => fs.readdirSync('/root').join() || 'listed it',
  'packages of the runtime': () => writes('node_modules/lodash/lodash.js'),
  'a package added to the runtime': () => writes('node_modules/planted.js'),
  'the first code of a run': () => writes('/tocsin/node_modules/tocsin/start.mjs'),
  'the Node.js of the runtime': () => writes(process.execPath),
  'programs of the machine': () => writes('/usr/bin/env'),
  'settings of the machine': () => writes('/etc/hosts'),
  'a device': () =>
    fs
      .readdirSync('/dev')
      .filter((name) => /^(sd|vd|nvme|mem|kmsg|loop)/.test(name))
      .join(),
  'a device of its own': () => sh('mknod disk b 254 0 && head -c 1 disk && echo read'),
  'settings of the kernel': () => writes('/proc/sys/kernel/core_pattern'),
  'a mount': () => sh('mount -t tmpfs tmpfs /usr && echo mounted'),
  'a mount in namespaces of its own': () =>
    holds(sh(`unshare -rm sh -c 'mount --rbind / tmp && cat tmp${dataFolder}/tocsin.db'`)),
  'a mount made writable in namespaces of its own': () => {
    const place = '/tocsin/runtime';
    return sh(
      `unshare -rm sh -c 'mount -o remount,bind,rw ${place}; touch ${place}/node_modules/planted.js && echo may'`,
    );
  },
  'another user': () => {
    if (
      process.getuid() === 0 &&
      quiet(() => fs.readFileSync('/proc/self/uid_map', 'utf8'))
        .trim()
        .split(/\s+/)[1] !== '0'
    )
      return '';
    process.setuid(0);
    return 'became root';
  },
  'a program that makes root': () =>
    sh('sudo -n id -u 2>/dev/null || su -c "id -u" 2>/dev/null').trim() === '0' ? 'became root' : '',
  'open files that were left to it': () =>
    fs
      .readdirSync('/proc/self/fd')
      .map((fd) => quiet(() => fs.readlinkSync(`/proc/self/fd/${fd}`)))
      .filter((path) => path.startsWith(dataFolder) || path.startsWith(checkout))
      .join(),
  'a program by process.binding': () => {
    const { spawn } = process.binding('spawn_sync');
    const stdio = [
      { type: 'pipe', readable: true, writable: false },
      { type: 'pipe', readable: false, writable: true },
    ];
    const { output } = spawn({ file: '/bin/cat', args: ['cat', `${dataFolder}/tocsin.db`], stdio });
    return holds(String(output?.[1] ?? ''));
  },
  // A linter, which reads a file and prints what is wrong with it.
  'a native module': () => {
    fs.writeFileSync('own.js', 'const own = "shown by the module" 5;');
    const code = `require(process.argv[1]).lint(process.argv.slice(2), ...Array(6).fill(async () => {}))`;
    const addon = fs.realpathSync('node_modules/native/addon.node');
    const words = ['-e', code, addon, fs.realpathSync('own.js'), `${dataFolder}/hook.js`];
    const said = spawnSync(process.execPath, words, { env: { NO_COLOR: '1' } }).stdout.toString();
    return said.includes('shown by the module') ? holds(said) : `did not run: ${said}`;
  },
  'calls of the system by perl': () => {
    const code = 'open(my $f, "<", $ARGV[0]) or die; sysread($f, my $text, 100); print $text';
    return holds(execFileSync('perl', ['-e', code, `${dataFolder}/secret.key`]).toString());
  },
  'the network of the machine': () =>
    Object.keys(os.networkInterfaces())
      .filter((name) => name !== 'lo')
      .join(),
  'a listener of the machine': () => connects({ host: '127.0.0.1', port: ports.listener }),
  'the port of the database': () => connects({ host: '127.0.0.1', port: ports.database }),
  'an abstract socket of the machine': () => connects({ path: `\0${abstractName}` }),
  'the gateway of its run': () => {
    fs.rmSync('/tocsin/gateway/socket');
    return 'removed it';
  },
  'a gateway of its own': () => writes('/tocsin/gateway/planted'),
  'a socket of the machine': () =>
    sh(
      'ls /var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock /run/dbus/system_bus_socket 2>/dev/null',
    ),
};

for (const [name, attempt] of Object.entries(attempts)) {
  if (only !== null && !only.includes(name)) continue;
  let got = '';
  try {
    got = String((await attempt()) ?? '');
  } catch {
    // Refused.
  }
  console.log(JSON.stringify({ name, got: got.slice(0, 200) }));
}

function quiet(inspect) {
  try {
    return inspect();
  } catch {
    return '';
  }
}
