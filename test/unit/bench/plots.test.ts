import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { plotOrders, plotParts } from '../../../bench/plots.ts';

function parsed(svg: string): string {
  expect(new XMLParser().parse(svg)).toHaveProperty('svg');
  return svg;
}

test('the plot of orders has its own background and shows every median', () => {
  const points = [
    { orders: 1, wall: 6_219, cpu: 1_976 },
    { orders: 100, wall: 545, cpu: 671 },
  ];
  const svg = parsed(plotOrders(points, [{ orders: 100, wall: 70, cpu: 31 }]));
  expect(svg).toMatch(/<rect [^>]*fill="#ffffff"/);
  for (const value of [6_219, 1_976, 545, 671, 70, 31]) expect(svg).toContain(`>${value}</text>`);
});

test('the plot of parts names every part and the total of every panel', () => {
  const svg = parsed(
    plotParts([
      { label: 'Wall time of one order alone', parts: { 'Read order': 169, waits: 5_000 } },
      { label: 'CPU time of one order', parts: { DynamoDB: 32.6, S3: 8.4 } },
    ]),
  );
  expect(svg).toMatch(/<rect [^>]*fill="#ffffff"/);
  for (const text of ['Wall time of one order alone: 5169 ms', 'Read order', 'CPU time of one order: 41 ms', '8.4 ms'])
    expect(svg).toContain(text);
});
