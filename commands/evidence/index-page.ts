import { stateOf } from '../../core/order/choices.ts';
import { decidedSentence } from '../offers/decided.ts';
import { facts } from '../show/facts.ts';
import { executionRows, operationRows, timelineRow } from '../show.ts';
import type { Execution } from '../stage/executions.ts';
import type { OrderDetails } from '../stage/record.ts';
import { bytes, time } from '../text.ts';
import { FOLDERS } from './contents.ts';
import { FORMAT, type ListedFile } from './manifest.ts';
import { type CheckedSignature, oneLine } from './signatures.ts';

interface Evidence {
  details: OrderDetails;
  executions: Execution[];
  files: readonly ListedFile[];
  signatures: readonly CheckedSignature[];
}

/** The page of an archive for people. It loads nothing and runs nothing, and says nothing that is not in another file of the archive. */
export function indexPage({ details, executions, files, signatures }: Evidence): string {
  const { orderRef, removal } = details.order;
  const title = `Evidence of order ${orderRef}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p>This archive holds what our side knows of one order at the order service: what was sent, what was answered, who signed, what was
decided, and when. <code>manifest.json</code> says when the archive was written and whether it is signed. Nothing here proves by itself
that the archive is unchanged: the last section says how to check it. All times are in UTC.</p>
<h2>The order</h2>
${table(['What', 'Value'], facts(details.order))}
${removal && html`<p><strong>Files of this order were removed from ${time(removal.files.begunAt)} on. What is missing here was removed then.</strong></p>`}
${Object.entries(FOLDERS).map(([folder, heading]) => html`<h2>${heading}</h2>\n${filesIn(folder, files)}\n`)}
<h2>Signatures that were sent</h2>
${table(['Signature', 'Signs', 'Sent', 'Signed by', 'Certificate', 'Check'], signatures.map(signatureRow))}
<h2>What was decided</h2>
${choices(details)}
<h2>Calls that change something at the order service</h2>
<p>Each call was written down before it was made. <i>done</i>: the service did it. <i>none</i>: it did not.
<i>open</i> and <i>unlikely</i>: nobody knows for certain.</p>
${table(['Call', 'State', 'Attempts', 'Last begun', 'Known since', 'Last failure'], operationRows(details))}
<h2>Timeline</h2>
${table(
  ['Time', 'What happened'],
  details.timeline.map((line) => timelineRow(details, line)),
)}
<h2>Executions</h2>
<p>The runs of the software that drove the order. AWS forgets a run 90 days after its end.</p>
${table(['Name', 'Status', 'Started', 'Ended'], executionRows(executions))}
<h2>How to check this archive</h2>
<p>Keep the archive as one file: if it is unpacked and packed again, the check fails. The same program that wrote it checks it, on any machine and without a network:</p>
<pre>loan-orders evidence --verify ${orderRef}.evidence.zip --cert certificate.pem</pre>
<p>It finds every file that was changed, removed or added, and checks the signature of the manifest and every signature above again. The
certificate is the one of whoever wrote the archive, or of the authority that issued it; get it from them and not from the archive.
If the manifest is signed, OpenSSL checks that signature too, after unpacking:</p>
<pre>(echo ${FORMAT}; cat manifest.json) &gt; signed
openssl cms -verify -binary -inform DER -in manifest.json.p7s -content signed -CAfile certificate.pem -purpose any -out /dev/null</pre>
</body>
</html>
`.text;
}

function filesIn(folder: string, files: readonly ListedFile[]): Html {
  const rows = files.filter(({ path }) => path.startsWith(`${folder}/`));
  return table(
    ['File', 'What', 'Stored', 'Size', 'SHA-256'],
    rows.map(({ path, what, size, sha256, source }) => [
      link(path),
      what,
      time(source?.storedAt),
      bytes(size),
      html`<code>${sha256}</code>`,
    ]),
  );
}

function signatureRow({ path, document, sentAt, verdict, certificate }: CheckedSignature): Cell[] {
  const { subject = 'unknown', issuer = 'unknown', fingerprint256 = '-' } = certificate ?? {};
  const passed =
    verdict.passed && (verdict.note === undefined ? 'Valid when it was sent' : `Not checked: ${verdict.note}`);
  return [
    link(path),
    link(document),
    time(sentAt),
    oneLine(subject),
    html`issued by ${oneLine(issuer)}<br>SHA-256 <code>${fingerprint256}</code>`,
    verdict.passed ? passed || '' : `Not valid: ${verdict.problem}`,
  ];
}

function choices({ order, decision }: OrderDetails): Html {
  if (!decision) return html`<p>Nothing was decided.</p>`;
  const by = decision.decided ? decidedSentence(decision.decided) : '';
  const rows = decision.choices.map((known) => [known.choice.offerId, known.choice.code, stateOf(known, order.status)]);
  return html`<p>${by}${decision.none ? ' No further offer is taken.' : ''}</p>
${table(['Offer', 'Code', 'What became of it'], rows)}`;
}

/** HTML that is already escaped. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Cell = string | Html;

/** HTML with values in it. Every text is escaped: most of them were chosen by somebody else. */
function html(parts: TemplateStringsArray, ...values: (Cell | readonly Html[] | undefined)[]): Html {
  const texts = values.map((value = '') => {
    if (typeof value !== 'string')
      return [value]
        .flat()
        .map(({ text }) => text)
        .join('');
    return value.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  });
  return new Html(String.raw({ raw: parts }, ...texts));
}

function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): Html {
  if (rows.length === 0) return html`<p>None.</p>`;
  const head = headings.map((heading) => html`<th>${heading}</th>`);
  const body = rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>\n`);
  return html`<table>\n<tr>${head}</tr>\n${body}</table>`;
}

/** A link to a file of the archive. It works once the archive is unpacked. */
function link(path: string): Html {
  return html`<a href="${path.split('/').map(encodeURIComponent).join('/')}">${path}</a>`;
}

const STYLE = new Html(
  'body{font:16px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#111;background:#fff}' +
    'table{border-collapse:collapse;margin:1em 0}th,td{border:1px solid #bbb;padding:.3em .6em;text-align:left;' +
    'vertical-align:top;overflow-wrap:anywhere}th{background:#eee}code{font-size:.85em}h2{margin-top:2em}',
);
