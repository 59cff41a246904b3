// Log entries: JSON, one per line; readable text on a terminal. Names are `noun.verb`.
import { pino } from 'pino';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Fields of an entry. The standard fields are reserved: a duplicate would be ambiguous. */
type Fields = Readonly<Record<string, unknown>> & {
  readonly level?: never;
  readonly time?: never;
  readonly msg?: never;
};

/** Writes log entries. `fields` are logged unchanged, so they must contain no secrets. */
export interface Log {
  debug(name: string, fields?: Fields): void;
  info(name: string, fields?: Fields): void;
  warn(name: string, fields?: Fields): void;
  error(name: string, fields?: Fields): void;
}

/** A log on stdout: readable text on a terminal, JSON lines otherwise (design: Configuration). */
export function createLog(level: LogLevel, isTerminal: boolean): Log {
  if (isTerminal) return terminalLog(level);
  const lines = pino({
    level,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  });
  return {
    debug: (name, fields) => lines.debug({ ...fields }, name),
    info: (name, fields) => lines.info({ ...fields }, name),
    warn: (name, fields) => lines.warn({ ...fields }, name),
    error: (name, fields) => lines.error({ ...fields }, name),
  };
}

const colours: Readonly<Record<'debug' | 'info' | 'warn' | 'error', string>> = {
  debug: '\u001b[2m',
  info: '\u001b[36m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};

function terminalLog(level: LogLevel): Log {
  const least = logLevels.indexOf(level);
  const line =
    (grade: 'debug' | 'info' | 'warn' | 'error') =>
    (name: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      if (logLevels.indexOf(grade) > least) return;
      const words = Object.entries(fields).map(([key, value]) => `${key}=${wordOf(value)}`);
      const time = new Date().toISOString().slice(11, 23);
      process.stdout.write(`\u001b[2m${time}\u001b[0m ${colours[grade]}${name}\u001b[0m ${words.join(' ')}\n`);
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

function wordOf(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
