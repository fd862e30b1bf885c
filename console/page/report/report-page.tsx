import { useLocation } from 'preact-iso';
import type { ReportLine } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { wordsFor } from '../messages/said.ts';
import { Button, ChoiceField, Download, Heads, Notice, Section } from '../parts/controls.tsx';
import { lastMonths, money, monthName, span } from '../parts/format.ts';
import { useLive, useTitle } from '../parts/hooks.ts';
import { now } from '../state/clock.ts';

export function ReportPage() {
  const { query, route } = useLocation();
  const words = messages.value.report;
  const months = lastMonths(now.value);
  const month = months.find((one) => one === query.month) ?? months[0] ?? '';
  useTitle(words.title(monthName(month)));
  const { facts = [], failed, loading } = useLive<ReportLine[]>(`/api/report?month=${month}`, 'once');
  const choose = (name: string) => route(`/report?month=${name}`, true);
  return (
    <article class="order report">
      <header class="head">
        <a href={`/?queue=closed&month=${month}`}>{messages.value.orders}</a>
        <h1>{words.title(monthName(month))}</h1>
        <div class="actions">
          <ChoiceField label={words.month} value={month} names={months} text={monthName} onChange={choose} />
          <Download words={words.csv} path={`/api/report.csv?month=${month}`} />
          <Button words={words.print} onClick={print} />
        </div>
      </header>
      <Notice tone={failed ? 'bad' : 'over'} words={failed ?? loading} />
      {(Object.keys(words.parts) as ReportLine['part'][]).map((part) => (
        <Part key={part} part={part} lines={facts.filter((line) => line.part === part)} />
      ))}
      <p class="faint">{words.meaning}</p>
    </article>
  );
}

function Part({ part, lines }: { part: ReportLine['part']; lines: ReportLine[] }) {
  const words = messages.value.report;
  const names = { ...messages.value.statuses, ...words.names };
  const most = Math.max(...lines.map(({ orders, times }) => times?.slowestTenth ?? orders));
  const share = (bar = 0) => `${(100 * bar) / (most || 1)}%`;
  if (lines.length === 0) return null;
  return (
    <Section title={words.parts[part]}>
      <table class="plain">
        <Heads names={[words.what, words.names.orders, part === 'step' ? words.times : words.sum]} />
        <tbody>
          {lines.map(({ what, orders, times, ...line }) => (
            <tr key={what}>
              <th scope="row">{what === '' ? words.unknown : wordsFor(names, what)}</th>
              <td>{orders}</td>
              <td
                class="plot"
                style={{ '--near': share(times?.median ?? orders), '--far': share(times?.slowestTenth) }}
              >
                {times ? `${span(times.median)} / ${span(times.slowestTenth)}` : sumsOf(line)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function sumsOf({ sums, withoutSum }: Pick<ReportLine, 'sums' | 'withoutSum'>): string {
  const found = Object.entries(sums).map(([currency, sum]) => money(sum, currency));
  return [...found, ...(withoutSum > 0 ? [messages.value.report.withoutSum(withoutSum)] : [])].join('; ');
}
