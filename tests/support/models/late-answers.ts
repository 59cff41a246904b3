// Every short history of a check that runs in several locations at once, each of which may answer after the next round has begun, as
// a location does that tries again: what opened closes, no channel is notified twice, and the newest round decides.
import assert from 'node:assert/strict';
import type { Escalation } from '#domain/alerts/alert-settings.ts';
import { type CheckState, foldResult, newCheckState } from '#domain/checks/check-state.ts';
import { minute, start } from './alert-families.ts';
import { alertSettingsOf, type Rules, rulesOf } from './alert-rules.ts';
import { explore, type Explored } from './explore.ts';
import { type Channel, knownTo } from './received.ts';
import { settingsOf, freshChannels, notify } from './location-channels.ts';

const outcomes = ['passed', 'degraded', 'failed', 'unknown'] as const;
type Outcome = (typeof outcomes)[number];

/** A check in the model. */
export interface LateCase {
  readonly locations: number;
  readonly failingShare: number | null;
  readonly escalation: Escalation;
  /** How many rounds a location may be behind the first. */
  readonly behind: number;
}

/** A location: how many rounds it has answered, and what it found last. */
interface Place {
  readonly rounds: number;
  readonly found: Outcome | null;
}

interface Node {
  readonly state: CheckState;
  readonly places: readonly Place[];
  readonly isHidden: boolean;
  readonly channels: readonly Channel[];
}

/** A location answers its next round, or the check is muted or unmuted. */
type Move = { readonly place: number; readonly outcome: Outcome } | 'mute';

/**
 * Follows every sequence of answers: each location answers its rounds one after the other, however far behind the others within a
 * limit. Once all have answered the newest round and had a verdict in it, the state is that of the round, and
 * subscribed channels were notified of it.
 *
 * @throws {Error} that names the first after which a promise does not hold
 */
export function exploreLateAnswers(depth: number, given: LateCase): Explored {
  const codes = Array.from({ length: given.locations }, (_, index) => `l${index}`);
  const [shown, hidden] = [false, true].map((isMuted) => rulesOfCase(given, codes, isMuted));
  assert.ok(shown !== undefined && hidden !== undefined);
  const first: Node = {
    state: newCheckState,
    places: codes.map(() => ({ rounds: 0, found: null })),
    isHidden: false,
    channels: freshChannels,
  };
  const answers = codes.flatMap((_, place) => outcomes.map((outcome) => ({ place, outcome })));
  return explore<Node, Move>(
    {
      first,
      movesOf: ({ places }) => [
        ...answers.filter(({ place }) => isInReach(places, place, given.behind)),
        'mute' as const,
      ],
      follow: (node, move) => {
        if (move === 'mute') return { ...node, isHidden: !node.isHidden };
        const { rules } = node.isHidden ? hidden : shown;
        const after = answer(node, move, { rules, codes });
        checkWhole(after, given);
        return after;
      },
      keyOf: ({ state, places, isHidden, channels }) =>
        `${JSON.stringify([state, places, isHidden])} ${channels.map(({ key }) => key).join(' ')}`,
      nameOf: (move) => (move === 'mute' ? move : `l${move.place} ${move.outcome}`),
    },
    depth,
  );
}

function rulesOfCase({ failingShare, escalation }: LateCase, served: readonly string[], isMuted: boolean): Rules {
  const share =
    failingShare === null ? {} : { parallelRunFailureThreshold: { enabled: true, percentage: failingShare * 100 } };
  return rulesOf({
    check: { runParallel: true, frequency: 1 },
    alertSettings: { ...alertSettingsOf(escalation, null), ...share },
    served,
    isMuted,
    isInWindow: false,
  });
}

function isInReach(places: readonly Place[], place: number, behind: number): boolean {
  const slowest = Math.min(...places.map(({ rounds }) => rounds));
  return (places[place]?.rounds ?? 0) - slowest < behind + 1;
}

function answer(
  node: Node,
  { place, outcome }: Exclude<Move, string>,
  { rules, codes }: { readonly rules: Rules['rules']; readonly codes: readonly string[] },
): Node {
  const rounds = (node.places[place]?.rounds ?? 0) + 1;
  const at = start + rounds * minute;
  const step = foldResult(node.state, { outcome, location: codes[place] ?? '', at, startedAt: at }, rules);
  const places = node.places.with(place, { rounds, found: outcome });
  return notify({ ...node, places }, step, { now: at, isHidden: node.isHidden, rules }).node;
}

function checkWhole({ state, places, channels, isHidden }: Node, { failingShare, escalation }: LateCase): void {
  const isWhole = places.every(
    ({ rounds, found }) => rounds === places[0]?.rounds && found !== null && found !== 'unknown',
  );
  if (!isWhole) return;
  const failed = places.filter(({ found }) => found === 'failed').length;
  const isFailing = failed > 0 && failed >= (failingShare ?? 0) * places.length;
  const isDegraded = places.some(({ found }) => found === 'degraded');
  const expected = isFailing ? 'failing' : isDegraded ? 'degraded' : 'passing';
  assert.equal(state.status, expected, 'the newest round has the last word');
  for (const [index, channel] of channels.entries()) {
    const { sendFailure, sendDegraded } = settingsOf(index);
    if (expected === 'passing') assert.equal(knownTo(channel), null, 'notified channels received the recovery');
    if (isHidden || escalation.type !== 'RUN_BASED' || escalation.runs > 1) continue;
    if (expected === 'failing' && sendFailure) assert.equal(knownTo(channel), 'ALERT_FAILURE', 'a failure is notified');
    if (expected === 'degraded' && sendDegraded)
      assert.equal(knownTo(channel), 'ALERT_DEGRADED', 'so is a degradation');
  }
}
