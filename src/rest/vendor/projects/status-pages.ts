// Translates the status pages of the `checkly` command line: with cards of services, or with components and their rules.
import type { CliResource } from '#contract/vendor/cli-project.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { type DeclaredResource, longestLogicalId } from '#domain/projects/resource.ts';
import { type DeclaredProject, isSet, objectsIn, refOf, type ResolveRef } from './references.ts';
import type { IncidentSeverity } from '#domain/status-pages/status-service.ts';

const types = ['status-page-service', 'status-page', 'status-page-component', 'status-page-automation-rule'] as const;

/** Whether this type is translated here. */
export function isOfStatusPages(type: string): boolean {
  return types.some((each) => each === type);
}

/** Services of components have IDs of their own, because a service may have the same. */
const componentPrefix = 'component:';

/** Most characters of the logical ID of a construct. */
export function longestIdOf(type: string): number {
  return type === 'status-page-component' ? longestLogicalId - componentPrefix.length : longestLogicalId;
}

/** The construct that a deployed resource was; null = it is none of status pages. */
export function constructOf({ type, logicalId }: Pick<DeclaredResource, 'type' | 'logicalId'>) {
  if (type === 'status-page') return { type, logicalId };
  if (type !== 'status-service') return null;
  return logicalId.startsWith(componentPrefix)
    ? { type: 'status-page-component', logicalId: logicalId.slice(componentPrefix.length) }
    : { type: 'status-page-service', logicalId };
}

/** A part of a page with components. */
interface Component {
  readonly logicalId: string;
  readonly payload: JsonObject;
  /** Logical ID of its page. */
  readonly page: string | null;
  /** Logical ID of its group. */
  readonly parent: string | null;
  readonly isGroup: boolean;
}

/** The pages and services that the constructs become. Groups and rules become parts of these. */
export function declaredPages(members: readonly CliResource[], resolve: ResolveRef): DeclaredProject {
  const all = (type: (typeof types)[number]) => members.filter((each) => each.type === type);
  const components = all('status-page-component').map(componentOf);
  const services = components.filter(({ isGroup }) => !isGroup);
  const ids = new Set(services.map(({ logicalId }) => logicalId));
  const ofPages = Map.groupBy(components, ({ page }) => page);
  const { rules, refused } = ruledComponents(all('status-page-automation-rule'), ids);
  const pages = all('status-page');
  const named = {
    pages: new Set(pages.map(({ logicalId }) => logicalId)),
    groups: new Set(components.flatMap(({ isGroup, logicalId }) => (isGroup ? [logicalId] : []))),
  };
  const resources: DeclaredResource[] = [
    ...all('status-page-service').map(({ logicalId, payload }): DeclaredResource => {
      return { type: 'status-service', logicalId, payload: payload ?? {} };
    }),
    ...services.map(({ logicalId, payload: { name = null, description, configuration } }): DeclaredResource => {
      const { showHistoricalData = true } = (configuration ?? {}) as JsonObject;
      const payload = { name, description: isSet(description) ? description : null, showHistory: showHistoricalData };
      return {
        type: 'status-service',
        logicalId: componentPrefix + logicalId,
        payload: { ...payload, ...rules.get(logicalId) },
      };
    }),
    ...pages.map(({ logicalId, payload }): DeclaredResource => {
      const own = ofPages.get(logicalId) ?? [];
      const page = payload?.['version'] === 3 ? pageOf(payload, own) : pageWithCards(payload ?? {}, resolve);
      return { type: 'status-page', logicalId, payload: page };
    }),
  ];
  const sentences = [...components.map((each) => misplaced(each, named)), ...pages.map(impossible)];
  return { resources, refused: [...refused, ...sentences.filter((each) => each !== null)] };
}

function componentOf({ logicalId, payload }: CliResource): Component {
  const { statusPageId, parentId, type } = payload ?? {};
  return {
    logicalId,
    payload: payload ?? {},
    page: refOf(statusPageId),
    parent: refOf(parentId),
    isGroup: type === 'GROUP',
  };
}

/** Why a component is not deployed; null = it is. */
function misplaced(
  { logicalId, page, parent, isGroup }: Component,
  named: { readonly pages: ReadonlySet<string>; readonly groups: ReadonlySet<string> },
): string | null {
  const because = (sentence: string): string => `status-page-component "${logicalId}": ${sentence}`;
  if (page === null || !named.pages.has(page)) return because('its status page is not part of the project.');
  if (parent === null) return null;
  if (isGroup) return because('a group cannot be in another group.');
  return named.groups.has(parent) ? null : because('its group is not part of the project.');
}

/** Why a page is not deployed; null = it is. */
function impossible({ logicalId, payload }: CliResource): string | null {
  const because = (sentence: string): string => `status-page "${logicalId}": ${sentence}`;
  if (isSet(payload?.['googleAnalyticsTag']))
    return because('pages load nothing from elsewhere, so googleAnalyticsTag is not possible.');
  return isSet(payload?.['logoDark']) ? because('pages have one logo for both themes: use logo.') : null;
}

function pageWithCards({ cards, ...page }: JsonObject, resolve: ResolveRef): JsonObject {
  const resolved = objectsIn(cards).map(({ services, ...card }): JsonObject => {
    const references = Array.isArray(services) ? (services as readonly JsonValue[]) : [];
    return { ...card, services: references.map((each) => resolve('status-page-service', each)) };
  });
  return { ...page, cards: resolved };
}

const links = { privacyPolicyLink: 'Privacy policy', termsOfServiceLink: 'Terms of service', supportLink: 'Support' };

function pageOf(payload: JsonObject, components: readonly Component[]): JsonObject {
  const { version: _version, googleAnalyticsTag: _tag, logoDark: _logo, themeColors, ...rest } = payload;
  const own = Object.fromEntries(Object.entries(rest).filter(([name]) => !Object.hasOwn(links, name)));
  const colors = (themeColors ?? {}) as JsonObject;
  return {
    ...own,
    themeColors: { light: accentOf(colors['light']), dark: accentOf(colors['dark']) },
    links: Object.entries(links).flatMap(([name, label]) => (isSet(rest[name]) ? [{ label, url: rest[name] }] : [])),
    cards: cardsOf(components),
  };
}

/** Pages have one accent colour: that of links. */
function accentOf(colors: JsonValue | undefined): JsonValue {
  const { linkFontColor = null } = (colors ?? {}) as JsonObject;
  const isShort = typeof linkFontColor === 'string' && /^#[0-9a-f]{3}$/i.test(linkFontColor);
  return isShort ? linkFontColor.replaceAll(/[0-9a-f]/gi, (digit) => digit + digit) : linkFontColor;
}

/** Groups are cards, and services between them share one. */
function cardsOf(components: readonly Component[]): JsonObject[] {
  const shown = components.filter(({ payload }) => payload['hidden'] !== true).toSorted(byOrder);
  const children = Map.groupBy(shown, ({ parent }) => parent);
  const cards: { readonly name: JsonValue; readonly services: JsonValue[]; readonly isGroup: boolean }[] = [];
  for (const { logicalId, payload, isGroup } of children.get(null) ?? []) {
    const last = cards.at(-1);
    if (isGroup) {
      const services = (children.get(logicalId) ?? []).map(referenceTo);
      cards.push({ name: payload['name'] ?? null, services, isGroup });
    } else if (last?.isGroup === false) last.services.push(referenceTo({ logicalId }));
    else cards.push({ name: 'Services', services: [referenceTo({ logicalId })], isGroup });
  }
  return cards.map(({ name, services }) => ({ name, services }));
}

function byOrder(one: Component, other: Component): number {
  return Number(one.payload['displayOrder'] ?? 0) - Number(other.payload['displayOrder'] ?? 0);
}

function referenceTo({ logicalId }: Pick<Component, 'logicalId'>): JsonObject {
  return { ref: componentPrefix + logicalId };
}

/** How bad an incident with such an impact is. */
const severities: ReadonlyMap<unknown, IncidentSeverity> = new Map([
  ['DEGRADED_PERFORMANCE', 'MINOR'],
  ['PARTIAL_OUTAGE', 'MAJOR'],
  ['MAJOR_OUTAGE', 'CRITICAL'],
]);

interface Ruled {
  /** Fields of services, by the logical ID of the component. */
  readonly rules: ReadonlyMap<string, JsonObject>;
  readonly refused: readonly string[];
}

/** @param services logical IDs of the components that are services */
function ruledComponents(all: readonly CliResource[], services: ReadonlySet<string>): Ruled {
  const rules = new Map<string, JsonObject>();
  const refused: string[] = [];
  for (const { logicalId, payload } of all) {
    // A rule that is switched off opens no incidents.
    if (payload === null || payload['enabled'] === false) continue;
    for (const { componentId, targetImpact } of objectsIn(payload['components'])) {
      const [component, severity] = [refOf(componentId), severities.get(targetImpact)];
      const because = (sentence: string) => refused.push(`status-page-automation-rule "${logicalId}": ${sentence}`);
      if (component === null || !services.has(component))
        because('its components must be services that are part of the project, not groups.');
      else if (severity === undefined)
        because('targetImpact must be DEGRADED_PERFORMANCE, PARTIAL_OUTAGE or MAJOR_OUTAGE.');
      else if (rules.has(component)) because(`the component "${component}" has another rule. Put their tags into one.`);
      else rules.set(component, { tags: payload['tags'] ?? [], incidents: incidentsOf(payload, severity) });
    }
  }
  return { rules, refused };
}

function incidentsOf(
  { firstUpdate, lastUpdate, notifySubscribers }: JsonObject,
  severity: IncidentSeverity,
): JsonObject {
  return {
    mode: 'PUBLISH',
    severity,
    description: firstUpdate ?? null,
    resolution: lastUpdate ?? null,
    notifySubscribers: notifySubscribers ?? true,
  };
}
