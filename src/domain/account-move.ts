// What is known of an account that moves between two installations (docs/decisions/0046).

/**
 * `leaving`: paused here for the seconds of the switch, and active again by itself when nobody goes on with it.
 * `handing`: paused here, and about to be active elsewhere; only the command that moves it goes on. `left`: it lives
 * elsewhere. `arriving`: it comes here and is not active yet. `arrived`: it came here and is active.
 */
export const moveStates = ['leaving', 'handing', 'left', 'arriving', 'arrived'] as const;
export type MoveState = (typeof moveStates)[number];

/** An account's move, as one of the two installations knows it. */
export interface AccountMove {
  readonly accountId: string;
  readonly state: MoveState;
  /** Where it lives now, an address without a slash at its end; set once it has left. */
  readonly place: string | null;
}

/** A move whose command has given no sign for long: it was cut off, or hangs. */
export interface StalledMove {
  readonly accountId: string;
  readonly state: MoveState;
  /** The last sign, epoch ms. */
  readonly since: number;
  /** The command line that goes on with it, without passwords; null = it is not known. */
  readonly command: string | null;
}

/**
 * How long a command may be silent before its move counts as cut off, ms, in the states in which one is needed. One that
 * lives writes at least every five seconds at the source, and after the 20 s at most that it waits in the target.
 */
export const silentMostMs: Partial<Record<MoveState, number>> = {
  leaving: 15_000,
  handing: 15_000,
  arriving: 30_000,
};

/** A pause that nobody has renewed for so long has ended, ms: the account goes on where it was. */
export const pauseLapsesMs = 60_000;
