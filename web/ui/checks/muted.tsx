// How long a check or group is muted.
import { At } from '../text/time.tsx';
import { useNow } from '../text/now.ts';
import { isMutedAt, type Mute } from './check-actions.ts';
import { Flags } from './state.tsx';

/** Nothing if not muted. Of several mutes, the one that lasts longest is shown. */
export function Muted({
  mute,
  byGroup = false,
  untilRecovery,
}: {
  readonly mute: Mute;
  /** Muted by something else as well. */
  readonly byGroup?: boolean;
  readonly untilRecovery: string;
}) {
  const isOwn = isMutedAt(mute, useNow());
  if (!isOwn && !byGroup) return null;
  const end = isOwn && !mute.muted ? mute : null;
  return (
    <>
      <Flags muted />
      {end?.mutedUntilRecovery ? (
        <span className="quiet">{untilRecovery}</span>
      ) : (
        end?.mutedUntil != null && (
          <span className="quiet">
            until <At at={end.mutedUntil} />
          </span>
        )
      )}
    </>
  );
}
