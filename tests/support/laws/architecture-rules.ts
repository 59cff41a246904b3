// The laws of the house, a sentence each, as functions of the sources: docs say them, this enforces them.
import type { SourceFile } from './source-files.ts';
import { notOnEachEngine } from './store-cases.ts';

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
  'src/lib': [],
  'src/domain': [],
  'src/contract': ['src/channels', 'src/checks', 'src/domain', 'src/lib'],
  'src/files': ['src/contract', 'src/domain', 'src/lib'],
  'src/importers': ['src/checks', 'src/contract', 'src/domain', 'src/files', 'src/lib'],
  'src/egress': ['src/lib'],
  'src/config': ['src/egress', 'src/domain', 'src/lib'],
  'src/pipeline': ['src/domain', 'src/lib'],
  'src/upkeep': ['src/domain', 'src/lib'],
  'src/actions': ['src/store', 'src/domain', 'src/lib'],
  'src/store': ['src/domain', 'src/lib'],
  'src/checks': ['src/egress', 'src/domain', 'src/lib'],
  'src/channels': ['src/egress', 'src/domain', 'src/lib'],
  'src/sandbox': ['src/egress', 'src/domain', 'src/lib'],
  'src/metrics': ['src/store', 'src/domain', 'src/lib'],
  'src/publish': ['src/domain', 'src/lib'],
  'src/rest': ['src/contract', 'src/actions', 'src/domain', 'src/lib'],
  'src/app': [
    'src/actions',
    'src/channels',
    'src/checks',
    'src/config',
    'src/contract',
    'src/domain',
    'src/egress',
    'src/files',
    'src/lib',
    'src/metrics',
    'src/pipeline',
    'src/publish',
    'src/rest',
    'src/sandbox',
    'src/store',
    'src/upkeep',
  ],
  'src/cli': [
    'src/actions',
    'src/app',
    'src/channels',
    'src/checks',
    'src/config',
    'src/contract',
    'src/domain',
    'src/egress',
    'src/files',
    'src/importers',
    'src/lib',
    'src/pipeline',
    'src/sandbox',
    'src/store',
  ],
};
/** Floors above the ground floor at most: what stands on what. */
const floorsMax = 9;
/** Files of one folder at most, tests not counted. */
const filesPerFolder = 25;
/** Files of src/ itself: what is started. */
const entries = ['src/main.ts', 'src/tocsin.ts'];

/** Folders whose subfolders are kinds, and the one file that may know them all. */
const kindFolders = ['src/checks/kinds', 'src/channels/kinds'];

/** Files of kinds for the browser. */
const showPart = /[/](shows?|snippets|(?:[a-z]+-)?forms?|sources)\.ts$/;

/** Rooms of the kinds that measure nothing of targets themselves may not reach the network past the guard. */
const guarded = ['src/checks/runner', 'src/channels/sender'];

/** What differs between the engines of the store. */
const engines = ['sqlite', 'postgres'] as const;

export const rules: readonly Rule[] = [
  {
    sentence: 'A room imports only the rooms in its row, and nothing imports an entry point.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) => {
        if (entries.includes(to)) return path === 'src/tocsin.ts' ? null : `imports the entry point ${to}`;
        const [from, room] = [roomOf(path), roomOf(to)];
        if (entries.includes(path) || from === null || room === from) return null;
        return room !== null && rooms[from]?.includes(room) ? null : `imports ${to}`;
      }),
  },
  {
    sentence: 'Every folder of src/ is a room with a row in the table, and src/ itself holds only entry points.',
    breaches: (sources) =>
      production(sources).flatMap(({ path }) =>
        roomOf(path) === null && !entries.includes(path) ? [`${path}: its room has no row`] : [],
      ),
  },
  {
    sentence: 'Actions import only types of the store.',
    breaches: (sources) =>
      production(sources).flatMap(({ path, code }) =>
        path.startsWith('src/actions/') && /\bimport\s+(?!type\b)[^;]*?'#store[/]/.test(code) ? [path] : [],
      ),
  },
  {
    sentence: 'The store stands in order: base, engines, nouns, the path, and what reads or copies all of it.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) => {
        const [from, below] = [storeLevel(path), storeLevel(to)];
        return from !== null && below !== null && below > from ? `imports ${to}` : null;
      }),
  },
  {
    sentence: 'The rooms stand on at most nine floors.',
    breaches: () => Object.keys(rooms).flatMap((room) => (floorOf(room) > floorsMax ? [`${room}: too high`] : [])),
  },
  {
    sentence: 'No folder has more than 25 files, tests not counted.',
    breaches: (sources) =>
      [...Map.groupBy(production(sources), ({ path }) => path.slice(0, path.lastIndexOf('/')))]
        .filter(([folder, files]) => folder.startsWith('src') && files.length > filesPerFolder)
        .map(([folder, files]) => `${folder}: ${files.length} files`),
  },
  {
    sentence: 'Only the threads that probe and send, and the sandbox, ask the guard of egress.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) =>
        to.startsWith('src/egress/') &&
        /^src\/(checks|channels)\//.test(path) &&
        !guarded.some((room) => path.startsWith(room))
          ? `imports ${to}`
          : null,
      ),
  },
  {
    sentence: 'Of the kinds of checks and channels the contract sees only schemas.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) => {
        const isOfKinds = /^src\/(checks|channels)\//.test(to);
        const isSchema = /[/-]schemas?\.ts$/.test(to);
        return path.startsWith('src/contract/') && isOfKinds && !isSchema ? `imports ${to}` : null;
      }),
  },
  {
    sentence: 'What the browser shows of a kind imports only show parts, and helpers that import nothing.',
    breaches: (sources) => {
      const alone = sources.filter(({ path, imports }) => path.startsWith('src/lib/') && imports.length === 0);
      const helpers = new Set(alone.map(({ path }) => path.replace('src/', '#')));
      return production(sources)
        .filter(({ path }) => /^src\/(checks|channels)\//.test(path) && showPart.test(path))
        .flatMap(({ path, code }) =>
          [...code.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^;']*from\s+)?'([^']+)'/gm)].flatMap(([, to = '']) =>
            showPart.test(to) || helpers.has(to) ? [] : [`${path}: imports ${to}`],
          ),
        );
    },
  },
  {
    sentence: 'A kind never sees another kind, and only registry.ts, schemas.ts, shows.ts and forms.ts know the kinds.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) => {
        const kind = kindOf(to);
        if (kind === null || kind === kindOf(path)) return null;
        const room = kind.slice(0, kind.lastIndexOf('/kinds/'));
        const isJoined =
          ['registry', 'schemas', 'shows', 'forms'].some((name) => path === `${room}/${name}.ts`) ||
          (kind.startsWith('src/checks/') && /^src\/(app|cli)\//.test(path));
        return isJoined ? null : `imports ${to} of kind ${kind}`;
      }),
  },
  {
    sentence: 'Only the folder of a channel kind and the importers, which make channels, name its type.',
    breaches: perLine(
      // Subscribers of status pages have a type with the same word.
      (path) => !/^src[/](channels[/]kinds|importers)[/]|[/]status-subscription\.ts$/.test(path),
      /'(WEBHOOK|EMAIL|SLACK|PAGERDUTY|OPSGENIE|SMS|CALL)'/,
    ),
  },
  {
    sentence: 'The engines of the store never see each other, and in the store only their own files know them.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) => {
        const engine = engineOf(to);
        if (engine === null || !path.startsWith('src/store/')) return null;
        return engine === engineOf(path) ? null : `imports ${to} of ${engine}`;
      }),
  },
  {
    sentence: 'The steps of the pipeline never import each other: they meet in tables.',
    breaches: (sources) =>
      perImport(sources, ({ path }, to) => {
        const isStep = /^src\/pipeline\/[^/]+$/;
        return isStep.test(to) && isStep.test(path) ? `imports the step ${to}` : null;
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
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.|\bcrypto\.|\bset(?:Timeout|Interval|Immediate)\(|\bfetch\(|(?<!\.\/)\bprocess\.|\bconsole\./,
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
    sentence: 'Packages are imported without exports of everything, and only registries pass on what others export.',
    breaches: (sources) =>
      production(sources).flatMap(({ path, code }) => [
        ...(path.endsWith('/index.ts') ? [`${path}: a barrel by its name`] : []),
        ...(!/[/](registry|schemas|shows|forms)\.ts$/.test(path) &&
        /^\s*export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s*(?:as \w+\s+)?from\b/m.test(code)
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

/** The room a file lies in; null where the table has no row. */
function roomOf(path: string): string | null {
  return Object.keys(rooms).find((room) => path.startsWith(`${room}/`)) ?? null;
}

/** Folders of the store, by level: those of a level may import each other, and what is below. */
const storeLevels: readonly (readonly string[])[] = [
  ['base'],
  ['engines'],
  [
    'accounts',
    'channels',
    'checks',
    'locations',
    'projects',
    'roll-ups',
    'schedules',
    'scripts',
    'sessions',
    'status-pages',
  ],
  ['path'],
  ['copy', 'history', 'overview'],
];

/** The level of a file of the store, above all of them for those that open it; null elsewhere. */
function storeLevel(path: string): number | null {
  if (!path.startsWith('src/store/')) return null;
  const [folder = '', ...file] = path.slice('src/store/'.length).split('/');
  return file.length === 0 ? storeLevels.length : storeLevels.findIndex((level) => level.includes(folder));
}

/** How many rooms stand below a room, one on the other. */
function floorOf(room: string): number {
  return Math.max(0, ...(rooms[room] ?? []).map((below) => 1 + floorOf(below)));
}

/** The folder of the kind a file belongs to; null outside of kinds. */
function kindOf(path: string): string | null {
  const folder = kindFolders.find((each) => path.startsWith(`${each}/`));
  const [kind, ...rest] = folder === undefined ? [] : path.slice(folder.length + 1).split('/');
  return kind !== undefined && rest.length > 0 ? `${folder}/${kind}` : null;
}

/** The engine that a file of the store is about, by its folder or its name; null = none. */
function engineOf(path: string): string | null {
  if (!path.startsWith('src/store/')) return null;
  return engines.find((engine) => path.includes(`/engines/${engine}/`) || path.includes(`/${engine}-`)) ?? null;
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
