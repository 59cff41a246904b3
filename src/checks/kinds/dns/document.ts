// A DNS response in the forms that assertions and results use: DNS-over-HTTPS JSON and zone file lines.
import type { JsonObject } from '#domain/json.ts';
import { type DnsAnswer, type DnsRecord, recordTypes, typeName } from './message.ts';

/** Builds `{Status, TC, RD, RA, AD, CD, Question, Answer, Authority}` with numeric types. */
export function documentOf({ flags, codeNumber, question, answers, authority }: DnsAnswer): JsonObject {
  const has = (bit: number): boolean => (flags & bit) !== 0;
  return {
    Status: codeNumber,
    AA: has(0x0400),
    TC: has(0x0200),
    RD: has(0x0100),
    RA: has(0x0080),
    AD: has(0x0020),
    CD: has(0x0010),
    Question: question === null ? [] : [{ ...question }],
    Answer: inOrder(answers, question).map(shown),
    Authority: inOrder(authority, question).map(shown),
  };
}

function shown({ name, type, ttl, data }: DnsRecord): JsonObject {
  return { name, type, TTL: ttl, data };
}

/** One line per answer record, such as `shop.example. 300 IN A 192.0.2.1`. */
export function zoneText({ answers, question }: DnsAnswer): string {
  return inOrder(answers, question)
    .map(({ name, type, ttl, data }) => `${name} ${ttl} IN ${typeName(type)} ${data}`)
    .join('\n');
}

/** Name servers rotate records; order them by alias chain, then type and data. */
function inOrder(records: readonly DnsRecord[], question: DnsAnswer['question']): readonly DnsRecord[] {
  const aliases = new Map(
    records
      .filter(({ type }) => type === recordTypes.CNAME)
      .map(({ name, data }) => [name.toLowerCase(), data.toLowerCase()]),
  );
  const ranks = new Map<string, number>();
  let next = question?.name.toLowerCase();
  while (next !== undefined && !ranks.has(next)) {
    ranks.set(next, ranks.size);
    next = aliases.get(next);
  }
  const rankOf = ({ name }: DnsRecord): number => ranks.get(name.toLowerCase()) ?? ranks.size;
  const textOf = ({ name, type, data }: DnsRecord): string =>
    `${name.toLowerCase()} ${String(type).padStart(5, '0')} ${data}`;
  return records
    .map((record) => ({ record, rank: rankOf(record), text: textOf(record) }))
    .toSorted((one, other) => one.rank - other.rank || (one.text < other.text ? -1 : Number(one.text > other.text)))
    .map(({ record }) => record);
}
