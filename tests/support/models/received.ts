// What a channel received about a check, separate from what Tocsin stored, and the promises about notifications.
import assert from 'node:assert/strict';
import type { Reminders } from '#domain/alerts/alert-settings.ts';
import type { AlertType, Notified } from '#domain/alerts/alert.ts';
import type { CheckStatus } from '#domain/checks/check-state.ts';
import { type Notification, notNotified } from '#domain/alerts/notify.ts';

interface Received {
  readonly lastSent: AlertType | null;
  /** When that was, or it was last told again; epoch ms. */
  readonly sentAt: number;
  /** Number of reminders. */
  readonly reminders: number;
  /** Whether the check passed since. */
  readonly isPassedSince: boolean;
  /** Whether a failure was opened that only this channel's switch kept from it, and whose end it asked for then. */
  readonly isSparedFailure: boolean;
}

/** A channel: what the product remembers of it, and what it heard. */
export interface Channel extends Received {
  readonly notified: Notified;
  /** All of it as a text. */
  readonly key: string;
}

/** What it asks for. */
export interface ChannelSettings {
  readonly sendFailure: boolean;
  readonly sendRecovery: boolean;
  readonly sendDegraded: boolean;
}

/** What a channel could be notified of now. */
export interface Occasion {
  /** Where the check stands; passing = it passes with this. */
  readonly status: CheckStatus | null;
  readonly opens: AlertType | null;
  /** Muted, or in a window of maintenance. */
  readonly isHidden: boolean;
  readonly isSubscribed: boolean;
  /** Epoch ms. */
  readonly now: number;
  /** Reminder settings, if the result confirms the state; null = no reminders. */
  readonly reminders: Reminders | null;
  /** The alert that channels must have received by now; null = unspecified. */
  readonly due: CheckStatus | null;
}

/** One that heard nothing yet. */
export const freshChannel: Channel = channelOf(notNotified, {
  lastSent: null,
  sentAt: 0,
  reminders: 0,
  isPassedSince: true,
  isSparedFailure: false,
});

function channelOf(notified: Notified, received: Received): Channel {
  const { lastSent, sentAt, reminders: again, isPassedSince, isSparedFailure } = received;
  const ofNotifying = `${lastSent},${sentAt},${again},${Number(isPassedSince)},${Number(isSparedFailure)}`;
  return { notified, ...received, key: `${notified.open},${notified.notifiedAt},${notified.reminders},${ofNotifying}` };
}

/** What it knows to be so; null = nothing, or that it is over. */
export function knownTo({ isPassedSince, lastSent }: Channel): AlertType | null {
  return isPassedSince ? null : lastSent;
}

/**
 * A channel after an event, with its notifications.
 *
 * @throws {Error} when that is not what was promised
 */
export function receive(
  channel: Channel,
  asked: ChannelSettings,
  notification: Notification | undefined,
  occasion: Occasion,
): Channel {
  const { opens, isSubscribed, now, status } = occasion;
  const sent = notification?.alertTypes ?? [];
  const reminder = notification?.reminder ?? null;
  assert.ok(sent.length <= 1, 'a result is notified once');
  checkSent(sent[0], reminder, channel, asked, occasion);
  const isPassing = status === 'passing';
  const isSparedNow =
    opens === 'ALERT_FAILURE' && isSubscribed && !asked.sendFailure && knownTo(channel) !== 'ALERT_FAILURE';
  const isSpared = (isSparedNow && asked.sendRecovery) || (channel.isSparedFailure && sent.length === 0);
  const isSparedFailure = !isPassing && isSpared;
  const isPassedSince = isPassing || (sent.length === 0 && channel.isPassedSince);
  if (
    notification === undefined &&
    isSparedFailure === channel.isSparedFailure &&
    isPassedSince === channel.isPassedSince
  ) {
    return channel;
  }
  // The time of a notification does not matter after the recovery.
  const [sentAt, again] = sent.length > 0 ? [now, reminder ?? 0] : [channel.sentAt, channel.reminders];
  return channelOf(notification?.notified ?? channel.notified, {
    lastSent: sent[0] ?? channel.lastSent,
    sentAt: isPassedSince ? 0 : sentAt,
    reminders: isPassedSince ? 0 : again,
    isPassedSince,
    isSparedFailure,
  });
}

function checkSent(
  alert: AlertType | undefined,
  reminder: number | null,
  channel: Channel,
  asked: ChannelSettings,
  occasion: Occasion,
): void {
  const { status, isHidden, isSubscribed, due } = occasion;
  if (status === 'passing') return checkClosing(alert, channel, asked);
  assert.ok(alert !== 'ALERT_RECOVERY' && alert !== 'ALERT_DEGRADED_RECOVERY', 'a recovery is sent when it passes');
  assert.ok(alert === undefined || !isHidden, 'while it is muted or in a window only closings are sent');
  assert.ok(alert === undefined || isSubscribed, 'an unsubscribed channel receives only recoveries');
  if (alert === 'ALERT_FAILURE')
    assert.ok(asked.sendFailure && status === 'failing', 'a failure is sent to channels that want it');
  if (alert === 'ALERT_DEGRADED') assert.ok(asked.sendDegraded && status === 'degraded', 'so is a degradation');
  const open = knownTo(channel);
  const isRepeat = alert !== undefined && alert === open && !channel.isSparedFailure;
  assert.equal(reminder !== null, isRepeat, 'no channel is notified twice of the same state except by a reminder');
  checkReminder(reminder, channel, asked, occasion);
  if (isHidden) return;
  const knows = alert ?? open;
  if (due === 'failing' && asked.sendFailure)
    assert.equal(knows, 'ALERT_FAILURE', 'mute and maintenance hide a failure and do not lose it');
  if (due === 'degraded' && asked.sendDegraded) assert.equal(knows, 'ALERT_DEGRADED', 'nor a degradation');
}

/** A notified channel receives the configured reminders while the state lasts, with their number. */
function checkReminder(reminder: number | null, channel: Channel, asked: ChannelSettings, occasion: Occasion): void {
  const { status, isHidden, isSubscribed, reminders, now } = occasion;
  const open = knownTo(channel);
  const isStill =
    status === 'failing'
      ? open === 'ALERT_FAILURE' && asked.sendFailure
      : open === 'ALERT_DEGRADED' && asked.sendDegraded;
  const isDue =
    reminders !== null && channel.reminders < reminders.amount && now - channel.sentAt >= reminders.intervalMs;
  const isReminded = isDue && isStill && isSubscribed && !isHidden && !channel.isSparedFailure;
  assert.equal(reminder, isReminded ? channel.reminders + 1 : null, 'reminders come in time, one after the other');
}

/**
 * The recovery follows a notified failure, by a passing result or a deletion.
 *
 * @throws {Error} when it is not, or to somebody who knows of no beginning
 */
export function checkClosing(alert: AlertType | undefined, channel: Channel, asked: ChannelSettings): void {
  const open = channel.isSparedFailure ? 'ALERT_FAILURE' : knownTo(channel);
  const closing = open === 'ALERT_DEGRADED' ? 'ALERT_DEGRADED_RECOVERY' : 'ALERT_RECOVERY';
  if (open === null) assert.equal(alert, undefined, 'no other channel receives a recovery');
  else assert.equal(alert, asked.sendRecovery ? closing : undefined, 'what opened closes');
}
