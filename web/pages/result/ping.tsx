// The ping behind the result of a heartbeat: what the job reported, how late, from where, and its body.
import { use } from 'react';
import { useRead } from '../../api/query.ts';
import type { PingEvidence } from '#checks/show.ts';
import { scheduleOf } from '../../ui/checks/kind.ts';
import type { Result } from '../../ui/checks/evidence.ts';
import { Code } from '../../ui/controls/copy.tsx';
import { Facts, Section } from '../../ui/layout/page.tsx';
import { duration } from '../../ui/text/format.ts';
import { Ago, At } from '../../ui/text/time.tsx';
import { LinkContext } from './link.ts';
import { text } from './strings.ts';
import css from './result.module.css';

interface PingProps {
  readonly result: Result;
  readonly ping: PingEvidence;
}

export function Ping(props: PingProps) {
  const linked = use(LinkContext);
  if (linked === null) return <ReadPing {...props} />;
  return <PingSection {...props} body={linked.pingBody || null} before={undefined} lateMs={null} />;
}

/** With the body and the ping before, as far as they are stored. */
function ReadPing(props: PingProps) {
  const { checkId, id, startedAt } = props.result;
  const ping = useRead('getHeartbeatEvent', { params: { checkId, id } });
  const check = useRead('getCheck', { params: { id: checkId } });
  const recent = useRead('listHeartbeatEvents', { params: { checkId } });
  const before = recent.data?.events.find(
    (event) => event.receivedAt < startedAt && !['start', 'log', 'missing'].includes(event.signal),
  );
  const periodMs = check.data === undefined ? null : scheduleOf(check.data).interval * 60_000;
  const lateMs =
    before === undefined || periodMs === null ? null : Date.parse(startedAt) - Date.parse(before.receivedAt) - periodMs;
  return <PingSection {...props} body={ping.data?.body} before={before} lateMs={lateMs} />;
}

function PingSection({
  result: { startedAt },
  ping: { report, isMissing, state, method, source, userAgent },
  body,
  before,
  lateMs,
}: PingProps & {
  /** null = none; undefined = not known. */
  readonly body: string | null | undefined;
  readonly before: { readonly receivedAt: string } | undefined;
  readonly lateMs: number | null;
}) {
  return (
    <Section title={text.ping}>
      <div className={css['stack']}>
        <Facts
          facts={[
            [text.signal, report],
            ...(isMissing ? [[text.deadline, <At key="at" at={startedAt} precise />] as const] : []),
            ...(state === null ? [] : timingOf(state, lateMs)),
            ...(before === undefined
              ? []
              : [
                  [
                    text.lastPing,
                    <span key="before">
                      <At at={before.receivedAt} precise /> (<Ago at={before.receivedAt} />)
                    </span>,
                  ] as const,
                ]),
            ...(source === null ? [] : [[text.from, source] as const]),
            ...(userAgent === null ? [] : [[text.userAgent, userAgent] as const]),
            ...(method === null ? [] : [[text.method, method] as const]),
          ]}
        />
        {body && <Code label={text.body} text={body} />}
        {body === '' && !isMissing && <p className="quiet">{text.emptyBody}</p>}
      </div>
    </Section>
  );
}

/** @param lateMs after the period; null = the ping before it is no longer listed */
function timingOf(state: string, lateMs: number | null): (readonly [string, string])[] {
  if (state === 'EARLY') return [[text.timing, text.onTime]];
  if (state !== 'GRACE' && state !== 'LATE') return [];
  const late = lateMs === null || lateMs <= 0 ? text.late : text.lateBy(duration(lateMs));
  return [[text.timing, `${late}, ${text.graces[state]}`]];
}
