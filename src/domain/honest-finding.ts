// A verdict of an observer that was itself held up is no verdict (design: Honest figures, Honest gaps).
import type { Finding } from './result.ts';

/** Above this the observing thread was too late to judge anybody, ms. */
export const withheldAboveMs = 500;

/** A finding with the hold-up of its thread; above the bound the verdict is withheld and what was seen is kept. */
export function honestFinding(finding: Finding, loopDelayMs: number): Finding {
  if (loopDelayMs <= withheldAboveMs) return { ...finding, loopDelayMs };
  const message = `this machine was held up for ${Math.round(loopDelayMs)} ms while it looked, so its verdict is withheld`;
  return { ...finding, verdict: 'unknown', reason: 'observer-slow', message, loopDelayMs };
}
