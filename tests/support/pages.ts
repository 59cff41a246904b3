// Reads a page of docs/ as tests need it: its fenced blocks, tables, links, headings and code spans.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A fenced block: the words after the backticks, and its text. */
export interface Block {
  readonly info: readonly string[];
  readonly text: string;
}

/** A table: its head, and its rows of cells. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A page, taken apart. */
export interface Page {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly tables: readonly Table[];
  /** Targets of its links. */
  readonly links: readonly string[];
  /** Names of its headings as links spell them. */
  readonly anchors: ReadonlySet<string>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every page a user or a contributor reads. */
export function allPages(): readonly Page[] {
  return globSync(['*.md', 'docs/**/*.md'], { cwd: root })
    .sort()
    .map((path) => readPage(path));
}

/** Reads one page, by its path from the root of the project. */
export function readPage(path: string): Page {
  const text = readFileSync(root + path, 'utf8');
  const blocks = [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info = '', body = '']) => ({
    info: info.split(' '),
    text: body.slice(0, -1),
  }));
  const prose = text.replace(/^```.*\n[\s\S]*?^```$/gm, '');
  return {
    path,
    text,
    blocks,
    tables: tablesOf(prose),
    links: [...prose.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target),
    anchors: new Set([...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))),
  };
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function tablesOf(prose: string): readonly Table[] {
  return [...prose.matchAll(/^(\|.*\n)\|[-|: ]+\n((?:\|.*\n?)*)/gm)].map(([, head = '', rows = '']) => ({
    head: cellsOf(head),
    rows: rows
      .split('\n')
      .filter((line) => line !== '')
      .map(cellsOf),
  }));
}

/** Cells are divided by bars that stand outside code. */
function cellsOf(line: string): readonly string[] {
  const cells: string[] = [''];
  for (const part of line
    .trim()
    .slice(1, -1)
    .split(/(`[^`]*`)/)) {
    const [first = '', ...more] = part.startsWith('`') ? [part] : part.split('|');
    cells.push((cells.pop() ?? '') + first, ...more);
  }
  return cells.map((cell) => cell.trim());
}

/** The text of a cell that is one code span. @throws when it is anything else */
export function codeOf(cell: string): string {
  const text = /^`([^`]+)`$/.exec(cell)?.[1];
  if (text === undefined) throw new Error(`this cell is not one code span: ${cell}`);
  return text;
}

/** The one block with these words. @throws when there is none or more than one */
export function blockOf(page: Page, ...info: readonly string[]): string {
  const found = page.blocks.filter((block) => block.info.join(' ') === info.join(' '));
  if (found.length !== 1 || found[0] === undefined) {
    throw new Error(`${page.path} has ${found.length} blocks marked ${info.join(' ')}, not one`);
  }
  return found[0].text;
}
