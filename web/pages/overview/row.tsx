// One check of the list.
import { Link, useNavigate } from '@tanstack/react-router';
import { memo } from 'react';
import { EllipsisVertical, Pause, Pencil, Play, SquareCheck } from 'lucide-react';
import { Checkbox } from 'react-aria-components';
import { useMay } from '../../api/me.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { useCheckActions } from '../../ui/checks/check-actions.ts';
import { useMuteActions } from '../../ui/checks/mute-actions.tsx';
import { isCalled, showOf } from '../../ui/checks/kind.ts';
import { milliseconds, percent } from '../../ui/text/format.ts';
import { type Action, ActionMenu } from '../../ui/controls/menu.tsx';
import { phone, useMedia } from '../../ui/layout/media.ts';
import { OutcomeBar } from '../../ui/checks/outcome-bar.tsx';
import { Sparkline } from '../../ui/checks/sparkline.tsx';
import { Flags, RowState } from '../../ui/checks/state.tsx';
import { Ago, Lasting } from '../../ui/text/time.tsx';
import type { OverviewRow } from './search.ts';
import { text } from './strings.ts';
import css from './overview.module.css';

/** Memoized, so that scrolling renders only rows that come into view. */
export const CheckRow = memo(function CheckRow({
  row,
  index,
  isDense,
  isSelected,
  onSelect,
}: {
  readonly row: OverviewRow;
  /** In the list. */
  readonly index: number;
  readonly isDense: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (row: OverviewRow, index: number, isSelected: boolean) => void;
}) {
  const { run, write } = useMay();
  return (
    <>
      {(run || write) && (
        <Checkbox
          aria-label={text.select(row.name)}
          isSelected={isSelected}
          onChange={(isSelected) => onSelect(row, index, isSelected)}
          className={css['check'] ?? ''}
        >
          <span aria-hidden className={css['box']} />
        </Checkbox>
      )}
      <div className={css['state']}>
        <RowState row={row} />
        {row.since !== null && (
          <span className={css['since']}>
            {/* Of a flapping check, its present state lasts too briefly to tell anything. */}
            {(row.changesLastHour ?? 0) > 0 ? text.changes(row.changesLastHour ?? 0) : <Lasting since={row.since} />}
          </span>
        )}
      </div>
      <div className={css['what']}>
        <Link to="/checks/$checkId" params={{ checkId: row.checkId }} data-row className={css['name']}>
          {row.name}
        </Link>
        <div className={css['about']}>
          <Flags
            acknowledged={row.acknowledgedAt !== null}
            suppressedBy={row.suppressedBy}
            isBrief
            flappingSince={row.flappingSince}
            muted={row.muted}
            inMaintenance={row.inMaintenance}
            silent={row.silent}
          />
          <span>{showOf(row.checkType).label}</span>
          {row.groupName !== null && <span className={css['group']}>{row.groupName}</span>}
          {!isDense && row.url !== null && <span className={css['url']}>{row.url}</span>}
          {row.tags.slice(0, 3).map((tag) => (
            <Link key={tag} to="/" search={(now) => ({ ...now, tag })} className={css['tag']}>
              {tag}
            </Link>
          ))}
        </div>
      </div>
      <div className={css['bar']}>
        <OutcomeBar buckets={row.buckets} height={isDense ? 16 : 22} />
      </div>
      <div className={css['spark']} title={text.p50p95}>
        <Sparkline points={row.sparkline} />
        {row.responseTimes !== null && (
          <span className={css['times']}>
            {milliseconds(row.responseTimes.p50)} / {milliseconds(row.responseTimes.p95)}
          </span>
        )}
      </div>
      <Availability row={row} />
      <div className={css['last']}>{row.lastRunAt === null ? text.neverRun : <Ago at={row.lastRunAt} />}</div>
      {(run || write) && (
        <RowMenu row={row} onSelect={() => onSelect(row, index, !isSelected)} isSelected={isSelected} />
      )}
    </>
  );
});

function Availability({ row: { availability } }: { readonly row: OverviewRow }) {
  return (
    <div className={css['availability']} title={text.availability}>
      {([availability.day, availability.week, availability.month] as const).map(({ ratio, known }, index) => (
        <span key={index} title={text.known(ratio === null ? null : percent(known))}>
          {ratio === null ? '–' : percent(ratio)}
        </span>
      ))}
    </div>
  );
}

function RowMenu({
  row,
  isSelected,
  onSelect,
}: {
  readonly row: OverviewRow;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const { run, write } = useMay();
  const { start, change } = useCheckActions();
  const navigate = useNavigate();
  const check = { checkId: row.checkId, name: row.name };
  const mutes = useMuteActions(row.muted, (mute) => void change(check, mute));
  const isPhone = useMedia(phone);
  const actions: Action[] = [];
  if (run && !isCalled(row.checkType)) {
    actions.push({
      id: 'run',
      label: text.run,
      icon: <Play size={16} />,
      isDisabled: !row.activated,
      run: () => void start([check]),
    });
  }
  if (write) {
    actions.push({
      id: 'edit',
      label: text.editCheck,
      icon: <Pencil size={16} />,
      run: () => void navigate({ to: '/checks/$checkId/edit', params: { checkId: row.checkId } }),
    });
    actions.push(...mutes.actions, {
      id: 'pause',
      label: row.activated ? text.pause : text.resume,
      icon: row.activated ? <Pause size={16} /> : <Play size={16} />,
      run: () => void change(check, { activated: !row.activated }),
    });
  }
  // Rows of a phone have no checkbox before the first one is selected.
  if (isPhone) {
    const label = isSelected ? text.deselect : text.selectRow;
    actions.push({ id: 'select', label, icon: <SquareCheck size={16} />, run: onSelect });
  }
  return (
    <div className={css['menu']}>
      <ActionMenu
        label={text.actions(row.name)}
        actions={actions}
        trigger={
          <IconButton label={text.actions(row.name)}>
            <EllipsisVertical size={16} />
          </IconButton>
        }
      />
      {mutes.dialog}
    </div>
  );
}
