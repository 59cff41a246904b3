// Reads the sources of a tree and what each of them imports: what the rules of the architecture are judged on.
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** One source file. */
export interface SourceFile {
  /** From the root of the project, with slashes. */
  readonly path: string;
  readonly text: string;
  /** The text with comments blanked and nothing moved. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** One import, as a file of this project or as the package or `node:` module it names. */
export interface Import {
  readonly from: string;
  readonly kind: 'file' | 'node' | 'package';
}

/** Every TypeScript file below the given folders of `root`, without installed packages. */
export function readSources(root: string, folders: readonly string[]): readonly SourceFile[] {
  const paths = folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .map((path) => path.replaceAll('\\', '/'));
  return paths
    .filter((path) => !path.includes('node_modules/'))
    .sort()
    .map((path) => sourceFile(path, readFileSync(posix.join(root, path), 'utf8')));
}

/** A source file of a text. */
export function sourceFile(path: string, text: string): SourceFile {
  const code = withoutComments(text);
  return { path, text, code, imports: importsOf(path, code) };
}

// Text and templates first, so that what looks like a comment inside them is none; a regular expression with // or /*
// in it would have to be written as [/][/], which no file here needs.
const textsAndComments = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

function withoutComments(text: string): string {
  return text.replace(textsAndComments, (found) => (found.startsWith('/') ? found.replace(/[^\n]/g, ' ') : found));
}

const importForms = [
  /(?:^|[;}\n])\s*(?:import|export)\s+(?:type\s+)?(?:[\w$*{},\s]+?\sfrom\s+)?['"]([^'"\n]+)['"]/g,
  /\bimport\(\s*['"]([^'"\n]+)['"]/g,
  /\brequire\(\s*['"]([^'"\n]+)['"]/g,
  // The entry of a thread or a process is an import too.
  /\bnew URL\(\s*['"](\.{1,2}\/[^'"\n]+\.ts)['"]\s*,\s*import\.meta\.url/g,
  /\bimport\.meta\.resolve\(\s*['"]([^'"\n]+)['"]/g,
];

function importsOf(path: string, code: string): readonly Import[] {
  const names = importForms.flatMap((form) => [...code.matchAll(form)].map((match) => match[1] ?? ''));
  return [...new Set(names)].map((name) => resolveImport(path, name));
}

function resolveImport(path: string, name: string): Import {
  if (name.startsWith('#')) return { kind: 'file', from: posix.join('src', name.slice(1)) };
  if (name.startsWith('.')) return { kind: 'file', from: posix.join(posix.dirname(path), name) };
  return { kind: name.startsWith('node:') ? 'node' : 'package', from: name };
}
