// The words of `npm run tocsin -- receive`: read, and shown as it receives, until it is stopped.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { systemClock } from '#lib/clock.ts';
import { type ReceiveAnswer, startReceiving } from './receive.ts';
import { receivedText } from './received.ts';
import { exitCodes } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

const longestWaitS = 600;

/** Receives webhooks until SIGINT or SIGTERM; 0. Throws UsageError and CommandError. */
export async function receive(words: string[]): Promise<number> {
  const { values } = parseArgs({
    args: words,
    options: {
      secret: { type: 'string', multiple: true, default: [] },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '8095' },
      answer: { type: 'string', default: '200' },
      wait: { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.secret.includes('')) throw new UsageError('--secret takes a text; without one leave it out');
  const receiving = await startReceiving({
    host: values.host,
    port: within(values.port, '--port', 65_535),
    secrets: values.secret,
    answers: values.answer.split(',').map(answerOf),
    waitMs: within(values.wait, '--wait', longestWaitS) * 1000,
    now: () => systemClock.now(),
    onReceived: (received, answer) => {
      const line = JSON.stringify({ ...received, at: new Date(received.at).toISOString(), answer });
      process.stdout.write(values.json ? `${line}\n` : `${receivedText(received, answerText(answer))}\n`);
    },
  });
  process.stdout.write(
    values.json ? `${JSON.stringify(receiving)}\n` : `Receives at ${receiving.url}; Ctrl-C ends it.\n\n`,
  );
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  receiving.close();
  return exitCodes.ok;
}

function within(text: string, name: string, most: number): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value > most || (name === '--port' && !Number.isInteger(value))) {
    throw new UsageError(`${name} takes a number from 0 to ${most}, not ${text}`);
  }
  return value;
}

function answerOf(text: string): ReceiveAnswer {
  if (text === 'hang' || text === 'reset') return text;
  const status = Number(text);
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new UsageError(
    `--answer takes statuses from 200 to 599, hang or reset, apart by commas: one for each attempt; not ${text}`,
  );
}

function answerText(answer: ReceiveAnswer): string {
  if (answer === 'hang') return 'not at all (hang)';
  return answer === 'reset' ? 'by closing the connection (reset)' : String(answer);
}
