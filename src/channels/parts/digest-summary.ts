// What ready-made messages say about a digest.
import type { Digest, DigestCheck, DigestState } from '#domain/alerts/digest.ts';
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import { oneLine, shortened, type Tone } from './alert-summary.ts';

/** A digest to render, with links to its results. */
export interface DigestMessage {
  readonly digest: Digest;
  /** System variables of its delivery. */
  readonly variables: TemplateVariables;
  /** Link to the result that a check is listed for; null = none. */
  readonly linkOf: (check: DigestCheck) => string | null;
}

/** Content of a digest. Names and errors are untrusted, in one line. */
export interface DigestSummary {
  readonly tone: Tone;
  /** Such as `27 checks are failing, 2 checks have recovered`. */
  readonly title: string;
  /** The parts of the title, for each section. */
  readonly counts: readonly string[];
  /** Why this is a digest, or that there are no more. */
  readonly note: string;
  readonly sections: readonly DigestGroup[];
}

/** Checks of one state. */
export interface DigestGroup {
  readonly heading: string;
  readonly checks: readonly {
    readonly name: string;
    /** null = none. */
    readonly error: string | null;
    readonly link: string | null;
  }[];
  /** Number of checks that are not listed. */
  readonly more: number;
}

const longestName = 100;
const longestError = 200;

const words: Readonly<Record<DigestState, { readonly heading: string; readonly one: string; readonly many: string }>> =
  {
    failing: { heading: 'Failing', one: 'check is failing', many: 'checks are failing' },
    stillFailing: { heading: 'Still failing', one: 'check is still failing', many: 'checks are still failing' },
    degraded: { heading: 'Degraded', one: 'check is degraded', many: 'checks are degraded' },
    certificate: { heading: 'Certificates', one: 'certificate warning', many: 'certificate warnings' },
    recovered: { heading: 'Recovered', one: 'check has recovered', many: 'checks have recovered' },
  };

const tones: Readonly<Record<DigestState, Tone>> = {
  failing: 'failing',
  stillFailing: 'failing',
  degraded: 'degraded',
  certificate: 'notice',
  recovered: 'recovered',
};

const ongoing = 'Many checks raised alerts at once, so they are combined into digests until the alert storm is over.';
const over = 'The alert storm is over. Further alerts are sent one by one.';

/** Summarizes a digest. */
export function summarizeDigest({ digest, variables, linkOf }: DigestMessage): DigestSummary {
  const replayed = variables['IS_REPLAY'] === true ? ' (replayed)' : '';
  const counts = digest.sections.map(
    ({ state, count }) => `${count} ${count === 1 ? words[state].one : words[state].many}`,
  );
  return {
    tone: tones[digest.sections[0]?.state ?? 'recovered'],
    title: `${counts.length === 0 ? 'No check is failing' : counts.join(', ')}${replayed}`,
    counts,
    note: `${digest.isOver ? over : ongoing} As of ${new Date(digest.at).toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
    sections: digest.sections.map(({ state, count, checks }) => ({
      heading: `${words[state].heading} (${count})`,
      checks: checks.map((check) => ({
        name: oneLine(check.name, longestName) ?? 'Unnamed check',
        error: oneLine(check.error ?? '', longestError),
        link: linkOf(check),
      })),
      more: count - checks.length,
    })),
  };
}

/**
 * One or two sentences of at most `max` characters: `3 checks are failing: A, B and 1 more. 1 check has recovered`.
 * @param max at least 200
 */
export function digestSentence(message: DigestMessage, max: number): string {
  const { title, counts, sections } = summarizeDigest(message);
  const end = message.digest.isOver ? '. The alert storm is over' : '';
  const whole = shortened(`${title}${end}`, max);
  const [first] = sections;
  if (first === undefined) return whole;
  const [count = '', ...others] = counts;
  const rest = others.length === 0 ? end : `. ${others.join(', ')}${end}`;
  const names = first.checks.slice(0, 10).map(({ name }) => shortened(name, 40));
  for (let listed = names.length; listed > 0; listed--) {
    const more = first.checks.length + first.more - listed;
    const text = `${count}: ${names.slice(0, listed).join(', ')}${more === 0 ? '' : ` and ${more} more`}${rest}`;
    if (text.length <= max) return text;
  }
  return whole;
}
