// Texts to begin incidents and updates with, in the languages of pages.
import type { AnswerOf } from '#contract/operations.ts';

type Language = AnswerOf<'getStatusPage'>['language'];
type Incident = AnswerOf<'getStatusIncident'>;
type Status = Incident['lastUpdateStatus'];

/** What an incident begins with. `{services}` stands for its services. */
export interface Template {
  readonly name: string;
  readonly severity: Incident['severity'];
  readonly status: Status;
  readonly text: string;
}

interface Texts {
  /** In place of services, if none is chosen. */
  readonly someServices: string;
  readonly and: string;
  readonly templates: readonly Template[];
  readonly updates: Readonly<Record<Status, readonly string[]>>;
}

const english: Texts = {
  someServices: 'our service',
  and: 'and',
  templates: [
    {
      name: 'Outage of {services}',
      severity: 'MAJOR',
      status: 'INVESTIGATING',
      text: 'We have noticed an outage of {services}. We are investigating.',
    },
    {
      name: 'Errors with {services}',
      severity: 'MEDIUM',
      status: 'INVESTIGATING',
      text: 'Some requests to {services} fail. We are investigating.',
    },
    {
      name: 'Slow responses from {services}',
      severity: 'MINOR',
      status: 'INVESTIGATING',
      text: 'Requests to {services} take longer than usual. We are investigating.',
    },
    {
      name: 'Problems at a provider',
      severity: 'MEDIUM',
      status: 'IDENTIFIED',
      text: 'A provider that we use has problems, which affect {services}. We are in contact with the provider.',
    },
  ],
  updates: {
    INVESTIGATING: ['We are still investigating.'],
    IDENTIFIED: ['We have found the cause and are working on a fix.'],
    MONITORING: ['A fix is in place. We are monitoring the results.'],
    RESOLVED: ['The problem is solved. All functions are available again.'],
  },
};

const german: Texts = {
  someServices: 'unseren Diensten',
  and: 'und',
  templates: [
    {
      name: 'Ausfall: {services}',
      severity: 'MAJOR',
      status: 'INVESTIGATING',
      text: 'Wir haben einen Ausfall von {services} bemerkt und untersuchen die Ursache.',
    },
    {
      name: 'Fehler: {services}',
      severity: 'MEDIUM',
      status: 'INVESTIGATING',
      text: 'Bei {services} schlagen einige Anfragen fehl. Wir untersuchen die Ursache.',
    },
    {
      name: 'Langsame Antworten: {services}',
      severity: 'MINOR',
      status: 'INVESTIGATING',
      text: 'Bei {services} dauern Anfragen länger als üblich. Wir untersuchen die Ursache.',
    },
    {
      name: 'Störung bei einem Anbieter',
      severity: 'MEDIUM',
      status: 'IDENTIFIED',
      text: 'Ein Anbieter, den wir nutzen, hat eine Störung. Betroffen sind Funktionen von {services}. Wir stehen mit dem Anbieter in Kontakt.',
    },
  ],
  updates: {
    INVESTIGATING: ['Wir untersuchen die Ursache weiterhin.'],
    IDENTIFIED: ['Wir haben die Ursache gefunden und arbeiten an der Lösung.'],
    MONITORING: ['Die Lösung ist eingespielt. Wir beobachten die Wirkung.'],
    RESOLVED: ['Das Problem ist behoben. Alle Funktionen stehen wieder zur Verfügung.'],
  },
};

const languages: Readonly<Record<Language, Texts>> = { en: english, de: german };

/** Built-in templates with the names of services filled in. */
export function templatesIn(language: Language, services: readonly string[]): readonly Template[] {
  const { templates } = languages[language];
  const filled = (text: string): string => text.replaceAll('{services}', () => named(languages[language], services));
  return templates.map((each) => ({ ...each, name: filled(each.name), text: filled(each.text) }));
}

/** Texts for an update with a status. */
export function updateTextsIn(language: Language, status: string): readonly string[] {
  return languages[language].updates[status as Status] ?? [];
}

/** `Search`, `Search and Mail`, `Search, Mail and Chat`. */
function named({ someServices, and }: Texts, services: readonly string[]): string {
  if (services.length === 0) return someServices;
  return services.length === 1
    ? (services[0] ?? '')
    : `${services.slice(0, -1).join(', ')} ${and} ${services.at(-1) ?? ''}`;
}
