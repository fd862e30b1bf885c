import { stripVTControlCharacters } from 'node:util';
import { bytes, time } from '../text.ts';
import { FORMAT, type ListedFile } from './manifest.ts';
import { type CheckedSignature, oneLine } from './signatures.ts';

interface Evidence {
  orderRef: string;
  /** What `show` prints of the order. */
  shown: readonly string[];
  files: readonly ListedFile[];
  signatures: readonly CheckedSignature[];
}

/** The page of an archive for people. It loads nothing and runs nothing, and says nothing that is not in another file of the archive. */
export function indexPage({ orderRef, shown, files, signatures }: Evidence): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Evidence of order ${orderRef}</title>
<style>body{font:16px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}table{border-collapse:collapse}pre{overflow:auto}
th,td{border:1px solid #bbb;padding:.3em .6em;text-align:left;vertical-align:top;overflow-wrap:anywhere}</style>
</head>
<body>
<h1>Evidence of order ${orderRef}</h1>
<p>This archive holds what our side knows of one order at the order service: what was sent, what was answered, who signed, what was
decided, and when. <code>manifest.json</code> says when the archive was written and whether it is signed. Nothing here proves by itself
that the archive is unchanged: the last section says how to check it. All times are in UTC.</p>
<h2>What the record says</h2>
<p>Each call that changes something at the order service was written down before it was made (Operations). <i>done</i>: the service did it.
<i>none</i>: it did not. <i>open</i> and <i>unlikely</i>: nobody knows for certain. AWS forgets an execution 90 days after its end.</p>
<pre>${shown.map(stripVTControlCharacters).join('\n')}</pre>
<h2>Signatures that were sent</h2>
${table(['Signature', 'Signs', 'Sent', 'Signed by', 'Issued by', 'SHA-256', 'Check'], signatures.map(signatureRow))}
<h2>Files</h2>
${table(['File', 'What', 'Stored', 'Size', 'SHA-256'], files.map(fileRow))}
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

function fileRow({ path, what, size, sha256, source }: ListedFile): Cell[] {
  return [link(path), what, time(source?.storedAt), bytes(size), sha256];
}

function signatureRow({ path, document, sentAt, verdict, certificate }: CheckedSignature): Cell[] {
  const { subject = 'unknown', issuer = 'unknown', fingerprint256 = '-' } = certificate ?? {};
  const passed = verdict.passed && verdict.note ? `Not checked: ${verdict.note}` : 'Valid when it was sent';
  const came = verdict.passed ? passed : `Not valid: ${verdict.problem}`;
  return [link(path), link(document), time(sentAt), oneLine(subject), oneLine(issuer), fingerprint256, came];
}

/** HTML that is already escaped. */
interface Html {
  text: string;
}

type Cell = string | Html;

/** HTML with values in it. Every text is escaped: most of them were chosen by somebody else. */
function html(parts: TemplateStringsArray, ...values: (Cell | readonly Html[])[]): Html {
  const texts = values.map((value) =>
    typeof value === 'string'
      ? value.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
      : [...('text' in value ? [value] : value)].map(({ text }) => text).join(''),
  );
  return { text: parts.map((part, at) => part + (texts[at] ?? '')).join('') };
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
