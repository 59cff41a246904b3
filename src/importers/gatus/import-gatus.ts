// Gatus: its YAML configuration to a resource file.
import type { FileResource } from '#contract/projects/resource-file.ts';
import { addAddresses, addChannel, type ChannelFacts, telegramChannel, type WebhookPreset } from '../channels.ts';
import { nameOf } from '../check-parts.ts';
import { createDraft, type Draft, type Imported, slug } from '../imported.ts';
import { type Foreign, durationOf, numberOf, objectOf, objectsOf, pairsOf, textOf } from '../values.ts';
import { parseYaml } from '../yaml.ts';
import { certificateCheck, endpointCheck } from './endpoint.ts';
import { escaped } from '#files/placeholders.ts';

/** @throws {ImportError} with the place, if it is not the YAML of a configuration */
export function importGatus(text: string, presets: readonly WebhookPreset[]): Imported {
  const config = parseYaml(text);
  const draft = createDraft('gatus', withPlaceholders);
  const alerting = objectOf(config['alerting']);
  const channels = new Map<string, readonly string[]>();
  const context = { draft, alerting, channels, presets, groups: new Map<string, string>() };
  for (const endpoint of objectsOf(config['endpoints'])) addEndpoint(context, endpoint);
  for (const endpoint of objectsOf(config['external-endpoints'])) addExternal(context, endpoint);
  for (const suite of objectsOf(config['suites'])) {
    draft.skip({ from: textOf(suite['name']), kind: 'suite' }, 'needs a script: create a multi-step check');
  }
  if (Object.keys(objectOf(config['maintenance'])).length > 0) {
    draft.skip({ from: 'maintenance', kind: 'maintenance' }, 'create a maintenance window that repeats');
  }
  for (const section of ['announcements', 'remote', 'connectivity', 'tunneling']) {
    if (config[section] !== undefined) draft.skip({ from: section, kind: section }, 'has no counterpart');
  }
  return draft.finish();
}

interface Context {
  readonly draft: Draft;
  readonly alerting: Foreign;
  /** Logical IDs by type. */
  readonly channels: Map<string, readonly string[]>;
  readonly presets: readonly WebhookPreset[];
  /** Logical IDs by name. */
  readonly groups: Map<string, string>;
}

function addEndpoint(context: Context, endpoint: Foreign): void {
  const { draft } = context;
  const title = textOf(endpoint['name']);
  const source = { from: nameOf(title, 'unnamed'), kind: `endpoint ${textOf(endpoint['url']).split(':')[0] ?? ''}` };
  const notes: string[] = [];
  const made = endpointCheck(endpoint, notes);
  if (made === null) {
    draft.skip(source, ...notes);
    return;
  }
  const common = {
    name: source.from,
    ...membership(context, endpoint),
    ...alerts(context, endpoint, notes),
  };
  if (objectsOf(endpoint['maintenance-windows']).length > 0) notes.push('its maintenance windows are left out');
  const id = slug([textOf(endpoint['group']), title].filter((part) => part !== '').join('-'));
  draft.add('checks', id, { ...made.check, ...common }, source, notes);
  if (made.certificateHours !== null) {
    const check = certificateCheck(endpoint, made.certificateHours);
    const name = nameOf(`${source.from} (certificate)`, 'certificate');
    draft.add('checks', `${id}-certificate`, { ...check, ...common, name }, { ...source, kind: 'condition' }, [
      'the condition about the expiry of the certificate is a check of its own',
    ]);
  }
}

function addExternal(context: Context, endpoint: Foreign): void {
  const source = { from: nameOf(textOf(endpoint['name']), 'unnamed'), kind: 'external endpoint' };
  const period = durationOf(objectOf(endpoint['heartbeat'])['interval']);
  if (period === null || period <= 0) {
    context.draft.skip(source, 'without a heartbeat interval there is nothing to wait for');
    return;
  }
  const notes = ['has a new ping URL: point the job to it'];
  if (period < 30) notes.push('the shortest period is 30 s');
  const check: FileResource = {
    checkType: 'HEARTBEAT',
    name: source.from,
    ...(endpoint['enabled'] === false && { activated: false }),
    heartbeat: { period: Math.max(30, period), periodUnit: 'seconds', grace: 0, graceUnit: 'seconds' },
    ...membership(context, endpoint),
    ...alerts(context, endpoint, notes),
  };
  const id = [textOf(endpoint['group']), source.from].filter((part) => part !== '').join('-');
  context.draft.add('checks', id, check, source, notes);
}

/** The group of an endpoint, which is added when it is named first. */
function membership({ draft, groups }: Context, endpoint: Foreign): FileResource {
  const name = nameOf(textOf(endpoint['group']), '');
  if (name === '') return {};
  const group = groups.get(name) ?? draft.add('checkGroups', name, { name }, { from: name, kind: 'group' });
  groups.set(name, group);
  return { group };
}

/** Channels and thresholds of an endpoint. */
function alerts(context: Context, endpoint: Foreign, notes: string[]): FileResource {
  const listed = objectsOf(endpoint['alerts']).map((alert) => {
    const defaults = objectOf(objectOf(context.alerting[textOf(alert['type'])])['default-alert']);
    return { ...defaults, ...alert };
  });
  const enabled = listed.filter((alert) => alert['enabled'] !== false);
  if (enabled.length === 0) return {};
  if (enabled.some((alert) => alert['provider-override'] !== undefined)) {
    notes.push('overrides of its alerts are left out: they use the channel of their type');
  }
  const thresholds = enabled.map((alert) => numberOf(alert['failure-threshold']) ?? 3);
  const threshold = Math.min(5, Math.max(1, Math.min(...thresholds)));
  if (new Set(thresholds).size > 1) notes.push(`alerts of different thresholds: all use ${threshold}`);
  else if (threshold !== thresholds[0]) notes.push(`alerts after ${threshold} failures instead of ${thresholds[0]}`);
  if (enabled.some((alert) => (durationOf(alert['minimum-reminder-interval']) ?? 0) > 0))
    notes.push('reminders are left out');
  const ids = enabled.flatMap((alert) => channelsOf(context, textOf(alert['type'])));
  return {
    ...(ids.length > 0 && { alertChannels: [...new Set(ids)] }),
    useGlobalAlertSettings: false,
    alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: threshold } },
  };
}

/** The channels of a type of alert, which are added when it is used first. */
function channelsOf(context: Context, type: string): readonly string[] {
  const known = context.channels.get(type);
  if (known !== undefined) return known;
  const added = addProvider(context, type);
  context.channels.set(type, added);
  return added;
}

function addProvider({ draft, alerting, presets }: Context, type: string): readonly string[] {
  const config = objectOf(alerting[type]);
  const source = { from: type, kind: 'alerting' };
  const notes = noteOf(type, config);
  if (type === 'email') return addAddresses(draft, type, type, textOf(config['to']), source, notes);
  const read = Object.hasOwn(providers, type) ? providers[type] : undefined;
  if (read === undefined) notes.push('no channel of this kind: create one from the presets, or a webhook');
  const facts = read?.(config, notes) ?? null;
  return addChannel(draft, type, type, facts, source, presets, notes);
}

function noteOf(type: string, config: Foreign): string[] {
  if (type === 'custom') {
    return ['the body of its messages and the placeholders of Gatus differ: adapt the template or the receiver'];
  }
  return Array.isArray(config['overrides']) ? ['overrides for groups are left out'] : [];
}

/** By type, with the settings of the providers in Gatus's sources. */
const providers: Readonly<Record<string, (config: Foreign, notes: string[]) => ChannelFacts | null>> = {
  slack: (config) => ({ type: 'SLACK', url: textOf(config['webhook-url']) }),
  pagerduty: (config) => ({ type: 'PAGERDUTY', serviceKey: textOf(config['integration-key']) }),
  opsgenie: (config) => ({
    type: 'OPSGENIE',
    apiKey: textOf(config['api-key']),
    priority: textOf(config['priority']) || 'P1',
  }),
  custom: (config) => ({
    type: 'WEBHOOK',
    url: textOf(config['url']),
    method: textOf(config['method']).toUpperCase() || 'GET',
    headers: pairsOf(config['headers']),
  }),
  telegram: (config, notes) =>
    telegramChannel({
      token: textOf(config['token']),
      chat: textOf(config['id']),
      server: textOf(config['api-url']),
      notes,
    }),
  discord: (config) => ({
    type: 'PRESET',
    webhookType: 'WEBHOOK_DISCORD',
    variables: { DISCORD_WEBHOOK: /\/api\/webhooks\/(.+)$/.exec(textOf(config['webhook-url']))?.[1] ?? '' },
  }),
  ntfy: (config, notes) => {
    if (['', 'https://ntfy.sh'].includes(textOf(config['url'])) && textOf(config['token']) === '') {
      return { type: 'PRESET', webhookType: 'WEBHOOK_NTFY', variables: { NTFY_TOPIC: textOf(config['topic']) } };
    }
    notes.push('only ntfy.sh without a token is carried over; create a channel from the ntfy preset');
    return null;
  },
};

/** `$NAME` and `${NAME}` become `${env:NAME}`, and `$$` becomes `$`. */
function withPlaceholders(text: string): string {
  const parts = text.split(/(\$\$|\$\{[A-Za-z_]\w*\}|\$[A-Za-z_]\w*)/);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return escaped(part);
      return part === '$$' ? '$' : `\${env:${part.replace(/[${}]/g, '')}}`;
    })
    .join('');
}
