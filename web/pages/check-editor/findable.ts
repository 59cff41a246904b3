// Values of a response that an assertion can be made on: status, headers and the fields of a JSON body.
import { evidenceOf, type Result } from '../../ui/checks/evidence.ts';

/** A value, and the assertion source that reads it. */
export interface Findable {
  readonly source: string;
  readonly property: string;
  readonly target: string;
  readonly label: string;
}

/** Fields of a document that are listed at most. */
const maxFields = 200;

/** @param sources those that the kind of check has */
export function findable(result: Result, sources: ReadonlySet<string>): readonly Findable[] {
  const { sections } = evidenceOf(result);
  const [answer] = sections;
  if (answer === undefined) return [];
  const status = /^\S+ (\d{3})\b|^(\d{3})\b/.exec(answer.line ?? '');
  const body = answer.texts?.find(({ isBody, isBinary }) => isBody === true && isBinary !== true)?.text;
  const all: readonly Findable[] = [
    ...(status === null
      ? []
      : [{ source: 'STATUS_CODE', property: '', target: status[1] ?? status[2] ?? '', label: 'Status' }]),
    ...Object.entries(answer.headers ?? {}).map(([name, value]) => ({
      source: 'HEADERS',
      property: name,
      target: typeof value === 'string' ? value : value.join(', '),
      label: name,
    })),
    ...(body === undefined ? [] : jsonFields(body)),
  ];
  return all.filter(({ source }) => sources.has(source));
}

function jsonFields(text: string): readonly Findable[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return [];
  }
  const found: Findable[] = [];
  const walk = (value: unknown, path: string): void => {
    if (found.length >= maxFields) return;
    if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        const step = Array.isArray(value)
          ? `[${name}]`
          : /^[A-Za-z_]\w*$/.test(name)
            ? `.${name}`
            : `[${JSON.stringify(name)}]`;
        walk(inner, path + step);
      }
      return;
    }
    found.push({
      source: 'JSON_BODY',
      property: path,
      target: typeof value === 'string' ? value : JSON.stringify(value),
      label: path,
    });
  };
  walk(document, '$');
  return found;
}
