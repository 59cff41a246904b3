// Reads a small form of a page that works without JavaScript.
import type { IncomingMessage } from 'node:http';

/** Most bytes of a form: an address and 200 services. */
const mostBytes = 16_384;

/** The fields of a form, or of a JSON object with texts and lists of texts; null = it is larger than 16 kB, or neither. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | null> {
  const type = request.headers['content-type'] ?? '';
  const isJson = type.startsWith('application/json');
  if (!isJson && !type.startsWith('application/x-www-form-urlencoded')) return null;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > mostBytes) return null;
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString();
  return isJson ? fieldsOf(text) : new URLSearchParams(text);
}

function fieldsOf(text: string): URLSearchParams | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const fields = new URLSearchParams();
  for (const [name, field] of Object.entries(value)) {
    const texts: readonly unknown[] = Array.isArray(field) ? field : [field];
    for (const each of texts) {
      if (typeof each !== 'string') return null;
      fields.append(name, each);
    }
  }
  return fields;
}
