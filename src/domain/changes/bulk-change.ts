// One change to many checks: what it sets, what it did to each check, and what takes it back.
import type { SubscribedChannel } from '../alerts/alert-channel.ts';
import { type Check, mostSubscriptions, mostTags } from '../checks/check.ts';

/** Most checks of a change. */
export const mostChecks = 10_000;
/** How long an ended change is stored and can be undone, ms. */
export const undoMs = 600_000;
/** Changes of an account that are stored; a new one replaces the oldest. */
export const changesKept = 5;

/** Fields that are set as they are. */
type Plain = Pick<
  Check,
  | 'activated'
  | 'muted'
  | 'mutedUntil'
  | 'mutedUntilRecovery'
  | 'frequency'
  | 'frequencyOffset'
  | 'locations'
  | 'privateLocations'
  | 'runParallel'
  | 'groupId'
  | 'tags'
  | 'alertSettings'
  | 'useGlobalAlertSettings'
>;

/** What becomes of each check. Absent fields are kept; objects and lists are replaced as a whole. */
export interface BulkEdit extends Partial<Plain> {
  readonly alertChannelSubscriptions?: readonly SubscribedChannel[];
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
  /** IDs of channels to subscribe, activated. */
  readonly addChannels?: readonly number[];
  readonly removeChannels?: readonly number[];
}

/** The fields of a check that an edit sets. */
export type EditedFields = Partial<Plain> & Pick<BulkEdit, 'alertChannelSubscriptions'>;

/** The values of these fields before a change. */
export type PreviousFields = EditedFields & Partial<Pick<Check, 'mutedFrom'>>;

/** A change as stored. Times are epoch ms. */
export interface BulkChange {
  readonly accountId: string;
  readonly id: string;
  /** null = it deletes the checks, or takes another change back. */
  readonly edit: BulkEdit | null;
  /** ID of the change that it takes back; null = none. */
  readonly undoOf: string | null;
  /** Number of checks. */
  readonly checks: number;
  readonly changed: number;
  /** Checks that were so already. */
  readonly unchanged: number;
  readonly refused: number;
  readonly createdAt: number;
  /** null = it is in progress. */
  readonly endedAt: number | null;
  /** Another change has taken it back, or does so. */
  readonly isUndone: boolean;
}

/** A check that a change could not change. */
export interface RefusedCheck {
  readonly checkId: string;
  /** A sentence. */
  readonly reason: string;
}

/** A check that a change has changed. */
export interface ChangedCheck {
  readonly checkId: string;
  /** Its revision afterwards, epoch ms; null = it was deleted. */
  readonly revision: number | null;
  /** null = it was deleted, or they were too large to be stored. */
  readonly previous: PreviousFields | null;
  /** Its subscriptions afterwards, if they were changed: their changes on the page of a channel are no new revision. */
  readonly subscriptions?: readonly SubscribedChannel[];
}

/** A check and its subscriptions. */
interface Subscribed {
  readonly check: Check;
  readonly subscriptions: readonly SubscribedChannel[];
}

/** The new values of the fields that an edit sets in a check. */
export function editedFields(edit: BulkEdit, { check, subscriptions }: Subscribed): EditedFields {
  const { addTags = [], removeTags = [], addChannels = [], removeChannels = [], ...plain } = edit;
  const isTagged = addTags.length + removeTags.length > 0;
  const isSubscribed = addChannels.length + removeChannels.length > 0;
  const present = new Map(subscriptions.map((each) => [each.alertChannelId, each]));
  return {
    ...plain,
    ...(isTagged && { tags: [...new Set([...check.tags, ...addTags])].filter((tag) => !removeTags.includes(tag)) }),
    ...(isSubscribed && {
      alertChannelSubscriptions: [
        ...subscriptions.filter(({ alertChannelId }) => ![...addChannels, ...removeChannels].includes(alertChannelId)),
        ...addChannels.map((id) => ({ alertChannelId: id, escalationMinutes: 0, ...present.get(id), activated: true })),
      ],
    }),
  };
}

/** The present values of the fields that an edit sets. */
export function previousFields(edited: EditedFields, { check, subscriptions }: Subscribed): PreviousFields {
  const names = Object.keys(edited).filter((name): name is keyof Plain => name !== 'alertChannelSubscriptions');
  return {
    ...Object.fromEntries(names.map((name) => [name, check[name]])),
    ...(edited.alertChannelSubscriptions && { alertChannelSubscriptions: subscriptions }),
    ...(edited.mutedUntilRecovery !== undefined && { mutedFrom: check.mutedFrom }),
  };
}

/** The fields that take a change back. The end of a mute that is over is not restored. @param now epoch ms */
export function restoredFields({ mutedFrom: _start, ...fields }: PreviousFields, now: number): EditedFields {
  return { ...fields, ...((fields.mutedUntil ?? now + 1) <= now && { mutedUntil: null }) };
}

/** Why a check cannot have these values, a sentence, if single changes do not refuse them; null = it can. */
export function reasonAgainst(
  { tags = [], alertChannelSubscriptions = [], frequency, locations, privateLocations, runParallel }: EditedFields,
  { checkType }: Check,
): string | null {
  if (tags.length > mostTags) return `It would have more than ${mostTags} tags.`;
  if (alertChannelSubscriptions.length > mostSubscriptions) {
    return `It would notify more than ${mostSubscriptions} channels.`;
  }
  if (checkType !== 'HEARTBEAT') return null;
  if (frequency !== undefined) return 'A heartbeat has no interval: it expects pings in its own period.';
  const isPlaced = [locations, privateLocations, runParallel].some((field) => field !== undefined);
  return isPlaced ? 'A heartbeat runs in no location: it waits for pings.' : null;
}

/** Until when a change can be undone, epoch ms; null = it cannot, or not yet. */
export function undoableUntil({ edit, endedAt, changed, isUndone }: BulkChange): number | null {
  return edit === null || endedAt === null || changed === 0 || isUndone ? null : endedAt + undoMs;
}
