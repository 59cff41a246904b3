// Which parts of a stored document are secret, and their encryption and decryption.
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Seal } from './seal.ts';

/** Encrypts or decrypts a text. */
type Convert = (text: string) => string;

/** Variables with every secret value transformed. */
function convertVariables(variables: readonly EnvironmentVariable[], convert: Convert): EnvironmentVariable[] {
  return variables.map((variable) => (variable.secret ? { ...variable, value: convert(variable.value) } : variable));
}

/** A document with `basicAuth.password` transformed, if it has one. */
function convertPassword(document: JsonObject, convert: Convert): JsonObject {
  const basicAuth = objectOrNull(document['basicAuth']);
  const password = basicAuth?.['password'];
  if (basicAuth === null || typeof password !== 'string' || password === '') return document;
  return { ...document, basicAuth: { ...basicAuth, password: convert(password) } };
}

function objectOrNull(value: JsonValue | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** Fields of a check's definition that may contain secrets. */
interface CheckSecrets {
  readonly environmentVariables: readonly EnvironmentVariable[];
  readonly settings: JsonObject;
}

function convertCheck<Definition extends CheckSecrets>(definition: Definition, convert: Convert): Definition {
  const request = objectOrNull(definition.settings['request']);
  if (request === null && !definition.environmentVariables.some(({ secret }) => secret)) return definition;
  return {
    ...definition,
    environmentVariables: convertVariables(definition.environmentVariables, convert),
    settings:
      request === null ? definition.settings : { ...definition.settings, request: convertPassword(request, convert) },
  };
}

/** Fields of a group's definition that may contain secrets. */
interface GroupSecrets {
  readonly environmentVariables: readonly EnvironmentVariable[];
  readonly apiCheckDefaults: JsonObject;
}

function convertGroup<Definition extends GroupSecrets>(definition: Definition, convert: Convert): Definition {
  return {
    ...definition,
    environmentVariables: convertVariables(definition.environmentVariables, convert),
    apiCheckDefaults: convertPassword(definition.apiCheckDefaults, convert),
  };
}

export function sealCheck<Definition extends CheckSecrets>(definition: Definition, seal: Seal): Definition {
  return convertCheck(definition, (text) => seal.seal(text));
}

export function openCheck<Definition extends CheckSecrets>(definition: Definition, seal: Seal): Definition {
  return convertCheck(definition, (text) => seal.open(text));
}

export function sealGroup<Definition extends GroupSecrets>(definition: Definition, seal: Seal): Definition {
  return convertGroup(definition, (text) => seal.seal(text));
}

export function openGroup<Definition extends GroupSecrets>(definition: Definition, seal: Seal): Definition {
  return convertGroup(definition, (text) => seal.open(text));
}
