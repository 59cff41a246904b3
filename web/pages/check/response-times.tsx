// Response times and outcomes over the range in the URL.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import type { AnswerOf } from '#contract/operations.ts';
import { useTheme } from '../../ui/layout/theme.ts';
import { useRead } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { isCalled, showOf, timeLabel } from '../../ui/checks/kind.ts';
import { dayAndTime } from '../../ui/text/format.ts';
import { phone, useMedia } from '../../ui/layout/media.ts';
import { useNow } from '../../ui/text/now.ts';
import { Section } from '../../ui/layout/page.tsx';
import { bucketMinutes, type ChartData, chartMetrics, intervalData, isShownSingly, singleData } from './chart-data.ts';
import { ChartTable, Readout } from './chart-values.tsx';
import { analyticsPath } from './figures.tsx';
import { type ChartRange, chartRanges, type Span, spanOf } from './search.ts';
import { text } from './strings.ts';
import { Timeline } from './timeline.tsx';
import css from './check.module.css';

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));

type Check = AnswerOf<'getCheck'>;

export function ResponseTimes({ check }: { readonly check: Check }) {
  const search = useSearch({ from: '/shell/checks/$checkId' });
  const navigate = useNavigate({ from: '/checks/$checkId' });
  const span = spanOf(search, useNow());
  const isPing = isCalled(check.checkType);
  const analytics = useRead('getCheckAnalytics', {
    params: { type: analyticsPath(check.checkType), checkId: check.id },
    query: {
      from: new Date(span.from).toISOString(),
      ...(!span.isLive && { to: new Date(span.to).toISOString() }),
      aggregationInterval: bucketMinutes(check, span),
      groupBy: 'runLocation',
      metrics: chartMetrics(check.checkType),
    },
  });
  const zoom = useCallback(
    (from: number, to: number) => {
      // The minimum zoom is a minute.
      const wide = Math.max(60_000, to - from);
      const [start, end] = [Math.floor(from), Math.floor(from + wide)].map((at) => new Date(at).toISOString());
      void navigate({
        search: (now) => ({ ...now, ...(start !== undefined && end !== undefined && { from: start, to: end }) }),
        resetScroll: false,
      });
    },
    [navigate],
  );
  return (
    <Section title={isPing ? text.outcomes : timeLabel(check.checkType)} aside={<RangeChoice />}>
      {analytics.error && analytics.data === undefined ? (
        <LoadError error={analytics.error} onRetry={() => void analytics.refetch()} />
      ) : analytics.data === undefined ? (
        <Skeleton lines={1} height={260} />
      ) : (
        <>
          {isPing ? (
            <Timeline check={check} series={analytics.data.series} span={span} hasAxis={false} onZoom={zoom} />
          ) : (
            <Chart check={check} span={span} analytics={analytics.data} onZoom={zoom}>
              <Timeline check={check} series={analytics.data.series} span={span} hasAxis onZoom={zoom} />
            </Chart>
          )}
        </>
      )}
    </Section>
  );
}

function RangeChoice() {
  const search = useSearch({ from: '/shell/checks/$checkId' });
  const navigate = useNavigate({ from: '/checks/$checkId' });
  const change = (range: ChartRange): void =>
    void navigate({
      search: ({ from: _from, to: _to, ...rest }) => ({ ...rest, range }),
      resetScroll: false,
    });
  const range = search.range ?? '24h';
  const isZoomed = search.from !== undefined && search.to !== undefined;
  return (
    <div className={css['ranges']}>
      {isZoomed && (
        <>
          <span className="quiet">
            {text.zoomed(dayAndTime(Date.parse(search.from)), dayAndTime(Date.parse(search.to)))}
          </span>
          <Button kind="quiet" onPress={() => change(range)}>
            {text.resetZoom}
          </Button>
        </>
      )}
      <ToggleButtonGroup
        aria-label={text.range}
        className={css['segments'] ?? ''}
        selectedKeys={isZoomed ? [] : [range]}
        onSelectionChange={([key]) => change((key as ChartRange | undefined) ?? range)}
      >
        {Object.entries(chartRanges).map(([key, [name]]) => (
          <ToggleButton key={key} id={key} className={css['segment'] ?? ''}>
            {name}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </div>
  );
}

function Chart({
  check,
  span,
  analytics,
  onZoom,
  children,
}: {
  readonly check: Check;
  readonly span: Span;
  readonly analytics: AnswerOf<'getCheckAnalytics'>;
  readonly onZoom: (from: number, to: number) => void;
  /** Rendered below the chart. */
  readonly children: ReactNode;
}) {
  const search = useSearch({ from: '/shell/checks/$checkId' });
  const navigate = useNavigate({ from: '/checks/$checkId' });
  const isSingle = isShownSingly(check, span);
  const { phases } = showOf(check.checkType);
  const isByPhase = search.view !== 'times' && phases !== undefined;
  const data = useChartData(check, span, analytics, isSingle, isByPhase);
  const [index, setIndex] = useState<number | null>(null);
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const theme = `${useTheme()} ${isDark}`;
  const isNarrow = useMedia(phone);
  if (data === undefined) return <Skeleton lines={1} height={isNarrow ? 180 : 240} />;
  if (!data.series.some(({ values }) => values.some((value) => value != null))) {
    return (
      <>
        <Empty title={text.noTimes}>
          <p>{text.noTimesHelp}</p>
        </Empty>
        {children}
      </>
    );
  }
  const pick = (at: number): void => {
    const result = data.results?.[at];
    if (result == null) return;
    void navigate({ to: '/checks/$checkId/results/$resultId', params: { checkId: check.id, resultId: result.id } });
  };
  const hasPhases = analytics.series.length <= 1 && (isSingle ? phases !== undefined : phases === 'intervals');
  return (
    <div className={css['chart']}>
      <div className={css['chartHead']}>
        <Readout data={data} index={index} />
        {hasPhases && (
          <Choice
            label={text.view}
            isLabelHidden
            value={isByPhase ? 'phases' : 'times'}
            options={[
              ['phases', isSingle ? text.byPhase : text.byPhaseAverage],
              ['times', isSingle ? text.byTotal : text.byTime],
            ]}
            onChange={(view) => void navigate({ search: (now) => ({ ...now, view }), resetScroll: false })}
          />
        )}
      </div>
      <Suspense fallback={<div style={{ height: isNarrow ? 180 : 240 }} />}>
        <Plot
          key={theme}
          data={data}
          from={span.from}
          to={span.to}
          height={isNarrow ? 180 : 240}
          onPoint={setIndex}
          onPick={pick}
          onZoom={onZoom}
        />
      </Suspense>
      {children}
      <ChartTable
        label={timeLabel(check.checkType)}
        data={data}
        hint={isSingle ? text.chartHintSingle : text.chartHint}
      />
    </div>
  );
}

function useChartData(
  check: Check,
  { from, to, isLive }: Span,
  analytics: AnswerOf<'getCheckAnalytics'>,
  isSingle: boolean,
  isByPhase: boolean,
): ChartData | undefined {
  const query = {
    limit: isSingle ? 100 : 1,
    from: new Date(from).toISOString(),
    ...(!isLive && { to: new Date(to).toISOString() }),
  };
  const results = useRead('listCheckResults', { params: { checkId: check.id }, query });
  const isWhole = results.data !== undefined && !results.isPlaceholderData;
  return useMemo(() => {
    if (!isSingle) return intervalData(analytics, isByPhase);
    return isWhole ? singleData(results.data ?? [], isByPhase, check) : undefined;
  }, [analytics, check, isByPhase, isSingle, isWhole, results.data]);
}
