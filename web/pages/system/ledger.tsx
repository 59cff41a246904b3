// The ledgers of all accounts together, and those that do not add up.
import { Link } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useRead } from '../../api/query.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Table } from '../../ui/layout/table.tsx';
import css from '../../ui/ledger/ledger.module.css';
import { text as shared } from '../../ui/ledger/strings.ts';
import { Sums, Verdict } from '../../ui/ledger/sums.tsx';
import { At } from '../../ui/text/time.tsx';
import { text } from './strings.ts';

export function SystemLedger() {
  const [period, setPeriod] = useState<'day' | 'month'>('day');
  const { data, error, refetch } = useRead('getSystemLedger', { query: { period } });
  return (
    <>
      <div className={css['controls']}>
        <Choice
          label={shared.period}
          isLabelHidden
          value={period}
          options={Object.entries(shared.periods) as [typeof period, string][]}
          onChange={setPeriod}
        />
        <IconButton label={shared.refresh} onPress={() => void refetch()}>
          <RotateCw size={16} />
        </IconButton>
        {data !== undefined && (
          <span className="quiet">
            {text.accounts(data.accounts)} · {shared.asOf} <At at={data.createdAt} precise />
          </span>
        )}
        <Link to="/ledger" search={{}}>
          {text.ownLedger}
        </Link>
      </div>
      {error && data === undefined ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <>
          <Verdict ledger={data} />
          {data.unbalanced.length > 0 && (
            <div className={css['note']}>
              <Table
                label={text.unbalanced}
                rows={data.unbalanced}
                keyOf={({ accountId }) => accountId}
                columns={[
                  {
                    id: 'account',
                    title: text.unbalancedColumns.account,
                    isName: true,
                    cell: ({ name, accountId }) => `${name ?? text.unnamed} (${accountId})`,
                  },
                  ...(['runs', 'alerts', 'deliveries'] as const).map((noun) => ({
                    id: noun,
                    title: text.unbalancedColumns[noun],
                    isNumber: true,
                    cell: (row: (typeof data.unbalanced)[number]) => String(row[noun]),
                  })),
                ]}
              />
            </div>
          )}
          <Sums ledger={data} />
        </>
      )}
    </>
  );
}
