// Whatever a check can be set to over the API, a person can set in the web UI.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CheckForm } from '#checks/form.ts';
import * as forms from '#checks/forms.ts';
import { checkSchemas } from '#checks/check-schemas.ts';
import { packageFolder } from '#lib/package-files.ts';

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

const noEffect = 'has no effect';
const onPage = 'is on the page of the check';

/** Why no form has a field. */
const exceptions: Readonly<Record<string, string>> = {
  checkType: 'is chosen before the form',
  muted: onPage,
  mutedUntil: onPage,
  mutedUntilRecovery: onPage,
  doubleCheck: noEffect,
  groupOrder: 'orders the checks of a group for clients of the API',
  'sslConfig.clientCertificateMode': 'must be null',
  'sslConfig.securityBaseline.knownBadCA.severity': noEffect,
  snapshots: 'are uploaded by programs',
  'heartbeat.pingToken': 'is read-only',
  'heartbeat.pingUrl': 'is read-only',
};

/** Exceptions of single types. */
const exceptionsOfTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  URL: { 'request.method': 'is always GET' },
  SSL: { shouldFail: noEffect },
  HEARTBEAT: { shouldFail: noEffect },
  BROWSER: { shouldFail: noEffect },
  MULTI_STEP: { shouldFail: noEffect },
};

const document = JSON.parse(readFileSync(join(packageFolder, 'tests/rest/openapi.json'), 'utf8')) as {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post?: {
          readonly operationId: string;
          readonly requestBody?: { content: Record<string, { schema: Schema }> };
        };
      }
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Paths of the fields of a body; lists and what a form draws as a whole count as one. */
function pathsOf(schema: Schema, drawn: ReadonlySet<string>, path = ''): string[] {
  if (path !== '' && drawn.has(path)) return [path];
  if (schema.$ref !== undefined) {
    return pathsOf(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, drawn, path);
  }
  const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((each) => pathsOf(each, drawn, path));
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    pathsOf(inner, drawn, path === '' ? name : `${path}.${name}`),
  );
  const all = [...new Set([...parts, ...own])].filter((each) => each !== path);
  return all.length > 0 || path === '' ? all : [path];
}

/** Fields that forms of all types have. */
const common = globSync('web/{pages/check-editor,ui/check-settings,ui/alert-settings}/*.tsx', { cwd: packageFolder })
  .flatMap((path) => [
    ...readFileSync(join(packageFolder, path), 'utf8').matchAll(
      /(?:draft\[|onChange\(|change\(|path=)\s*['"](\w+)['"]/g,
    ),
  ])
  .map(([, name = '']) => name);

test('every field of every type of check is in its form, or is named here with the reason', () => {
  const operations = Object.values(document.paths).flatMap(({ post }) => (post === undefined ? [] : [post]));
  for (const { type, name } of checkSchemas) {
    const form = Object.values<CheckForm>(forms).find((each) => each.type === type);
    const body = operations.find(({ operationId }) => operationId === `create${name}Check`)?.requestBody;
    const schema = Object.values(body?.content ?? {})[0]?.schema;
    assert.ok(form !== undefined && schema !== undefined, type);
    const fields = [...form.target, ...form.sections.flatMap((section) => section.fields)].map(({ path }) => path);
    const drawn = new Set([...fields, ...common]);
    const found = pathsOf(schema, drawn);
    assert.ok(found.length > 15, `${type} has ${found.length} fields`);
    const lacking = found.filter(
      (path) => !drawn.has(path) && exceptions[path] === undefined && exceptionsOfTypes[type]?.[path] === undefined,
    );
    assert.deepEqual(lacking, [], `fields that no person can set in a check of type ${type}`);
    const unknown = fields.filter((path) => !found.includes(path));
    assert.deepEqual(unknown, [], `fields of the form that a check of type ${type} does not have`);
  }
});
