// An answer of a name server as assertions and results show it: as JSON, in the shape that resolvers over HTTPS use, and as lines of a zone.
import type { JsonObject } from '#domain/json.ts';
import { type DnsAnswer, type DnsRecord, typeName } from './message.ts';

/** `{Status, TC, RD, RA, AD, CD, Question, Answer, Authority}`; types are numbers there. */
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
    Answer: answers.map(shown),
    Authority: authority.map(shown),
  };
}

function shown({ name, type, ttl, data }: DnsRecord): JsonObject {
  return { name, type, TTL: ttl, data };
}

/** A line for each record of the answer: `shop.example. 300 IN A 192.0.2.1`. */
export function zoneText({ answers }: DnsAnswer): string {
  return answers.map(({ name, type, ttl, data }) => `${name} ${ttl} IN ${typeName(type)} ${data}`).join('\n');
}
