// What ready-made messages say about a digest.
import type { Digest, DigestCheck, DigestState } from '#domain/alerts/digest.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { zonedMinute } from '#domain/accounts/time-zone.ts';
import { oneLine, shortened, type Tone } from './alert-summary.ts';

/** A digest to render, with its links. */
export interface DigestMessage {
  readonly digest: Digest;
  /** System variables of its delivery. */
  readonly variables: TemplateVariables;
  readonly links: DigestLinks;
}

/** Links of a digest; null = none. */
export interface DigestLinks {
  readonly overview: string;
  readonly check: (check: DigestCheck) => string | null;
  /** The result that a check is listed for. */
  readonly result: (check: DigestCheck) => string | null;
  /** Opens a page to acknowledge the incident of a check. */
  readonly acknowledge: (check: DigestCheck) => string | null;
}

/** Content of a digest. Names and errors are untrusted, in one line. */
export interface DigestSummary {
  readonly tone: Tone;
  /** State of the first section, such as `Failing`. */
  readonly label: string;
  /** Names of its first checks and the other counts, such as `A, B, C and 24 more; 2 recovered`. */
  readonly headline: string;
  /** Such as `27 failing, 2 recovered`. */
  readonly title: string;
  /** The parts of the title, for each section. */
  readonly counts: readonly string[];
  /** Why this is a digest, and the time of its content. */
  readonly note: string;
  readonly sections: readonly DigestGroup[];
  readonly overviewLink: string;
}

export interface DigestLink {
  readonly text: 'View check' | 'View result' | 'Acknowledge';
  readonly href: string;
}

/** Checks of one state. */
export interface DigestGroup {
  readonly heading: string;
  readonly checks: readonly {
    readonly name: string;
    /** null = none. */
    readonly error: string | null;
    readonly links: readonly DigestLink[];
  }[];
  /** Number of checks that are not listed. */
  readonly more: number;
}

const longestName = 100;
const longestError = 200;

const words: Readonly<Record<DigestState, { readonly heading: string; readonly one: string; readonly many: string }>> =
  {
    failing: { heading: 'Failing', one: 'failing', many: 'failing' },
    stillFailing: { heading: 'Still failing', one: 'still failing', many: 'still failing' },
    degraded: { heading: 'Degraded', one: 'degraded', many: 'degraded' },
    certificate: { heading: 'Certificates', one: 'certificate warning', many: 'certificate warnings' },
    recovered: { heading: 'Recovered', one: 'recovered', many: 'recovered' },
  };

const tones: Readonly<Record<DigestState, Tone>> = {
  failing: 'failing',
  stillFailing: 'failing',
  degraded: 'degraded',
  certificate: 'notice',
  recovered: 'recovered',
};

const why = 'Many alerts were raised within a minute, so they and their recoveries are grouped.';
/** Number of checks that a headline names. */
const named = 3;

/** Summarizes a digest. @param timeZone IANA name, in which its time is written */
export function summarizeDigest({ digest, variables, links }: DigestMessage, timeZone: string): DigestSummary {
  const replayed = variables['IS_REPLAY'] === true ? ' (replayed)' : '';
  const counts = digest.sections.map(
    ({ state, count }) => `${count} ${count === 1 ? words[state].one : words[state].many}`,
  );
  const [first] = digest.sections;
  return {
    tone: tones[first?.state ?? 'recovered'],
    label: words[first?.state ?? 'recovered'].heading,
    headline: `${headlineOf(digest, counts)}${replayed}`,
    title: `${counts.length === 0 ? 'No check is failing' : counts.join(', ')}${replayed}`,
    counts,
    note: `${why} As of ${zonedMinute(digest.at, timeZone)}.`,
    sections: digest.sections.map(({ state, count, checks }) => ({
      heading: `${words[state].heading} (${count})`,
      checks: checks.map((check) => ({
        name: nameOf(check),
        error: oneLine(check.error ?? '', longestError),
        links: linksOf(check, links),
      })),
      more: count - checks.length,
    })),
    overviewLink: links.overview,
  };
}

function headlineOf({ sections: [first] }: DigestMessage['digest'], counts: readonly string[]): string {
  if (first === undefined) return 'No check is failing';
  const names = first.checks.slice(0, named).map((check) => shortened(nameOf(check), 40));
  const more = first.count - names.length;
  const [last, ...others] = more > 0 ? [`${more} more`, ...names.toReversed()] : names.toReversed();
  const list = others.length === 0 ? (last ?? '') : `${others.toReversed().join(', ')} and ${last ?? ''}`;
  return [list, ...(counts.length > 1 ? [counts.slice(1).join(', ')] : [])].join('; ');
}

function nameOf({ name }: DigestCheck): string {
  return oneLine(name, longestName) ?? 'Unnamed check';
}

function linksOf(check: DigestCheck, links: DigestLinks): DigestLink[] {
  const [view, result, acknowledge] = [links.check(check), links.result(check), links.acknowledge(check)];
  return [
    ...(view === null ? [] : [{ text: 'View check', href: view } as const]),
    ...(result === null ? [] : [{ text: 'View result', href: result } as const]),
    ...(acknowledge === null ? [] : [{ text: 'Acknowledge', href: acknowledge } as const]),
  ];
}

/**
 * One or two sentences of at most `max` characters: `3 failing: A, B and 1 more. 1 recovered`.
 * @param max at least 200
 */
export function digestSentence(message: DigestMessage, max: number): string {
  const { title, counts, sections } = summarizeDigest(message, 'UTC');
  const whole = shortened(title, max);
  const [first] = sections;
  if (first === undefined) return whole;
  const [count = '', ...others] = counts;
  const rest = others.length === 0 ? '' : `. ${others.join(', ')}`;
  const names = first.checks.slice(0, 10).map(({ name }) => shortened(name, 40));
  for (let listed = names.length; listed > 0; listed--) {
    const more = first.checks.length + first.more - listed;
    const text = `${count}: ${names.slice(0, listed).join(', ')}${more === 0 ? '' : ` and ${more} more`}${rest}`;
    if (text.length <= max) return text;
  }
  return whole;
}
