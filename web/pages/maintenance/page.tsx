// Maintenance: the calendar, and all windows with their next occurrence and what they do.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMay } from '../../api/me.ts';
import { ButtonLink } from '../../ui/controls/button.tsx';
import { ZoneChoice } from '../../ui/controls/zone-choice.tsx';
import { Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { Calendar } from './calendar.tsx';
import { text } from './strings.ts';
import { useZone } from './use-zone.ts';
import { Windows } from './windows.tsx';
import css from './maintenance.module.css';

export function MaintenancePage() {
  const { write } = useMay();
  const search = useSearch({ from: '/shell/maintenance' });
  const navigate = useNavigate({ from: '/maintenance' });
  const ownZone = useZone();
  const zone = search.zone ?? ownZone;
  return (
    <>
      <PageHead title={text.title}>{write && <ButtonLink to="/maintenance/new">{text.plan}</ButtonLink>}</PageHead>
      <p className="quiet">{text.help}</p>
      <div className={css['sides']}>
        {zone === undefined ? (
          <Skeleton lines={8} height={60} />
        ) : (
          <Section title={text.calendar}>
            <Calendar
              zone={zone}
              month={search.month}
              onMonth={(month) =>
                void navigate({
                  search: ({ month: _month, ...now }) => ({ ...now, ...(month !== undefined && { month }) }),
                  replace: true,
                })
              }
            />
            <div className={css['zone']}>
              <ZoneChoice
                key={zone}
                label={text.timeZone}
                help={text.timeZoneHelp}
                value={zone}
                onChange={(chosen) => void navigate({ search: (now) => ({ ...now, zone: chosen }), replace: true })}
              />
            </div>
          </Section>
        )}
        <Section title={text.windows}>
          <Windows />
        </Section>
      </div>
    </>
  );
}
