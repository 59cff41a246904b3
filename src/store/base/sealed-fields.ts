// Which parts of a stored document are secret, and how they are sealed in it and opened again.
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Seal } from './seal.ts';

/** A way to turn one text into another: sealing or opening. */
type Turn = (text: string) => string;

/** Variables with every secret value turned. */
function turnVariables(variables: readonly EnvironmentVariable[], turn: Turn): EnvironmentVariable[] {
  return variables.map((variable) => (variable.secret ? { ...variable, value: turn(variable.value) } : variable));
}

/** A document whose `basicAuth.password` is turned, where it has one. */
function turnPassword(document: JsonObject, turn: Turn): JsonObject {
  const basicAuth = objectOrNull(document['basicAuth']);
  const password = basicAuth?.['password'];
  if (basicAuth === null || typeof password !== 'string' || password === '') return document;
  return { ...document, basicAuth: { ...basicAuth, password: turn(password) } };
}

function objectOrNull(value: JsonValue | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** What may hold secrets in a check's definition. */
interface CheckSecrets {
  readonly environmentVariables: readonly EnvironmentVariable[];
  readonly settings: JsonObject;
}

function turnCheck<Definition extends CheckSecrets>(definition: Definition, turn: Turn): Definition {
  const request = objectOrNull(definition.settings['request']);
  if (request === null && !definition.environmentVariables.some(({ secret }) => secret)) return definition;
  return {
    ...definition,
    environmentVariables: turnVariables(definition.environmentVariables, turn),
    settings: request === null ? definition.settings : { ...definition.settings, request: turnPassword(request, turn) },
  };
}

/** What may hold secrets in a group's definition. */
interface GroupSecrets {
  readonly environmentVariables: readonly EnvironmentVariable[];
  readonly apiCheckDefaults: JsonObject;
}

function turnGroup<Definition extends GroupSecrets>(definition: Definition, turn: Turn): Definition {
  return {
    ...definition,
    environmentVariables: turnVariables(definition.environmentVariables, turn),
    apiCheckDefaults: turnPassword(definition.apiCheckDefaults, turn),
  };
}

export function sealCheck<Definition extends CheckSecrets>(definition: Definition, seal: Seal): Definition {
  return turnCheck(definition, (text) => seal.seal(text));
}

export function openCheck<Definition extends CheckSecrets>(definition: Definition, seal: Seal): Definition {
  return turnCheck(definition, (text) => seal.open(text));
}

export function sealGroup<Definition extends GroupSecrets>(definition: Definition, seal: Seal): Definition {
  return turnGroup(definition, (text) => seal.seal(text));
}

export function openGroup<Definition extends GroupSecrets>(definition: Definition, seal: Seal): Definition {
  return turnGroup(definition, (text) => seal.open(text));
}
