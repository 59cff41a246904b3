// The status of a delivery: icon, word and colour together.
import { Link } from '@tanstack/react-router';
import { Ban, CircleCheck, CircleX, Clock, Layers, RotateCw, type LucideIcon } from 'lucide-react';
import type { AnswerOf } from '#contract/operations.ts';
import css from '../checks/state.module.css';

type Status = AnswerOf<'getDelivery'>['status'];

const looks: Readonly<
  Record<Status, { readonly word: string; readonly icon: LucideIcon; readonly className: string }>
> = {
  pending: { word: 'Pending', icon: Clock, className: 'unknown' },
  delivered: { word: 'Delivered', icon: CircleCheck, className: 'passing' },
  exhausted: { word: 'Failed after all attempts', icon: CircleX, className: 'failing' },
  refused: { word: 'Refused by egress policy', icon: Ban, className: 'failing' },
  failed: { word: 'Could not be sent', icon: CircleX, className: 'failing' },
  cancelled: { word: 'Cancelled', icon: Ban, className: 'unknown' },
  collecting: { word: 'Collecting alerts', icon: Clock, className: 'unknown' },
  superseded: { word: 'Superseded', icon: Layers, className: 'unknown' },
  digested: { word: 'Grouped', icon: Layers, className: 'unknown' },
};

export const deliveryStatusWords = Object.fromEntries(
  Object.entries(looks).map(([status, { word }]) => [status, word]),
) as Readonly<Record<Status, string>>;

/** Words of the filter by status: `lost` stands for all that were not received. */
export const filterWords = { lost: 'Not delivered', ...deliveryStatusWords };

/** The number of attempts differs: a test message has one, a channel with further retries up to ten. */
function wordsOf(status: Status, attempts: number): string {
  if (status !== 'exhausted' || attempts === 0) return looks[status].word;
  return attempts === 1 ? 'Failed after 1 attempt' : `Failed after ${attempts} attempts`;
}

export function DeliveryStatus({
  delivery: { status, attempts, error, digestId, digestStatus },
}: {
  readonly delivery: AnswerOf<'listDeliveries'>[number];
}) {
  const isRetrying = status === 'pending' && attempts.length > 0;
  const { icon, className } = looks[status];
  const Icon = isRetrying ? RotateCw : icon;
  return (
    <>
      <span className={`${css['badge']} ${css[isRetrying ? 'degraded' : className]}`}>
        <Icon size={15} aria-hidden />
        {isRetrying ? `Retrying (${attempts.length} failed)` : wordsOf(status, attempts.at(-1)?.number ?? 0)}
      </span>
      {digestId !== undefined && digestStatus !== undefined && (
        <span className="quiet">
          {': '}
          <Link to="/deliveries/$deliveryId" params={{ deliveryId: digestId }}>
            {looks[digestStatus].word}
          </Link>
        </span>
      )}
      {(status === 'cancelled' || status === 'superseded') && error !== undefined && (
        <span className="quiet">: {error}</span>
      )}
    </>
  );
}
