// Reads resource files: YAML to the resources of a project, with the place of everything that is declared.
import { fieldOf, fileFields, imageFields, type Section, sections } from '#contract/projects/resource-file.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { type DeclaredResource, longestLogicalId, mostResources } from '#domain/projects/resource.ts';
import { largestImage, rasterType } from '#domain/status-pages/status-page.ts';
import { errorMessage } from '#lib/errors.ts';
import { nearestName } from '#lib/nearest.ts';
import { type FileProblem, FileProblemsError, placeText, type SourceText, type Place } from './file-problem.ts';
import { type Environment, filled, hasPlaceholder, remembering } from './placeholders.ts';
import { referencing } from './refer.ts';
import { createBudget, type Entry, type Located, readYaml } from './yaml-source.ts';

/** Where a reader gets what the files only name. */
export interface FileNeeds {
  /** Values of `${env:NAME}`. */
  readonly environment: Environment;
  /**
   * The text of a file that a resource file names.
   * @param from path of the resource file, as in its source
   * @throws {Error} whose message says why it cannot be read
   */
  readonly readText: (from: string, path: string) => string;
  /** The content of such a file. */
  readonly readBytes: (from: string, path: string) => Uint8Array;
}

/** A resource with what is written about it. */
export interface WrittenResource extends DeclaredResource {
  readonly section: Section;
  readonly entry: Entry;
}

/** What files declare. */
export interface Declaration {
  /** Logical ID of the project; null = the files do not name it. */
  readonly project: string | null;
  readonly resources: readonly WrittenResource[];
  /** Hides values of the environment in a text. */
  readonly hide: (text: string) => string;
}

/**
 * Reads files as one declaration.
 * @throws {FileProblemsError} with everything that is wrong
 */
export function readFiles(sources: readonly SourceText[], needs: FileNeeds): Declaration {
  const problems: FileProblem[] = [];
  const budget = createBudget();
  const report = (problem: FileProblem): void => void problems.push(problem);
  const roots = sources.map((source) => readYaml(source, budget, report));
  if (problems.length > 0) throw new FileProblemsError(problems);
  const top = roots.flatMap((root) => (root === null ? [] : topLevel(root, report)));
  const project = projectOf(top, report);
  const resources = sections.flatMap((section) =>
    written(section, top, report).map((entry) => ({ section, type: section.type, logicalId: entry.key, entry })),
  );
  if (resources.length > mostResources) {
    report({ message: `the files declare ${resources.length} resources; at most ${mostResources}`, place: null });
  }
  const refer = referencing(resources);
  const { environment, hide } = remembering(needs.environment);
  const filling = { ...needs, environment };
  const read = resources.map((resource) => ({ ...resource, payload: payloadOf(resource, filling, refer, report) }));
  if (problems.length > 0) {
    throw new FileProblemsError(problems.map(({ message, place }) => ({ message: hide(message), place })));
  }
  return { project, resources: read, hide };
}

/** Reads the text of a resource file that names no other files. @throws {FileProblemsError} with everything that is wrong */
export function readOneText(text: string, environment: Environment): Declaration {
  const refuse = (): never => {
    throw new Error('is not available here');
  };
  return readFiles([{ path: 'imported.yaml', text }], { readText: refuse, readBytes: refuse, environment });
}

/** Whether a field of a resource has a value of the environment, in it or in what contains it. */
export function isFromEnvironment(
  { resources }: Pick<Declaration, 'resources'>,
  { type, logicalId }: Pick<DeclaredResource, 'type' | 'logicalId'>,
  path: string,
): boolean {
  const resource = resources.find((each) => each.type === type && each.logicalId === logicalId);
  return resource !== undefined && hasPlaceholderIn(fieldAt(resource.entry, path).value);
}

function hasPlaceholderIn({ entries, items, scalar }: Located): boolean {
  if (typeof scalar === 'string') return hasPlaceholder(scalar);
  return [...(items ?? []), ...(entries ?? []).map(({ value }) => value)].some(hasPlaceholderIn);
}

/**
 * Errors of the server at their lines.
 * @param faults messages by path, such as `resources[3].payload.request.url`
 */
export function problemsOf(
  { resources, hide }: Pick<Declaration, 'resources' | 'hide'>,
  faults: Readonly<Record<string, unknown>>,
): FileProblem[] {
  return Object.entries(faults).map(([path, fault]) => {
    const message = hide(String(fault));
    const [, index, rest = ''] = /^resources\[(\d+)\](?:\.payload)?\.?(.*)$/s.exec(path) ?? [];
    const resource = resources[Number(index ?? -1)];
    if (resource === undefined) return { message: `${path}: ${message}`, place: null };
    const isField = message.startsWith('unknown field');
    const place = placeOfPath(resource.entry, rest, isField);
    return { message: isField || rest === '' ? message : `${rest} ${message}`, place };
  });
}

const known = ['project', ...sections.map(({ name }) => name)];

/** The entries of a file. */
function topLevel(root: Located, report: (problem: FileProblem) => void): readonly Entry[] {
  if (root.entries === null) {
    report({ message: 'must be a map, such as `checks:`', place: root.at });
    return [];
  }
  return root.entries.filter(({ key, at }) => {
    if (known.includes(key)) return true;
    if (!key.startsWith('x-')) report({ message: unknownText('field', key, known), place: at });
    return false;
  });
}

function unknownText(what: string, name: string, names: readonly string[]): string {
  const meant = nearestName(name, names);
  return `unknown ${what} "${name}"${meant === null ? '' : `; did you mean "${meant}"?`}`;
}

function projectOf(top: readonly Entry[], report: (problem: FileProblem) => void): string | null {
  const [first, ...others] = top.filter(({ key }) => key === 'project');
  if (first === undefined) return null;
  const { scalar, written: name, at } = first.value;
  if (scalar === null || name.length < 1 || name.length > longestLogicalId) {
    report({ message: `project must be a text of 1 to ${longestLogicalId} characters`, place: at });
  }
  const other = others.find(({ value }) => value.written !== name);
  if (other !== undefined) {
    report({ message: `another project than in ${placeText(at)}: files of a folder are one project`, place: other.at });
  }
  return name;
}

/** The resources of a section, of all files. */
function written(section: Section, top: readonly Entry[], report: (problem: FileProblem) => void): readonly Entry[] {
  const found = new Map<string, Entry>();
  for (const { value } of top.filter(({ key }) => key === section.name)) {
    if (value.entries === null && (value.items !== null || value.scalar !== null)) {
      report({ message: `${section.name} must be a map: the keys are logical IDs`, place: value.at });
    }
    for (const entry of value.entries ?? []) {
      const before = found.get(entry.key);
      if (before !== undefined) {
        const message = `there is already a ${section.noun} "${entry.key}" in ${placeText(before.at)}`;
        report({ message, place: entry.at });
      } else if (entry.key === '' || entry.key.length > longestLogicalId) {
        report({ message: `a logical ID must have 1 to ${longestLogicalId} characters`, place: entry.at });
      } else found.set(entry.key, entry);
    }
  }
  return [...found.values()];
}

type Refer = ReturnType<typeof referencing>;

/** The body of the create operation. */
function payloadOf(
  { section, entry }: { readonly section: Section; readonly entry: Entry },
  needs: FileNeeds,
  refer: Refer,
  report: (problem: FileProblem) => void,
): JsonObject {
  const { keyField, noun } = section;
  const ownKey = keyField === undefined ? {} : { [keyField]: entry.key };
  const value = (content: Located): JsonValue => valueOf(content, needs.environment, report);
  if (entry.value.entries === null) {
    const { scalar, written: text, at, items } = entry.value;
    if (keyField !== undefined && items === null && scalar !== null) {
      return { ...ownKey, value: value({ ...entry.value, scalar: text }) };
    }
    report({ message: `must be a map with the fields of a ${noun}`, place: at });
    return {};
  }
  const fields = new Map<string, JsonValue>();
  for (const { key, at, value: content } of entry.value.entries) {
    const name = fieldOf(key);
    if (fields.has(name)) report({ message: `${key} and another field both set ${name}`, place: at });
    if (Object.hasOwn(fileFields, key)) fields.set(name, fromFile(content, needs.readText, report));
    else if (Object.hasOwn(imageFields, key)) fields.set(name, imageOf(content, needs, report));
    else if (key === 'dependencies' && content.items !== null) {
      fields.set(
        name,
        content.items.map((item) => importedFile(item, needs, report) ?? value(item)),
      );
    } else fields.set(name, value(content));
  }
  const scriptFile = entry.value.entries.find(({ key }) => key === 'scriptFile')?.value.scalar;
  // Imports resolve as they do between the files.
  if (typeof scriptFile === 'string' && fields.has('dependencies') && !fields.has('scriptPath')) {
    fields.set('scriptPath', plainPath(scriptFile));
  }
  const payload = refer(Object.fromEntries(fields), (message, path) =>
    report({ message, place: placeOfPath(entry, path, false) }),
  );
  return { ...payload, ...ownKey };
}

/** A file that a script imports, if the list has its path alone. */
function importedFile(item: Located, needs: FileNeeds, report: (problem: FileProblem) => void): JsonObject | null {
  if (typeof item.scalar !== 'string') return null;
  return { path: plainPath(item.scalar), content: fromFile(item, needs.readText, report) };
}

function plainPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}

/** The data URL of the image that a field names. */
function imageOf(content: Located, { readBytes }: FileNeeds, report: (problem: FileProblem) => void): string | null {
  const read = (from: string, path: string): string => {
    const image = readBytes(from, path);
    const mediaType = rasterType(image);
    if (mediaType === null || image.length > largestImage)
      throw new Error(`${path} must be a PNG, JPEG, GIF, WebP or ICO image of at most ${largestImage / 1024} kB`);
    return `data:${mediaType};base64,${Buffer.from(image).toString('base64')}`;
  };
  return fromFile(content, read, report);
}

function fromFile(
  { scalar, at }: Located,
  read: (from: string, path: string) => string,
  report: (problem: FileProblem) => void,
): string | null {
  if (typeof scalar !== 'string' || scalar === '') {
    report({ message: 'must be the path of a file', place: at });
    return null;
  }
  try {
    return read(at.source.path, scalar);
  } catch (error) {
    report({ message: errorMessage(error), place: at });
    return null;
  }
}

function valueOf(
  { entries, items, scalar, at }: Located,
  environment: Environment,
  report: (problem: FileProblem) => void,
): JsonValue {
  if (items !== null) return items.map((item) => valueOf(item, environment, report));
  if (entries !== null) {
    return Object.fromEntries(entries.map(({ key, value }) => [key, valueOf(value, environment, report)]));
  }
  if (typeof scalar === 'number' && !Number.isFinite(scalar)) {
    report({ message: 'must be a finite number', place: at });
  }
  if (typeof scalar !== 'string') return scalar;
  return filled(scalar, environment, (message) => report({ message, place: at }));
}

/**
 * The place of a field, or of what contains it if the file does not have it.
 * @param entry the resource
 * @param path such as `request.assertions[0].source`; '' = the resource itself
 * @param isKey the place of its name instead of its value
 */
function placeOfPath(entry: Entry, path: string, isKey: boolean): Place {
  if (path === '') return entry.at;
  const { keyAt, value, isWhole } = fieldAt(entry, path);
  return isKey || !isWhole ? keyAt : value.at;
}

/** The value of a field, or of what contains it if the file does not have it: then it is not the whole. */
function fieldAt(entry: Entry, path: string) {
  let [keyAt, value] = [entry.at, entry.value];
  for (const { 1: name, 2: index, index: from } of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (index !== undefined) {
      const item = value.items?.[Number(index)];
      if (item === undefined) return { keyAt, value, isWhole: false };
      [keyAt, value] = [item.at, item];
    } else {
      const isTop = value === entry.value;
      // The key of a text of a status page has dots.
      const rest = path.slice(from);
      const whole = value.entries?.find(({ key }) => key === rest);
      if (whole !== undefined) return { keyAt: whole.at, value: whole.value, isWhole: true };
      const found = value.entries?.find(({ key }) => key === name || (isTop && fieldOf(key) === name));
      if (found === undefined) return { keyAt, value, isWhole: false };
      [keyAt, value] = [found.at, found.value];
    }
  }
  return { keyAt, value, isWhole: true };
}
