import { isDeepStrictEqual } from 'node:util';
import type { LambdaLogLine } from '@business-loan-orders/embedded-aws';
import type { World } from './world.ts';

/** A value that a function published in CloudWatch's Embedded Metric Format, under one set of dimensions. */
interface PublishedMetric {
  name: string;
  value: number;
  dimensions: Record<string, string>;
}

/** The part of a line that CloudWatch reads (CloudWatch, "Specification: Embedded metric format"). */
interface EmbeddedMetrics {
  _aws: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] };
  [member: string]: unknown;
}

export function watchMetrics({ aws }: Pick<World, 'aws'>) {
  const before = aws.logs().length;
  const lines = () => aws.logs().slice(before);
  /** The values of one metric under exactly these dimensions besides the stage, oldest first. */
  const values = (name: string, dimensions: Record<string, string> = {}) =>
    publishedIn(lines())
      .filter((one) => one.name === name && isDeepStrictEqual({ stage: 'local', ...dimensions }, one.dimensions))
      .map(({ value }) => value);
  return {
    lines: () => metricLines(lines()),
    published: () => publishedIn(lines()),
    values,
    latest: (name: string, dimensions?: Record<string, string>) => values(name, dimensions).at(-1),
    total: (name: string, dimensions?: Record<string, string>) =>
      values(name, dimensions).reduce((sum, value) => sum + value, 0),
  };
}

function metricLines(lines: readonly LambdaLogLine[]): LambdaLogLine[] {
  return lines.filter(({ line }) => line.startsWith('{"_aws":'));
}

/** The values in these log lines, as CloudWatch counts them: once for each set of dimensions. */
function publishedIn(lines: readonly LambdaLogLine[]): PublishedMetric[] {
  return metricLines(lines).flatMap(({ line }) => {
    const content = JSON.parse(line) as EmbeddedMetrics;
    return content._aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
      Dimensions.flatMap((names) =>
        Metrics.map(({ Name: name }) => ({
          name,
          value: Number(content[name]),
          dimensions: Object.fromEntries(names.map((dimension) => [dimension, String(content[dimension])])),
        })),
      ),
    );
  });
}
