import type { Verdict } from '../../packages/detached-signatures/signature-gate.ts';
import { stateOf } from '../../core/order/choices.ts';
import { factsOf } from '../../core/order/what-happened.ts';
import { decidedSentence } from '../offers/decided.ts';
import { facts } from '../show/facts.ts';
import { namedFact } from '../show/file-names.ts';
import type { Execution } from '../stage/executions.ts';
import { OPERATION_PREFIX, type OrderDetails } from '../stage/record.ts';
import { bytes, time } from '../text.ts';
import { type Html, html, link, page, table } from './html.ts';
import { FORMAT, type ManifestFile } from './manifest.ts';

export type ListedFile = Omit<ManifestFile, 'chain'>;

/** What is known of a signature that was sent. */
export interface SentSignature {
  path: string;
  document: string;
  sentAt: string;
  verdict: Verdict;
  signer: string;
  issuer: string;
  fingerprint: string;
}

export interface Evidence {
  details: OrderDetails;
  executions: Execution[];
  files: readonly ListedFile[];
  signatures: readonly SentSignature[];
}

/** The page of an archive for people. It says nothing that is not in another file of the archive. */
export function indexPage({ details, executions, files, signatures }: Evidence): string {
  const { order } = details;
  return page(
    `Evidence of order ${order.orderRef}`,
    html`<h1>Evidence of order ${order.orderRef}</h1>
<p>This archive holds what our side knows of one order at the order service: what was sent, what was answered, who signed, what was
decided, and when. <code>manifest.json</code> says when the archive was written and whether it is signed. Nothing here proves by itself
that the archive is unchanged: the last section says how to check it. All times are in UTC.</p>
<h2>The order</h2>
${table(['What', 'Value'], facts(order))}
${removedNote(details)}
<h2>The package</h2>
${filesBelow(files, 'package/')}
<h2>Documents to sign</h2>
${filesBelow(files, 'to-sign/')}
<h2>Signatures that were sent</h2>
${table(['Signature', 'Signs', 'Sent', 'Signed by', 'Certificate', 'Check'], signatures.map(signatureRow))}
${otherSignatures(files)}
<h2>Offers and decisions</h2>
${choices(details)}
${filesBelow(files, 'offers/', 'decisions/')}
<h2>Calls that change something at the order service</h2>
<p>Each call was written down before it was made. <i>done</i>: the service did it. <i>none</i>: it did not.
<i>open</i> and <i>unlikely</i>: nobody knows for certain.</p>
${table(['Call', 'State', 'Attempts', 'Last begun', 'Known since', 'Last failure'], calls(details))}
<h2>Answers</h2>
${filesBelow(files, 'answers/')}
<h2>Timeline</h2>
${table(['No.', 'Time', 'What happened'], timeline(details))}
<h2>Executions</h2>
<p>The runs of the software that drove the order. AWS forgets a run 90 days after its end.</p>
${table(['Name', 'Status', 'Started', 'Ended'], executions.map(executionRow))}
<h2>Other files</h2>
${filesBelow(files, 'other/', 'other-versions/', 'record/')}
<h2>How to check this archive</h2>
<p>Keep the archive as one file: if it is unpacked and packed again, the check fails. The same program that wrote it checks it, on any machine and without a network:</p>
<pre>loan-orders evidence --verify ${order.orderRef}.evidence.zip --cert certificate.pem</pre>
<p>It finds every file that was changed, removed or added, and checks the signature of the manifest and every signature above again. The
certificate is the one of whoever wrote the archive, or of the authority that issued it; get it from them and not from the archive.
If the manifest is signed, OpenSSL checks that signature too, after unpacking:</p>
<pre>(echo ${FORMAT}; cat manifest.json) &gt; signed
openssl cms -verify -binary -inform DER -in manifest.json.p7s -content signed -CAfile certificate.pem -purpose any -out /dev/null</pre>`,
  );
}

function removedNote({ order: { removal } }: OrderDetails): Html | undefined {
  if (!removal) return undefined;
  return html`<p><strong>Files of this order were removed from ${time(removal.files.begunAt)} on. What is missing here was removed then.</strong></p>`;
}

/** Signatures that were not sent, or whose document is gone. */
function otherSignatures(files: readonly ListedFile[]): Html | undefined {
  const others = files.filter(({ path, signs }) => path.startsWith('signatures/') && !signs);
  return others.length === 0 ? undefined : html`<h3>Other signatures</h3>\n${filesBelow(others, 'signatures/')}`;
}

function filesBelow(files: readonly ListedFile[], ...folders: string[]): Html {
  const below = files.filter(({ path }) => folders.some((folder) => path.startsWith(folder)));
  const rows = below.map(({ path, what, size, sha256, source }) => [
    link(path),
    what,
    time(source?.storedAt),
    bytes(size),
    html`<code>${sha256}</code>`,
  ]);
  return table(['File', 'What', 'Stored', 'Size', 'SHA-256'], rows);
}

function signatureRow({ path, document, sentAt, verdict, signer, issuer, fingerprint }: SentSignature) {
  return [
    link(path),
    link(document),
    time(sentAt),
    signer,
    html`issued by ${issuer}<br>SHA-256 <code>${fingerprint}</code>`,
    verdictText(verdict),
  ];
}

/** What the check of a signature came to when the archive was written. */
function verdictText(verdict: Verdict): string {
  if (!verdict.passed) return `Not valid: ${verdict.problem}`;
  return verdict.note === undefined ? 'Valid when it was sent' : `Not checked: ${verdict.note}`;
}

function choices({ order, decision }: OrderDetails): Html {
  if (!decision) return html`<p>Nothing was decided.</p>`;
  const by = decision.decided ? decidedSentence(decision.decided) : '';
  const rows = decision.choices.map((known) => [known.choice.offerId, known.choice.code, stateOf(known, order.status)]);
  return html`<p>${by}${decision.none ? ' No further offer is taken.' : ''}</p>
${table(['Offer', 'Code', 'What became of it'], rows)}`;
}

function calls({ operations }: OrderDetails): string[][] {
  return operations.map(({ item, knowledge, attempts, intendedAt, endedAt, failure = '-' }) => [
    item.slice(OPERATION_PREFIX.length),
    knowledge.state,
    String(attempts),
    time(intendedAt),
    time(endedAt),
    failure,
  ]);
}

function timeline(details: OrderDetails): string[][] {
  return details.timeline.map((entry, at) => {
    const { at: when, what } = entry;
    const named = factsOf(entry).map((fact) => namedFact(details, what, fact));
    return [String(at + 1), time(when), [what, ...named].join(', ')];
  });
}

function executionRow({ name, status, startedAt, endedAt }: Execution): string[] {
  return [name, status, time(startedAt), time(endedAt)];
}
