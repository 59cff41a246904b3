// Draws series with uPlot; loaded with the chart only.
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { milliseconds } from '../../ui/text/format.ts';
import type { ChartData } from './chart-data.ts';
import css from './check.module.css';

export interface PlotProps {
  readonly data: ChartData;
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  readonly height: number;
  /** @param index of the time under the cursor; null = none */
  readonly onPoint: (index: number | null) => void;
  readonly onPick: (index: number) => void;
  readonly onZoom: (from: number, to: number) => void;
}

/** Width of the axis of times, which the outcome timeline leaves free as well. */
const axisWidth = 58;
const edge = 20;

/** Mount it anew when the theme changes, as colours are read once. */
export function Plot(props: PlotProps) {
  const { data, from, to, height } = props;
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    const chart = new uPlot(
      optionsOf(parent, data, { from, to, height }, () => latest.current),
      drawn(data),
      parent,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: parent.clientWidth, height }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [data, from, to, height]);
  return <div ref={place} className={css['plot']} style={{ height }} aria-hidden />;
}

/** Drawn values: areas are stacked, and the highest is drawn first. */
function drawn({ times, series }: ChartData): uPlot.AlignedData {
  const areas = series.filter(({ look }) => look === 'area');
  const sums = areas.map((_, index) =>
    times.map((_time, at) => {
      const parts = areas.slice(0, index + 1).map(({ values }) => values[at]);
      return parts.some((value) => value == null) ? null : parts.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    }),
  );
  const lines = series.filter(({ look }) => look !== 'area').map(({ values }) => [...values]);
  return [times.map((time) => time / 1000), ...sums.toReversed(), ...lines];
}

function optionsOf(
  parent: HTMLElement,
  { series, times, failed, results }: ChartData,
  { from, to, height }: { readonly from: number; readonly to: number; readonly height: number },
  handlers: () => PlotProps,
): uPlot.Options {
  const colour = colourReader(parent);
  const axis = {
    stroke: colour('var(--text-2)'),
    font: `11px ${getComputedStyle(parent).fontFamily}`,
    grid: { stroke: colour('var(--line)'), width: 1 },
    ticks: { show: false },
  };
  const areas = series.filter(({ look }) => look === 'area').toReversed();
  const lines = series.filter(({ look }) => look !== 'area');
  const failing = colour('var(--failing-mark)');
  return {
    width: parent.clientWidth,
    height,
    padding: [8, edge, 0, 0],
    legend: { show: false },
    scales: { x: { range: () => [from / 1000, to / 1000] }, y: { range: (_chart, _min, max) => [0, niceTop(max)] } },
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 7 },
      bind: { dblclick: () => () => null },
    },
    axes: [
      { ...axis, values: (_chart, splits) => splits.map((seconds) => tick(seconds * 1000, to - from)), space: 64 },
      { ...axis, size: axisWidth, values: (_chart, splits) => splits.map((ms) => (ms === 0 ? '0' : milliseconds(ms))) },
    ],
    series: [
      {},
      ...areas.map((area) => ({
        stroke: colour(area.colour),
        fill: colour(`color-mix(in srgb, ${area.colour} 55%, var(--surface))`),
        width: 1,
        points: { show: false },
      })),
      ...lines.map((line) => ({
        stroke: colour(line.colour),
        width: 1.25,
        ...(line.look === 'dashed' && { dash: [4, 3] }),
        points: { size: 4 },
      })),
    ],
    hooks: {
      setCursor: [({ cursor: { idx } }) => handlers().onPoint(idx ?? null)],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width < 6) return;
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          handlers().onZoom(chart.posToVal(left, 'x') * 1000, chart.posToVal(left + width, 'x') * 1000);
        },
      ],
      draw: [(chart) => drawFailures(chart, times, failed, failing)],
      ready: [
        (chart) => {
          if (results === null) return;
          let pressedAt = 0;
          chart.over.addEventListener('pointerdown', ({ clientX }) => {
            pressedAt = clientX;
          });
          chart.over.addEventListener('click', ({ clientX }) => {
            const { idx } = chart.cursor;
            if (idx != null && Math.abs(clientX - pressedAt) < 4) handlers().onPick(idx);
          });
          chart.over.style.cursor = 'pointer';
        },
      ],
    },
  };
}

/** Failures are at the bottom of the chart, because most have no response time. */
function drawFailures(chart: uPlot, times: readonly number[], failed: readonly boolean[], colour: string): void {
  const { ctx, bbox } = chart;
  const size = 4 * devicePixelRatio;
  ctx.save();
  ctx.fillStyle = colour;
  for (const [index, time] of times.entries()) {
    if (!failed[index]) continue;
    const x = chart.valToPos(time / 1000, 'x', true);
    ctx.fillRect(x - size / 2, bbox.top + bbox.height - size * 1.5, size, size * 1.5);
  }
  ctx.restore();
}

/** Resolves tokens and color mixes to colors that a canvas accepts. */
function colourReader(parent: HTMLElement): (value: string) => string {
  return (value) => {
    const probe = document.createElement('span');
    probe.style.color = value;
    parent.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

function niceTop(max: number | null): number {
  return max === null || max <= 0 ? 100 : max * 1.08;
}

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const seconds = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

function tick(at: number, spanMs: number): string {
  const date = new Date(at);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
  if (isMidnight || spanMs > 9 * 86_400_000) return day.format(at);
  return (spanMs < 300_000 ? seconds : clock).format(at);
}
