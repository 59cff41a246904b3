// What a caller is told whose script could not be read in time.
import type { ScriptFault, ScriptReading } from '#domain/checks/script.ts';
import { Refusal } from '../refusal.ts';

/** The fault that was found; null = none. @throws {Refusal} `unavailable` when the script was not read */
export function faultRead(reading: ScriptReading): ScriptFault | null {
  if (reading !== 'no room') return reading;
  const message =
    'Too many scripts are being read before they are saved: this one was not saved. Try again in a moment.';
  throw new Refusal('unavailable', message, { retryAfterSeconds: 10 });
}
