// A deployment as a person would write it: a line for each resource, and what changes of it.
import type { DeploymentBody } from '#contract/projects/project.ts';
import { oneLine, withoutControls } from '../../terminal-text.ts';
import { cellText, cut, type Style } from '../table.ts';

type Diff = NonNullable<DeploymentBody['diff']>;
type DiffEntry = Diff[number];
type Change = DiffEntry['changes'][number];

/** Longest value that is shown, in columns. */
const longestValue = 60;

const signs: Readonly<Record<DiffEntry['action'], readonly [sign: string, style: Style]>> = {
  CREATE: ['+', 'green'],
  UPDATE: ['~', 'yellow'],
  DELETE: ['-', 'red'],
  DETACH: ['!', 'yellow'],
};

/** A plan in two parts: what is applied, and what the files no longer declare but only `--prune` deletes. */
export interface Plan {
  readonly applied: Diff;
  readonly kept: Diff;
}

/** @param diff of a dry run that prunes */
export function planOf(diff: Diff, isPruning: boolean): Plan {
  const isKept = ({ action }: DiffEntry): boolean => !isPruning && action === 'DELETE';
  return { applied: diff.filter((entry) => !isKept(entry)), kept: diff.filter(isKept) };
}

/** The lines of a plan; none = there is nothing to do. */
export function planLines({ applied, kept }: Plan): readonly string[] {
  return [
    ...applied.flatMap(entryLines),
    ...kept.map((entry) =>
      cellText({ text: `! ${nameOf(entry)} is not in the files; --prune deletes it`, style: 'dim' }),
    ),
  ];
}

/** `2 to create, 1 to change`. @param verbs for created, changed and deleted resources */
export function countText(
  diff: Diff,
  verbs = { CREATE: 'to create', UPDATE: 'to change', DELETE: 'to delete' },
): string {
  return Object.entries(verbs)
    .map(([action, verb]) => [diff.filter((entry) => entry.action === action).length, verb] as const)
    .filter(([count]) => count > 0)
    .map(([count, verb]) => `${count} ${verb}`)
    .join(', ');
}

function nameOf({ type, logicalId, name }: DiffEntry): string {
  const title = name === null || name === logicalId ? '' : ` "${oneLine(name)}"`;
  return `${type.replaceAll('-', ' ')} ${oneLine(logicalId)}${title}`;
}

function entryLines(entry: DiffEntry): readonly string[] {
  const [sign, style] = signs[entry.action];
  const head = `${sign} ${nameOf(entry)}`;
  const changes = entry.changes.map(changeText);
  if (changes.length <= 1) return [cellText({ text: head, style }) + changes.map((text) => `: ${text}`).join('')];
  return [cellText({ text: head, style }), ...changes.map((text) => `    ${text}`)];
}

/** `frequency 5 → 1` */
function changeText({ field, from, to, secret }: Change): string {
  if (secret === true) return `${oneLine(field)} ***`;
  return `${oneLine(field)} ${valueText(from)} → ${valueText(to)}`;
}

function valueText(value: unknown): string {
  return value === undefined ? 'none' : cut(withoutControls(JSON.stringify(value)), longestValue);
}
