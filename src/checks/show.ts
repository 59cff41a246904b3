// The interface of a check kind's show part: how the web UI presents its checks and results. Show parts belong to the
// browser's bundle, so they are pure and import only types and each other's helpers.
import type { z } from 'zod';
import type { assertionOutcome } from './parts/schema.ts';
import type { logLine, resultAsset, scriptResult } from './parts/scripted/schema.ts';
import type { CheckSchema, SettingsOf } from './schema.ts';

/** A kind's part of a result, by its schema's `result`. */
export type PartOf<Fields extends Readonly<Record<string, z.ZodType>>> = z.output<z.ZodObject<Fields>>;

/** How a check kind is presented. */
export interface CheckShow<Schema extends CheckSchema = CheckSchema> {
  /** The `checkType`. */
  readonly type: string;
  readonly label: string;
  /** Label of a result's time. Default: Response time. */
  readonly timeLabel?: string;
  /** Whether response times are divided into phases: of single results, or also of intervals. Absent = never. */
  readonly phases?: 'results' | 'intervals';
  /** Whether the page of a check shows the certificate in its latest result. */
  readonly hasCertificate?: true;
  /** Present if checks wait for pings. */
  readonly called?: CalledShow;
  /** What a check requests, in a line, and its assertions. Absent = nothing that a line can describe. */
  request?(check: SettingsOf<Schema>): { readonly target: string; readonly assertions: readonly Assertion[] };
  /** The content of a result. Texts are untrusted. */
  evidence(part: PartOf<Schema['result']>, format: Format): Evidence;
}

/** An assertion in the settings of a check. */
export interface Assertion {
  readonly source: string;
  readonly comparison: string;
  readonly property?: string;
  readonly target?: string;
  readonly regex?: string | null;
}

/** How checks that wait for pings are presented. */
export interface CalledShow {
  /** Minutes between expected pings, and of grace. */
  schedule(check: object): { readonly interval: number; readonly grace: number };
  /** null = hidden from this user. */
  pingUrl(check: object): string | null;
  /** How jobs call a ping URL. */
  readonly snippets: (url: string) => readonly { readonly title: string; readonly code: string }[];
}

/** Formats values for the viewer. */
export interface Format {
  readonly milliseconds: (ms: number) => string;
  readonly bytes: (count: number) => string;
  /** Takes epoch ms. */
  readonly day: (at: number) => string;
}

/** The content of a result. */
export interface Evidence {
  /** Whether it comes before the assertions because the result is about it. */
  readonly isFirst?: true;
  /** The time to present instead of the response time, ms. */
  readonly timeMs?: number | undefined;
  /** Durations by phase in order, ms; null = not measured. */
  readonly timingPhases?: Readonly<Record<string, number>> | null;
  /** Why there was no response. */
  readonly requestError?: string | null;
  /** Whether there was a response, even if its times are not known. */
  readonly hasResponse?: boolean;
  readonly assertions?: readonly z.output<typeof assertionOutcome>[];
  /** What assertions compare. Absent = unknown. */
  readonly observed?: ObservedValues;
  /** The response comes first. */
  readonly sections: readonly EvidenceSection[];
  /** Facts to compare with an earlier result. */
  readonly comparable: readonly (readonly [name: string, value: string | null])[];
  /** An HTTP request that can be repeated. */
  readonly request?: HttpRequest | null;
  readonly script?: ScriptEvidence;
  readonly ping?: PingEvidence;
  /** Output of scripts around a request. */
  readonly logs?: readonly { readonly title: string; readonly lines: readonly LogLine[] }[];
}

/** The values of a response that assertions compare. */
export interface ObservedValues {
  /** By source. */
  readonly values: { readonly [source: string]: unknown };
  /** The body, for the other sources; null = not stored, or not completely. */
  readonly text: string | null;
}

/** Names and values; those without a value are omitted. */
export type EvidenceFacts = readonly (readonly [name: string, value: string | null])[];

/** A section of a result's content. */
export interface EvidenceSection {
  readonly title: string;
  /** A sentence, such as why there was no response. */
  readonly note?: string | null;
  /** A status or request line. */
  readonly line?: string;
  readonly facts?: EvidenceFacts;
  readonly redirects?: readonly { readonly status: number; readonly location: string }[];
  readonly headers?: Headers | null;
  readonly texts?: readonly EvidenceText[];
  readonly certificate?: Certificate | null;
  /** Whether only the outcome is stored. */
  readonly isShort?: boolean;
}

/** A text in a section of its own, such as a body. */
export interface EvidenceText {
  readonly label: string;
  readonly text: string;
  readonly look?: 'titled' | 'folded';
  /** Whether it is an HTTP body: JSON is indented. */
  readonly isBody?: true;
  /** Whether it is in base64. */
  readonly isBinary?: boolean;
  readonly isTruncated?: boolean;
  /** Whether it is compared line by line with that of an earlier result. */
  readonly isCompared?: true;
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A request as it was sent. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly data: string;
}

/** A certificate and its path. */
export interface Certificate {
  readonly path: readonly { readonly name: string; readonly note: string }[];
  /** ISO times. */
  readonly validFrom: string;
  readonly validTo: string;
  readonly daysUntilExpiry: number;
  /** Values in `code` are fingerprints and numbers. */
  readonly facts: readonly (readonly [name: string, value: string | { readonly code: string }])[];
}

type LogLine = Omit<z.output<typeof logLine>, 'level'> & { readonly level: string };

/** A script run. */
export interface ScriptEvidence extends PartOf<typeof scriptResult> {
  readonly assets: readonly z.output<typeof resultAsset>[];
  /** Console output and errors of its pages. */
  readonly pageLines: readonly LogLine[];
  readonly webVitals: readonly { readonly url: string; readonly vitals: Readonly<Record<string, number>> }[];
}

/** A ping, or its absence. */
export interface PingEvidence {
  /** The signal in words. */
  readonly report: string;
  readonly isMissing: boolean;
  readonly state: string | null;
  readonly method: string | null;
  readonly source: string | null;
  readonly userAgent: string | null;
}

/** Labels of the phases that results contain, in order. */
export const phaseLabels: Readonly<Record<string, string>> = {
  wait: 'Redirects',
  dns: 'DNS',
  tcp: 'Connect',
  connect: 'Connect',
  tls: 'TLS',
  firstByte: 'First byte',
  data: 'Data',
  answer: 'Answer',
  download: 'Download',
};
