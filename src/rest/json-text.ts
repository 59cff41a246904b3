// Strict JSON parsing: bounded depth, no duplicate names, only text that can be stored.
import { maxMembers } from '#lib/schema/faults.ts';
import { HttpRefusal } from './http-refusal.ts';

/** Maximum nesting of a body. The API needs six levels; free JSON of an account may have more. */
const deepest = 64;

/**
 * Parses a body. Refuses (400): more than `most` members and elements, invalid JSON, nesting beyond 64 levels,
 * duplicate names in an object, the name `__proto__`, and strings with U+0000 or an unpaired surrogate, which databases
 * cannot store.
 */
export function parseJson(text: string, most = maxMembers): unknown {
  requireFewMembers(text, most);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new HttpRefusal(400, `The body is not valid JSON: ${where(error)}`);
  }
  inspect(text);
  return value;
}

/** Counts commas and opening brackets outside strings, before the text is known to be JSON. */
function requireFewMembers(text: string, most: number): void {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = stringEnd(text, index);
    else if ((code === 0x2c || code === 0x7b || code === 0x5b) && ++count > most) {
      throw new HttpRefusal(400, `The body has more than ${most} members and elements.`);
    }
  }
}

function where(error: unknown): string {
  const position = /position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(String(error));
  if (position?.[2]) return `error at line ${position[2]}, column ${position[3]}.`;
  if (position) return `error at character ${Number(position[1]) + 1}.`;
  return /end of JSON/.test(String(error)) ? 'unexpected end.' : 'error at the start.';
}

/** Checks valid JSON for what JSON.parse accepts but we do not. */
function inspect(text: string): void {
  // One entry per open bracket: the names seen so far in an object, null for a list.
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: {
        const end = stringEnd(text, index);
        const string = decoded(text, index, end);
        if (isName) addName(open.at(-1), string);
        isName = false;
        index = end;
        break;
      }
      case 0x7b:
        isName = true;
        push(open, new Set());
        break;
      case 0x5b:
        isName = false;
        push(open, null);
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        isName = false;
        break;
      case 0x2c:
        isName = open.at(-1) !== null;
        break;
      default:
    }
  }
}

function push(open: (Set<string> | null)[], entry: Set<string> | null): void {
  if (open.length === deepest) {
    throw new HttpRefusal(400, `The body is nested too deeply: at most ${deepest} levels.`);
  }
  open.push(entry);
}

/** Index of the quote that closes the string starting at `start`. */
function stringEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== 0x22) index += text.charCodeAt(index) === 0x5c ? 2 : 1;
  return index;
}

function decoded(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end);
  if (!inner.includes('\\')) return inner;
  const string = JSON.parse(text.slice(start, end + 1)) as string;
  if (string.includes('\0')) throw new HttpRefusal(400, 'The body contains a string with the character U+0000.');
  if (!string.isWellFormed()) throw new HttpRefusal(400, 'The body contains a string with an unpaired surrogate.');
  return string;
}

function addName(names: Set<string> | null | undefined, name: string): void {
  const shown = name.slice(0, 100);
  if (name === '__proto__') throw fault(shown, 'is a reserved name');
  if (names?.has(name)) throw fault(shown, 'is duplicated');
  names?.add(name);
}

function fault(name: string, message: string): HttpRefusal {
  return new HttpRefusal(400, `${name} ${message}`, { attributes: Object.fromEntries([[name, message]]) });
}
