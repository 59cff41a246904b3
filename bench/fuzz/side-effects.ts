// Detects side effects: file and environment access, output, and changed prototypes.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Side effects since the last call, one sentence each. */
export interface Watch {
  inspect(): string[];
  /** Restores everything. */
  end(): void;
}

type Callable = (...args: never[]) => unknown;

/** Wraps everything that reads or writes, and records the properties of built-in prototypes. */
export function watchProcess(): Watch {
  const noticed: string[] = [];
  const undo: (() => void)[] = [];
  const note = (what: string): void => void (noticed.length < 100 && noticed.push(what));
  const wrap = (holder: object, name: string, what: string): void => {
    const original: unknown = Reflect.get(holder, name);
    if (typeof original !== 'function') return;
    const wrapped = function (this: unknown, ...args: never[]): unknown {
      note(`${what} ${name}`);
      return Reflect.apply(original as Callable, this, args);
    };
    if (Reflect.set(holder, name, wrapped)) undo.push(() => Reflect.set(holder, name, original));
  };
  for (const name of Object.keys(fs)) {
    if (/^(read|write|open|stat|lstat|access|exists|append|create|copy|rm|unlink|mkdir)/.test(name))
      wrap(fs, name, 'file:');
  }
  syncBuiltinESMExports();
  for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir']) wrap(console, name, 'logged:');
  for (const stream of [process.stdout, process.stderr]) wrap(stream, 'write', 'logged:');
  const { env } = process;
  const read = (what: string) => (_target: object, key: string | symbol) => {
    note(`environment: ${what} ${String(key)}`);
    return undefined;
  };
  process.env = new Proxy<NodeJS.ProcessEnv>(env, {
    get: read('read'),
    has: () => (note('environment: looked at'), false),
  });
  const before = prototypes.map(([, prototype]) => contentOf(prototype));
  return {
    inspect() {
      prototypes.forEach(([name, prototype], index) => {
        const now = contentOf(prototype);
        if (now !== before[index]) note(`${name}.prototype has changed`);
        before[index] = now;
      });
      return noticed.splice(0);
    },
    end() {
      process.env = env;
      for (const back of undo.toReversed()) back();
      syncBuiltinESMExports();
    },
  };
}

const prototypes: readonly (readonly [name: string, prototype: object])[] = [
  ['Object', Object.prototype],
  ['Array', Array.prototype],
  ['String', String.prototype],
  ['Number', Number.prototype],
  ['Boolean', Boolean.prototype],
  ['Function', Function.prototype],
];

function contentOf(prototype: object): string {
  return Reflect.ownKeys(prototype).map(String).join(' ');
}
