import type { LambdaLogLine } from '@business-loan-orders/embedded-aws';

/** A value that a function published in CloudWatch's Embedded Metric Format, under one set of dimensions. */
export interface PublishedMetric {
  functionName: string;
  name: string;
  unit: string;
  value: number;
  dimensions: Record<string, string>;
}

/** The part of a line that CloudWatch reads (CloudWatch, "Specification: Embedded metric format"). */
interface EmbeddedMetrics {
  _aws: {
    Timestamp: number;
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
  [member: string]: unknown;
}

/** The log lines that CloudWatch turns into metrics. */
export function metricLines(lines: readonly LambdaLogLine[]): LambdaLogLine[] {
  return lines.filter(({ line }) => line.startsWith('{"_aws":'));
}

/** The values in these log lines, as CloudWatch counts them: once for each set of dimensions. */
export function publishedIn(lines: readonly LambdaLogLine[]): PublishedMetric[] {
  return metricLines(lines).flatMap(({ functionName, line }) => {
    const content = JSON.parse(line) as EmbeddedMetrics;
    return content._aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
      Dimensions.flatMap((names) =>
        Metrics.map(({ Name: name, Unit: unit }) => ({
          functionName,
          name,
          unit,
          value: Number(content[name]),
          dimensions: Object.fromEntries(names.map((dimension) => [dimension, String(content[dimension])])),
        })),
      ),
    );
  });
}

/** The values of one metric under exactly these dimensions besides the stage, oldest first. */
export function valuesOf(
  published: readonly PublishedMetric[],
  name: string,
  wanted: Record<string, string> = {},
): number[] {
  const names = Object.keys(wanted);
  return published
    .filter((one) => {
      const { stage: _stage, ...others } = one.dimensions;
      return (
        one.name === name &&
        Object.keys(others).length === names.length &&
        names.every((key) => others[key] === wanted[key])
      );
    })
    .map(({ value }) => value);
}
