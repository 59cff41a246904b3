// A network of its own for a program: nothing leaves it, and every address there is leads back to this machine.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment } from './service/plain-environment.ts';

/** What the program finds there instead of the machine's own. */
export interface NetworkFiles {
  readonly hosts: string;
  readonly resolver: string;
}

/** Connections to any address of either family reach a listener on `::`. */
const setUp = `set -e
mount -t proc proc /proc
mount --bind "$1" /etc/hosts
mount --bind "$2" /etc/resolv.conf
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
shift 2
exec "$@"`;

/**
 * Runs a TypeScript file there and answers with what it wrote to stdout.
 *
 * @throws where no such network can be made, or when the program fails: a promise that cannot be tried must not seem kept
 */
export async function runInOwnNetwork(file: string, files: NetworkFiles): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-network-'));
  const [hosts, resolver] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
  writeFileSync(hosts, files.hosts);
  writeFileSync(resolver, files.resolver);
  // Numbers of processes of its own as well, so that all that was started in it ends with it.
  const flags = [...(process.getuid?.() === 0 ? [] : ['-r']), '-n', '-m', '-p', '-f', '--kill-child'];
  const words = ['sh', '-c', setUp, 'sh', hosts, resolver, process.execPath, file];
  const child = spawn('unshare', [...flags, ...words], { stdio: ['ignore', 'pipe', 'pipe'], env: plainEnvironment() });
  let [said, complained] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()));
  const why = await new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? null : `it ended with ${code ?? signal}`));
  });
  rmSync(folder, { recursive: true });
  if (why === null) return said;
  throw new Error(`${file} did not run in a network of its own: ${why}
${complained.trim()}
It needs Linux with unshare(1), mount(8) and ip(8), as root or with user namespaces allowed.`);
}
