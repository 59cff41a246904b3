// Reads pasted configurations of other products into resources that can be deployed. Also runs in the browser.
import { sections } from '#contract/projects/resource-file.ts';
import type { DeclaredResource } from '#domain/projects/resource.ts';
import { FileProblemsError } from '#files/file-problem.ts';
import { filled } from '#files/placeholders.ts';
import { readOneText } from '#files/read-files.ts';
import { writeFile } from '#files/write.ts';
import { importBlackbox } from './blackbox/import-blackbox.ts';
import type { WebhookPreset } from './channels.ts';
import { importGatus } from './gatus/import-gatus.ts';
import { importHealthchecks } from './healthchecks/import-healthchecks.ts';
import { type Imported, ImportError, type ImportRow } from './imported.ts';
import { importOpenApi } from './openapi/import-openapi.ts';
import { importUptimeRobot } from './uptimerobot/import-uptimerobot.ts';
import { withoutEmail } from './without-email.ts';

/** Products whose configuration is one text, or two. */
export type TextFormat = 'gatus' | 'blackbox' | 'healthchecks' | 'uptimerobot' | 'openapi';

/** A configuration of another product, and what it needs. */
export interface TextImport {
  readonly format: TextFormat;
  readonly text: string;
  /** Configuration of Prometheus, of blackbox. */
  readonly targets: string;
  /** Server to check, of openapi; '' = that of the document. */
  readonly baseUrl: string;
  /** Values of the variables that the text reads. */
  readonly variables: Readonly<Record<string, string>>;
  readonly presets: readonly WebhookPreset[];
  /** Whether the server can send email. */
  readonly hasEmail: boolean;
}

/** A configuration that was read. */
export interface ReadImport {
  readonly rows: readonly ImportRow[];
  /** Empty while variables are missing. */
  readonly resources: readonly DeclaredResource[];
  /** Variables that the text reads. */
  readonly variables: readonly string[];
  /** Logical IDs of email channels that were left out. */
  readonly withoutEmail: readonly string[];
}

/** @throws {ImportError} with the place of what cannot be read */
export function readTextFormat(input: TextImport): ReadImport {
  const { file: whole, rows } = imported(input);
  const { file, left } = input.hasEmail ? { file: whole, left: [] } : withoutEmail(whole);
  const variables = variablesOf(file);
  const isComplete = variables.every((name) => (input.variables[name] ?? '') !== '');
  const environment = (name: string): string | undefined => input.variables[name];
  const resources = isComplete ? declared(writeFile(file), environment) : [];
  return { rows, resources, variables, withoutEmail: left };
}

function imported({ format, text, targets, baseUrl, presets }: TextImport): Imported {
  switch (format) {
    case 'gatus':
      return importGatus(text, presets);
    case 'blackbox':
      return importBlackbox(text, targets);
    case 'healthchecks':
      return importHealthchecks(text);
    case 'uptimerobot':
      return importUptimeRobot(text);
    case 'openapi':
    default:
      return importOpenApi(text, baseUrl === '' ? undefined : baseUrl);
  }
}

/** Names of the placeholders in a file. */
function variablesOf(file: Imported['file']): readonly string[] {
  const names = new Set<string>();
  const ignore = (): void => undefined;
  const visit = (value: unknown): void => {
    if (typeof value === 'string') filled(value, (name) => (names.add(name), ''), ignore);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  for (const { name } of sections) visit(file[name]);
  return [...names];
}

function declared(yaml: string, environment: (name: string) => string | undefined): readonly DeclaredResource[] {
  try {
    const { resources } = readOneText(yaml, environment);
    return resources.map(({ type, logicalId, payload }) => ({ type, logicalId, payload }));
  } catch (error) {
    if (!(error instanceof FileProblemsError)) throw error;
    // The places are those of a file that nobody sees.
    throw new ImportError(error.problems.map(({ message }) => message).join('\n'));
  }
}
