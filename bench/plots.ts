import { writeFileSync } from 'node:fs';
import { BarChart, type BarSeriesOption, LineChart, type LineSeriesOption } from 'echarts/charts';
import {
  GridComponent,
  type GridComponentOption,
  LegendComponent,
  type LegendComponentOption,
  TitleComponent,
  type TitleComponentOption,
} from 'echarts/components';
import { type ComposeOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

type Options = ComposeOption<
  BarSeriesOption | LineSeriesOption | GridComponentOption | LegendComponentOption | TitleComponentOption
>;

/** A number of orders at once, and the time per order in milliseconds. */
export interface OrdersPoint {
  orders: number;
  wall: number;
  cpu: number;
}

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

/** The plots have their own background, so they are readable on a light and on a dark page. */
const COMMON = {
  backgroundColor: '#ffffff',
  textStyle: { fontFamily: 'Helvetica, Arial, sans-serif', color: '#1f2328' },
  animation: false,
};
/** The palette of Okabe and Ito, which most people with color blindness can distinguish. */
const [BLUE, VERMILION, SKY, ORANGE] = ['#0072b2', '#d55e00', '#56b4e9', '#e69f00'] as const;
const ROW_HEIGHT = 22;
const PANEL_GAP = 70;
const TITLE_HEIGHT = 90;

/** Plots the time per order against the number of orders at once. Both axes are logarithmic. */
export function plotOrders(points: readonly OrdersPoint[], plain: readonly OrdersPoint[]): string {
  const series = [
    line('wall time of each', points, 'wall', { color: BLUE, labels: 'bottom' }),
    line('CPU time of each', points, 'cpu', { color: VERMILION, labels: 'top' }),
    line('wall time, plain script', plain, 'wall', { color: SKY, labels: 'left' }),
    line('CPU time, plain script', plain, 'cpu', { color: ORANGE, labels: 'left' }),
  ];
  return render(860, 440, {
    title: { text: 'Orders at once on the laptop, and the same calls by a plain script', left: 'center' },
    legend: { orient: 'vertical', right: 20, top: 70, itemGap: 14, data: series.map(({ name }) => String(name)) },
    grid: { left: 80, right: 260, top: 60, bottom: 60 },
    xAxis: { type: 'log', name: 'orders at once', nameLocation: 'middle', nameGap: 32, min: 1, max: 1000 },
    yAxis: { type: 'log', name: 'milliseconds for each order', nameLocation: 'middle', nameGap: 56 },
    series,
  });
}

function line(
  name: string,
  points: readonly OrdersPoint[],
  value: 'wall' | 'cpu',
  { color, labels }: { color: string; labels: 'top' | 'bottom' | 'left' },
): LineSeriesOption {
  return {
    name,
    type: 'line',
    data: points.map((point) => [point.orders, Math.round(point[value])]),
    symbol: 'circle',
    symbolSize: 8,
    color,
    label: { show: true, position: labels, formatter: ({ data }) => String((data as number[])[1]) },
  };
}

/** One panel of the plot of parts. Milliseconds per order. */
export interface PartsPanel {
  label: string;
  parts: Record<string, number>;
}

/** Plots where an order's time goes: one bar for each part, longest first, one panel below the other. */
export function plotParts(panels: readonly PartsPanel[]): string {
  let top = TITLE_HEIGHT;
  const placed = panels.map(({ label, parts }, index) => {
    const rows = Object.entries(parts).sort(([, one], [, other]) => one - other);
    const panel = { label, rows, index, top, height: rows.length * ROW_HEIGHT };
    top += panel.height + PANEL_GAP;
    return panel;
  });
  return render(860, top - PANEL_GAP / 2, {
    title: [
      { text: "Where an order's time goes", left: 'center' },
      ...placed.map(({ label, rows, top }) => {
        const total = rows.reduce((sum, [, milliseconds]) => sum + milliseconds, 0);
        return { text: `${label}: ${shown(total)}`, left: 20, top: top - 30, textStyle: { fontSize: 14 } };
      }),
    ],
    grid: placed.map(({ top, height }) => ({ left: 300, right: 110, top, height })),
    xAxis: placed.map(({ index }) => ({ type: 'value' as const, gridIndex: index, show: false })),
    yAxis: placed.map(({ rows, index }) => {
      const data = rows.map(([part]) => part);
      return {
        type: 'category' as const,
        gridIndex: index,
        data,
        axisTick: { show: false },
        axisLine: { show: false },
      };
    }),
    series: placed.map(({ rows, index }) => bars(rows, index)),
  });
}

function bars(rows: readonly [string, number][], index: number): BarSeriesOption {
  return {
    type: 'bar',
    xAxisIndex: index,
    yAxisIndex: index,
    color: index % 2 === 0 ? BLUE : VERMILION,
    barWidth: ROW_HEIGHT - 8,
    data: rows.map(([, milliseconds]) => milliseconds),
    label: { show: true, position: 'right', formatter: ({ value }) => shown(Number(value)) },
  };
}

function shown(milliseconds: number): string {
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}

function render(width: number, height: number, options: Options): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({ ...COMMON, ...options });
    return `${chart.renderToSVGString()}\n`;
  } finally {
    chart.dispose();
  }
}

/** Writes both plots as files for docs/performance.md. */
export function writePlots(directory: URL, plots: { orders: string; parts: string }): void {
  writeFileSync(new URL('performance-orders.svg', directory), plots.orders);
  writeFileSync(new URL('performance-parts.svg', directory), plots.parts);
}
