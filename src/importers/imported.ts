// What an importer produces: a resource file, and a row for everything that it read.
import { escaped } from '#files/placeholders.ts';
import { type FileResource, type ResourceFile, type SectionName, sections } from '#contract/projects/resource-file.ts';
import type { DeclaredResource } from '#domain/projects/resource.ts';

/** What became of one thing of the other product. */
export interface ImportRow {
  /** Its name there. */
  readonly from: string;
  /** Its type there. */
  readonly kind: string;
  /** What it becomes, such as `URL check home`; null = not carried over, and the notes say why. */
  readonly to: string | null;
  /** The resource in the file; null = not carried over. */
  readonly resource: Pick<DeclaredResource, 'type' | 'logicalId'> | null;
  /** What differs, or could not be carried over. */
  readonly notes: readonly string[];
}

/** The result of an importer. */
export interface Imported {
  readonly file: ResourceFile;
  readonly rows: readonly ImportRow[];
  /** Environment variables that the file needs for what the other product does not tell, with where. Absent = none. */
  readonly secrets?: readonly { readonly name: string; readonly used: string }[];
}

/** An input that cannot be read. The message says where and why, for people. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** Something of the other product. */
export interface Source {
  readonly from: string;
  readonly kind: string;
}

/** A file that grows while an importer reads. */
export interface Draft {
  /**
   * Adds a resource.
   * @param wantedId becomes its logical ID, made unique
   * @returns the logical ID
   */
  readonly add: (
    section: SectionName,
    wantedId: string,
    resource: FileResource,
    source: Source,
    notes?: readonly string[],
  ) => string;
  /** Reports what is not carried over. */
  readonly skip: (source: Source, ...why: readonly string[]) => void;
  readonly finish: () => Imported;
}

/** What people call a resource of a section. */
export const nouns = Object.fromEntries(
  sections.map(({ name, noun }) => [name, noun.replace(/^(alert|check) (?=channel|group)/, '')]),
) as Readonly<Record<SectionName, string>>;

/** Sections whose keys stand for a field, so that they are not changed. */
const keyed = new Set(sections.flatMap(({ name, keyField }) => (keyField === undefined ? [] : name)));

const types = Object.fromEntries(sections.map(({ name, type }) => [name, type])) as Readonly<
  Record<SectionName, DeclaredResource['type']>
>;

/**
 * @param project logical ID of the project that owns what is imported
 * @param writeText turns a text of the other product into one of a resource file, where `${env:…}` has a meaning
 */
export function createDraft(project: string, writeText: (text: string) => string = escaped): Draft {
  const drafted = new Map<SectionName, Map<string, FileResource>>();
  const rows: ImportRow[] = [];
  /** The number behind the last logical ID, by section and wanted ID: files may have one name very often. */
  const numbers = new Map<string, number>();
  const freeName = (section: SectionName, wanted: string, taken: ReadonlyMap<string, unknown>): string => {
    const key = `${section} ${wanted}`;
    for (let number = (numbers.get(key) ?? 0) + 1; ; number += 1) {
      const name = number === 1 ? wanted : `${wanted}-${number}`;
      numbers.set(key, number);
      if (!taken.has(name)) return name;
    }
  };
  return {
    add: (section, wantedId, resource, source, notes = []) => {
      const resources = drafted.get(section) ?? new Map<string, FileResource>();
      drafted.set(section, resources);
      const id = freeName(section, keyed.has(section) ? wantedId : slug(wantedId), resources);
      resources.set(id, resource);
      const kind = resource['checkType'] ?? resource['type'];
      const to = [kind, nouns[section], id].filter((part) => typeof part === 'string').join(' ');
      rows.push({ ...source, to, resource: { type: types[section], logicalId: id }, notes });
      return id;
    },
    skip: (source, ...why) => void rows.push({ ...source, to: null, resource: null, notes: why }),
    finish: () => {
      const file = Object.fromEntries(
        (Object.keys(nouns) as SectionName[]).flatMap((name) => {
          const resources = drafted.get(name);
          return resources === undefined ? [] : [[name, written(Object.fromEntries(resources), writeText)]];
        }),
      );
      return { file: { project, ...file }, rows };
    },
  };
}

/** The value with all its texts written for a resource file. */
function written(value: unknown, writeText: (text: string) => string): unknown {
  if (typeof value === 'string') return writeText(value);
  if (Array.isArray(value)) return value.map((each) => written(each, writeText));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, written(each, writeText)]));
}

/** A logical ID that reads like a name: lower case, digits and hyphens. */
export function slug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 100).replace(/^-+|-+$/g, '') || 'unnamed';
}
