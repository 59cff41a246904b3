// The receivers of docs/receivers/ in their languages: how each is started, and how each is asked about a signature.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { plainEnvironment } from '../service/plain-environment.ts';

type Command = readonly [program: string, ...words: string[]];

/** One language. */
export interface ReceiverLanguage {
  readonly name: string;
  /** That what runs it is on this machine. */
  readonly isHere: boolean;
  /** Makes it ready, once. */
  readonly build?: () => void;
  /** A program that says what it thinks of the lines on its stdin. */
  readonly vectors: Command;
  /** The receiver as a server. */
  readonly serve: (port: number) => Command;
}

/** Where the receivers are. */
export const receivers: string = fileURLToPath(new URL('../../../docs/receivers', import.meta.url));
const drivers = fileURLToPath(new URL('../../receivers', import.meta.url));

function isHere(...[program, ...words]: Command): boolean {
  return spawnSync(program, words, { env: plainEnvironment() }).status === 0;
}

function mustRun(...[program, ...words]: Command): void {
  const { status, stderr, error } = spawnSync(program, words, { env: plainEnvironment(), encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${error?.message ?? stderr}`);
}

/** Every language, and a folder for what they build, which is gone when `t` is over. */
export function receiverLanguages(t: { after(work: () => void): void }): ReceiverLanguage[] {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-receivers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const typescript = join(receivers, 'receiver.ts');
  const python = join(receivers, 'receiver.py');
  const inGo = join(folder, 'receiver');
  return [
    {
      name: 'TypeScript',
      isHere: true,
      build: () => writeFileSync(join(folder, 'vectors.mjs'), vectorsInTypeScript(typescript)),
      vectors: [process.execPath, join(folder, 'vectors.mjs')],
      serve: () => [process.execPath, typescript],
    },
    {
      name: 'Python',
      isHere: isHere('python3', '--version'),
      vectors: ['python3', '-B', join(drivers, 'vectors.py'), receivers],
      serve: () => ['python3', '-B', python],
    },
    {
      name: 'Java',
      isHere: isHere('java', '-m', 'jdk.compiler/com.sun.tools.javac.Main', '-version'),
      build: () => {
        const sources = [join(receivers, 'Receiver.java'), join(drivers, 'Vectors.java')];
        mustRun('java', '-m', 'jdk.compiler/com.sun.tools.javac.Main', '-encoding', 'UTF-8', '-d', folder, ...sources);
      },
      vectors: ['java', '-cp', folder, 'Vectors'],
      serve: () => ['java', '-cp', folder, 'Receiver'],
    },
    {
      name: 'Go',
      isHere: isHere('go', 'version'),
      build: () => buildInGo(folder, inGo),
      vectors: [`${inGo}-vectors`],
      serve: () => [inGo],
    },
    {
      name: 'PHP',
      isHere: isHere('php', '-r', `exit(in_array('sqlite', PDO::getAvailableDrivers()) ? 0 : 1);`),
      vectors: ['php', join(drivers, 'vectors.php'), receivers],
      serve: (port) => ['php', '-S', `127.0.0.1:${port}`, join(receivers, 'receiver.php')],
    },
  ];
}

function vectorsInTypeScript(receiver: string): string {
  return `import { verify } from ${JSON.stringify(pathToFileURL(receiver).href)};
import { readFileSync } from 'node:fs';
for (const line of readFileSync(0, 'utf8').trimEnd().split('\\n')) {
  const [now, secrets, lines, body] = line.split('\\t').map((field) => Buffer.from(field, 'base64'));
  const headers = Object.fromEntries(lines.toString().split('\\n').map((header) => header.split(/: (.*)/)));
  console.log(verify(headers, body, secrets.toString().split(' ').filter(Boolean), Number(now)));
}
`;
}

/** Two programs of the same file: the receiver unchanged, and with another start. */
function buildInGo(folder: string, program: string): void {
  mustRun('go', 'build', '-o', program, join(receivers, 'receiver.go'));
  const source = readFileSync(join(receivers, 'receiver.go'), 'utf8');
  writeFileSync(
    join(folder, 'receiver.go'),
    source.replace('func main() {', 'func main() {\n\tvectors()\n\tos.Exit(0)'),
  );
  cpSync(join(drivers, 'vectors.go'), join(folder, 'vectors.go'));
  mustRun('go', 'build', '-o', `${program}-vectors`, join(folder, 'receiver.go'), join(folder, 'vectors.go'));
}
