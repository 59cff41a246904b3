// Refuses a script that could not be parsed in time.
import type { ScriptFault, ScriptReading } from '#domain/checks/script.ts';
import { Refusal } from '../refusal.ts';

/** The problem; null = none. @throws {Refusal} `unavailable` if the script was not parsed */
export function faultRead(reading: ScriptReading): ScriptFault | null {
  if (reading !== 'no room') return reading;
  const message = 'Too many scripts are being validated, so the changes were not saved. Try again in a moment.';
  throw new Refusal('unavailable', message, { retryAfterSeconds: 10 });
}
