// Settings of the account: the time zone of its messages.
import { useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay, useMe } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { ZoneChoice, zoneName } from '../../ui/controls/zone-choice.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Facts, PageHead, Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { useNow } from '../../ui/text/now.ts';
import { text } from './strings.ts';
import css from './account.module.css';

type Account = AnswerOf<'getOwnAccount'>;

export function AccountPage() {
  const { data, error, refetch } = useRead('getOwnAccount');
  return (
    <>
      <PageHead title={text.title} />
      {error && data === undefined ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton />
      ) : (
        <Settings account={data} />
      )}
    </>
  );
}

function Settings({ account }: { readonly account: Account }) {
  const { admin } = useMay();
  const { serverTimeZone } = useMe();
  const { name = '–', id, timeZone } = account;
  return (
    <>
      <Facts
        facts={[
          [text.name, name],
          [text.id, id],
          ...(admin ? [] : [[text.timeZone, timeZone ?? text.ofServer(serverTimeZone)] as const]),
        ]}
      />
      <Section title={text.times}>
        <p className="quiet">{text.explained}</p>
        {admin && <TimeZone own={timeZone ?? null} />}
      </Section>
      {admin && (
        <Section title={text.badges}>
          <p className="quiet">{text.badgesExplained}</p>
          <RevokeBadges />
        </Section>
      )}
    </>
  );
}

function RevokeBadges() {
  const [isAsking, setAsking] = useState(false);
  const revoke = useWrite('deleteBadgeLinks', ['getCheckBadgeLink', 'getGroupBadgeLink']);
  return (
    <div>
      <Button onPress={() => setAsking(true)}>{text.revoke}</Button>
      <Confirm
        title={text.revokeTitle}
        action={text.revoke}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await revoke.mutateAsync({});
          toast.done(text.revoked);
        }}
      >
        <p>{text.revokeHelp}</p>
      </Confirm>
    </div>
  );
}

/** The choice of no zone: no zone has this name. */
const ofServer = 'server';

/** @param own zone of the account; null = that of the server */
function TimeZone({ own }: { readonly own: string | null }) {
  const { serverTimeZone } = useMe();
  const now = useNow();
  const change = useWrite('updateAccount', ['getOwnAccount', 'getAccountReport']);
  return (
    <div className={css['zone']}>
      <ZoneChoice
        // A choice that the server refused is taken back.
        key={`${own ?? ofServer} ${change.failureCount}`}
        label={text.timeZone}
        help={text.now(timeIn(own ?? serverTimeZone, now))}
        value={own ?? ofServer}
        others={[[ofServer, text.ofServer(serverTimeZone)]]}
        onChange={(chosen) => {
          const next = chosen === ofServer ? null : chosen;
          const written = change.mutateAsync({ params: { id: 'me' }, body: { timeZone: next } });
          void toast.of(written, text.changed(zoneName(next ?? serverTimeZone)));
        }}
      />
    </div>
  );
}

/** `02:42`; a dash for a zone that this browser does not know. */
function timeIn(timeZone: string, at: number): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(at);
  } catch {
    return '–';
  }
}
