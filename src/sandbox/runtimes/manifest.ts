// The manifest.json of a runtime. Everything else is read from the installed files.
import { runtimeStages, type RuntimeStage } from '#domain/checks/runtime.ts';

/** The part of a runtime that cannot be read from its files. */
export interface Manifest {
  /** `YYYY.MM`, like its folder. */
  readonly name: string;
  readonly stage: RuntimeStage;
  readonly description: string | null;
  /** `MM/DD/YYYY`; null = none planned. */
  readonly runtimeEndOfLife: string | null;
  readonly multiStepSupport: boolean;
  /** `project` = the Node.js that runs Tocsin; `own` = node_modules/.bin/node in the runtime's folder. */
  readonly node: 'project' | 'own';
}

/** An invalid field and the allowed values. */
export interface ManifestFault {
  readonly field: string;
  readonly message: string;
}

interface Field {
  readonly right: string;
  readonly optional?: true;
  readonly accepts: (value: unknown) => boolean;
}

const fields: Readonly<Record<keyof Manifest, Field>> = {
  name: {
    right: 'a year and a month as YYYY.MM',
    accepts: (value) => typeof value === 'string' && /^\d{4}\.(0[1-9]|1[0-2])$/.test(value),
  },
  stage: { right: `one of ${runtimeStages.join(', ')}`, accepts: (value) => runtimeStages.some((s) => s === value) },
  description: {
    right: 'a text, or left out',
    optional: true,
    accepts: (value) => typeof value === 'string' && value.trim() !== '',
  },
  runtimeEndOfLife: { right: 'a day as MM/DD/YYYY, or left out', optional: true, accepts: isCalendarDay },
  multiStepSupport: { right: 'true or false', accepts: (value) => typeof value === 'boolean' },
  node: { right: 'project or own', accepts: (value) => value === 'project' || value === 'own' },
};

/**
 * Parses a manifest (decisions: Runtimes).
 *
 * @param folder name of the runtime's folder, which must equal its name
 * @returns the manifest, or all errors. Unknown fields are errors, so that a misspelled date is not ignored
 */
export function readManifest(text: string, folder: string): Manifest | readonly ManifestFault[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return [{ field: 'manifest.json', message: `is not JSON: ${error instanceof Error ? error.message : ''}` }];
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return [{ field: 'manifest.json', message: 'must be a JSON object' }];
  }
  const values = new Map(Object.entries(json));
  const faults: ManifestFault[] = [...values.keys()]
    .filter((field) => !Object.hasOwn(fields, field))
    .map((field) => ({ field, message: `Unknown field. Known fields: ${Object.keys(fields).join(', ')}` }));
  for (const [field, { right, optional, accepts }] of Object.entries(fields)) {
    const value: unknown = values.get(field);
    if (value === undefined && optional === true) continue;
    if (!accepts(value)) faults.push({ field, message: `must be ${right}, not ${JSON.stringify(value) ?? 'missing'}` });
  }
  if (faults.length === 0 && values.get('name') !== folder) {
    faults.push({ field: 'name', message: `must equal the folder name, ${folder}` });
  }
  if (faults.length > 0) return faults;
  return {
    description: null,
    runtimeEndOfLife: null,
    ...(json as Pick<Manifest, 'name' | 'stage' | 'multiStepSupport' | 'node'>),
  };
}

function isCalendarDay(value: unknown): boolean {
  const [, month, day, year] = (typeof value === 'string' && /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(value)) || [];
  if (month === undefined || day === undefined || year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}
