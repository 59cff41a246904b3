// CSV: a check for each line, as the page *Add many checks* reads them.
import type { CheckForm } from '#checks/form.ts';
import { createDraft, type Imported, ImportError } from '../imported.ts';
import { readLines } from './lines.ts';

/** Interval of lines without one, seconds. */
const usualInterval = 600;

/** @throws {ImportError} if no line holds a check */
export function importCsv(text: string, forms: readonly CheckForm[]): Imported {
  const draft = createDraft('csv');
  const lines = readLines(text, { interval: usualInterval, tags: [], groupId: null }, forms);
  if (lines.length === 0) throw new ImportError('the file has no lines');
  for (const { number, name, target, type, check, notes, fault } of lines) {
    const source = { from: name || target || `line ${number}`, kind: `line ${number}` };
    if (check === null) draft.skip(source, fault ?? 'it is not a check');
    else {
      const { groupId: _none, ...resource } = check;
      draft.add('checks', name || type, resource, source, notes);
    }
  }
  return draft.finish();
}
