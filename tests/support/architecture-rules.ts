// The laws of the house, a sentence each, as functions of the sources: docs say them, this enforces them.
import type { SourceFile } from './source-files.ts';

/** A law, and what breaks it: one line each, with the file in front. */
export interface Rule {
  /** What holds when nothing is found. */
  readonly sentence: string;
  /** Holds for tests, benches and scripts as well. */
  readonly isOfTests?: true;
  readonly breaches: (sources: readonly SourceFile[]) => readonly string[];
}

/** Which other rooms a room may import; packages from npm are open to all but domain/. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'src/domain': [],
  'src/pipeline': ['src/domain', 'src/lib'],
  'src/checks': ['src/domain', 'src/lib'],
  'src/channels': ['src/domain', 'src/lib'],
  'src/runtimes': ['src/domain', 'src/lib'],
  'src/scripts': ['src/domain', 'src/lib'],
  'src/egress': ['src/lib'],
  'src/store': ['src/domain', 'src/lib'],
  'src/actions': ['src/domain', 'src/lib'],
  'src/contract': [],
  'src/rest': ['src/contract', 'src/actions', 'src/domain', 'src/lib'],
  'src/upkeep': ['src/domain', 'src/lib'],
  'src/commands': ['src/store', 'src/runtimes', 'src/domain', 'src/lib'],
  'src/lib': [],
  cli: ['src/contract'],
};

/** Folders whose subfolders are kinds, and the one file that may know them all. */
const kindFolders = ['src/checks', 'src/channels'];

/** Beside the kinds: what several of them are made of. It knows no kind itself. */
const commonFolders = [
  'src/checks/assertions',
  'src/checks/connection',
  'src/checks/findings',
  'src/checks/http',
  'src/checks/scripted',
];

/** What differs between the engines of the store, beside dialect.ts. */
const engineFolders = ['src/store/sqlite', 'src/store/postgres'];

/** Files of tests/store/ whose cases run once, beside `postgres*`, which are about PostgreSQL alone. */
const ofOneEngine: Readonly<Record<string, string>> = {
  'tests/store/checkpoints.test.ts': 'the log of a SQLite file',
  'tests/store/file.test.ts': 'a SQLite file as it is opened',
  'tests/store/move-across.test.ts': 'one engine beside the other',
  'tests/store/write-queue.test.ts': 'the one writer of a SQLite file',
};

export const rules: readonly Rule[] = [
  {
    sentence: 'A room imports only the rooms in its row, and the files that join (src/*.ts) are imported by none.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) => {
        const from = roomOf(path);
        if (from === 'src' || from === null) return null;
        const room = roomOf(to);
        return room === from || (room !== null && rooms[from]?.includes(room)) ? null : `imports ${to}`;
      }),
  },
  {
    sentence: 'Every folder of src/ is a room with a row in the table.',
    breaches: (sources) =>
      production(sources).flatMap(({ path }) => (roomOf(path) === null ? [`${path}: its room has no row`] : [])),
  },
  {
    sentence: 'A kind never sees another kind, and only registry.ts knows the kinds.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) => {
        const kind = kindOf(to);
        if (kind === null || kind === kindOf(path)) return null;
        const registry = path === `${kind.slice(0, kind.lastIndexOf('/'))}/registry.ts`;
        return registry || roomOf(path) === 'src' ? null : `imports ${to} of kind ${kind}`;
      }),
  },
  {
    sentence:
      'The engines of the store never see each other, and in the store only the two that open a store know them.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) => {
        const engine = engineOf(to);
        if (engine === null || !path.startsWith('src/store/') || isOpening(path)) return null;
        return engine === engineOf(path) ? null : `imports ${to} of ${engine}`;
      }),
  },
  {
    sentence: 'The steps of the pipeline never import each other: they meet in tables.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) => {
        const isStep = (file: string): boolean =>
          /^src\/pipeline\/(schedule-runs|run-checks|record-results|send-deliveries)\.ts$/.test(file);
        return isStep(to) && path.startsWith('src/pipeline/') && path !== to ? `imports the step ${to}` : null;
      }),
  },
  {
    sentence: 'The domain imports neither packages nor Node.js.',
    breaches: (sources) =>
      production(sources)
        .filter(({ path }) => path.startsWith('src/domain/'))
        .flatMap(({ path, imports }) =>
          imports.filter(({ kind }) => kind !== 'file').map(({ from }) => `${path}: imports ${from}`),
        ),
  },
  {
    sentence: 'The domain asks no clock, throws no dice and does no input or output.',
    breaches: perLine(
      (path) => path.startsWith('src/domain/'),
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.|\bcrypto\.|\bset(?:Timeout|Interval|Immediate)\(|\bfetch\(|\bprocess\.|\bconsole\./,
    ),
  },
  {
    sentence: 'Only src/config/config.ts reads the environment.',
    breaches: perLine(
      (path) => path !== 'src/config/config.ts',
      /\bprocess\s*\.\s*env\b|\bprocess\[|\benv\b[^;\n]*from 'node:process'/,
    ),
  },
  {
    sentence: 'Packages are imported without exports of everything, and no file only passes on what others export.',
    breaches: (sources) =>
      production(sources).flatMap(({ path, code }) => [
        ...(path.endsWith('/index.ts') ? [`${path}: a barrel by its name`] : []),
        ...(/^\s*export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s*(?:as \w+\s+)?from\b/m.test(code)
          ? [`${path}: exports again what another file exports`]
          : []),
      ]),
  },
  {
    sentence: 'Names say what a file is for: kebab-case, and no drawer for everything.',
    breaches: (sources) =>
      production(sources)
        .filter(({ path }) => {
          const name = path.slice(path.lastIndexOf('/') + 1, -'.ts'.length);
          return !/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?$/.test(name) || /^(utils?|common|misc|shared)$/.test(name);
        })
        .map(({ path }) => `${path}: rename it`),
  },
  {
    sentence: 'Each file opens with a sentence that says what it is for, or the one thing it exports says it.',
    isOfTests: true,
    breaches: (sources) =>
      sources.filter((file) => !opensWithASentence(file)).map(({ path }) => `${path}: opens without a word`),
  },
  {
    sentence: 'A flow runs on either topology, or says in its title that it is about the file or about PostgreSQL.',
    isOfTests: true,
    breaches: (sources) =>
      sources.filter(({ path }) => /^tests\/flows\/.*\.test\.ts$/.test(path)).flatMap(onOneTopology),
  },
  {
    sentence: 'A case of the store runs on both engines, or its file is named as one that is about one of them.',
    isOfTests: true,
    breaches: (sources) =>
      sources.filter(({ path }) => /^tests\/store\/.*\.test\.ts$/.test(path)).flatMap(notOnEachEngine),
  },
  {
    sentence: 'There are no enums, namespaces, decorators or base classes of ours.',
    breaches: perLine(
      () => true,
      /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?(?:enum|namespace)\s+\w|^\s*@\w+(?:\([^{]*\))?\s*$|\babstract class\b/,
    ),
  },
  {
    sentence: 'No file has more than 400 lines.',
    breaches: (sources) =>
      production(sources)
        .filter((file) => lines(file) > 400)
        .map((file) => `${file.path}: ${lines(file)} lines`),
  },
  {
    sentence: 'Files stay small: the median has at most 90 lines, the 95th percentile at most 300.',
    breaches: (sources) => {
      const sizes = production(sources)
        .map(lines)
        .sort((a, b) => a - b);
      const at = (share: number): number => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * share))] ?? 0;
      return [
        ...(at(0.5) > 90 ? [`median ${at(0.5)} lines`] : []),
        ...(at(0.95) > 300 ? [`95th percentile ${at(0.95)} lines`] : []),
      ];
    },
  },
  {
    sentence: 'Imports form no circle.',
    breaches: circles,
  },
];

/** The outermost cases of a flow that runs once, but for those that say on what. */
function onOneTopology({ path, code, imports }: SourceFile): readonly string[] {
  if (imports.some(({ from }) => from === 'tests/support/each-topology.ts')) return [];
  let isInLoop = false;
  const breaches: string[] = [];
  for (const line of code.split('\n')) {
    if (/^\w/.test(line)) isInLoop = line.startsWith('for ');
    if (!/^(?:describe|test|it)\(/.test(isInLoop ? line.replace(/^ {2}/, '') : line)) continue;
    if (!/\b[Aa]bout (?:the file|PostgreSQL)\b/.test(line)) breaches.push(`${path}: ${line.trim()}`);
  }
  return breaches;
}

/** How cases of the store could run on one engine: written with a `test` that knows none. */
function notOnEachEngine({ path, code, imports }: SourceFile): readonly string[] {
  const isOnEach = imports.some(({ from }) => from === 'tests/support/each-engine.ts');
  if (path in ofOneEngine || path.startsWith('tests/store/postgres')) {
    return isOnEach ? [`${path}: is named as one about one engine, and runs on both`] : [];
  }
  const grouped = "import { describe } from 'node:test';";
  const runners = code.split('\n').filter((line) => line.includes("'node:test'") && line !== grouped);
  return [
    ...(isOnEach ? [] : [`${path}: its cases come from elsewhere than tests/support/each-engine.ts`]),
    // To group cases is all that is wanted of Node.js.
    ...runners.map((line) => `${path}: ${line.trim()}`),
  ];
}

function opensWithASentence({ text }: SourceFile): boolean {
  if (/^(?:#![^\n]*\n)?(?:\/\/ \S|\/\*\*)/.test(text)) return true;
  const [only, ...more] = text.matchAll(/(\*\/\n)?^export /gm);
  return only?.[1] !== undefined && more.length === 0;
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

function production(sources: readonly SourceFile[]): readonly SourceFile[] {
  return sources.filter(({ path }) => !isTest(path));
}

/** The room a file lies in: `src` for those that join, null where the table has no row. */
function roomOf(path: string): string | null {
  if (/^src\/[^/]+$/.test(path)) return 'src';
  return Object.keys(rooms).find((room) => path.startsWith(`${room}/`)) ?? null;
}

/** The folder of the kind a file belongs to; null outside of kinds, as what they are made of is. */
function kindOf(path: string): string | null {
  if (commonFolders.some((each) => path.startsWith(`${each}/`))) return null;
  const folder = kindFolders.find((each) => path.startsWith(`${each}/`));
  const [kind, ...rest] = folder === undefined ? [] : path.slice(folder.length + 1).split('/');
  return kind !== undefined && rest.length > 0 ? `${folder}/${kind}` : null;
}

/** The folder of the engine a file belongs to; null outside of engines. */
/** The files of the store that join an engine with what is the same on both. */
function isOpening(path: string): boolean {
  return ['src/store/sqlite-store.ts', 'src/store/postgres-store.ts'].includes(path);
}

function engineOf(path: string): string | null {
  return engineFolders.find((folder) => path.startsWith(`${folder}/`)) ?? null;
}

function lines({ text }: SourceFile): number {
  return text.split('\n').length - 1;
}

function perImport(
  sources: readonly SourceFile[],
  judge: (file: SourceFile, to: string) => string | null,
): readonly string[] {
  return production(sources).flatMap((file) =>
    file.imports
      .filter(({ kind }) => kind === 'file')
      .map(({ from }) => judge(file, from))
      .filter((breach) => breach !== null)
      .map((breach) => `${file.path}: ${breach}`),
  );
}

function perLine(applies: (path: string) => boolean, forbidden: RegExp): Rule['breaches'] {
  return (sources) =>
    production(sources)
      .filter(({ path }) => applies(path))
      .flatMap(({ path, code }) =>
        code
          .split('\n')
          .flatMap((line, index) => (forbidden.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
      );
}

/** Files that import themselves over others, each circle said once. */
function circles(sources: readonly SourceFile[]): readonly string[] {
  const edges = new Map(sources.map(({ path, imports }) => [path, imports.map(({ from }) => from)]));
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return found;
}
