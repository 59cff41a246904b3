// The time of this machine that nobody sets: how long it has been up, and which start that counts from.
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { MachineTime } from '#domain/accounts/process.ts';

/** null = the machine does not identify its starts. */
export function machineTime(): MachineTime | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { boot, upMs: Math.round(uptime() * 1000) };
  } catch {
    return null;
  }
}
