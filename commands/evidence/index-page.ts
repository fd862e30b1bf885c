import { stripVTControlCharacters } from 'node:util';
import { signerName, signerText } from '@business-loan-orders/detached-signatures/signer-name';
import { told } from '../../core/signing/gate.ts';
import { formatBytes, plain, time } from '../shared/text.ts';
import type { ListedFile } from './archive.ts';
import { type CheckedSignature, oneLine } from './signatures.ts';

interface ArchivePage {
  orderRef: string;
  /** The output of `show` for the order. */
  shown: readonly string[];
  files: readonly ListedFile[];
  signatures: readonly CheckedSignature[];
}

/** The page of an archive for people. It loads and runs nothing. Everything on it is also in another file of the archive. */
export function indexPage({ orderRef, shown, files, signatures }: ArchivePage): string {
  const fileRow = (file: ListedFile) => [file.what, time(file.source?.storedAt), formatBytes(file.size), file.sha256];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Evidence of order ${orderRef}</title>
<style>body{font:16px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}pre{overflow:auto}th,td{text-align:left;padding-right:1em}</style>
</head>
<body>
<h1>Evidence of order ${orderRef}</h1>
<p>This archive holds what our side knows of one order at the order service: what was sent, what was answered, who signed, what was
decided, and when. <code>contents.json</code> says when the archive was written and whether it is signed. This page proves
nothing by itself: the last section says how to check the archive. All times are in UTC.</p>
<h2>What the record says</h2>
<p>Each call that changes something at the order service was written down before it was made (Operations). <i>done</i>: the service did it.
<i>none</i>: it did not. <i>open</i> and <i>unlikely</i>: nobody knows for certain. AWS forgets an execution 90 days after its end.</p>
<pre>${escaped(shown.map(stripVTControlCharacters).join('\n'))}</pre>
<h2>Signatures that were sent</h2>
${table(['Signature', 'Signs', 'Sent', 'Signed by', 'Issued by', 'SHA-256', 'Check'], signatures.map(signatureRow))}
<h2>Files</h2>
${table(
  ['File', 'What', 'Stored', 'Size', 'SHA-256'],
  files.map((file) => [file.path, ...fileRow(file)]),
)}
<h2>How to check this archive</h2>
<p>Keep the archive as one file. Unpacked, it is checked on any machine and without a network, in its folder:</p>
<pre>openssl cms -verify -binary -inform DER -in manifest.sha256.p7s -content manifest.sha256 -out /dev/null -CAfile ../certificate.pem \\
  -partial_chain -purpose any
sha256sum -c --quiet manifest.sha256
find . ! -type d ! -path ./manifest.sha256 ! -path ./manifest.sha256.p7s -exec sha256sum {} + |
  sed 's|  ./|  |' | LC_ALL=C sort -k 2 | diff manifest.sha256 -</pre>
<p>OpenSSL checks who wrote it: the certificate is that of the key for evidence, which you have from its owner and not from the archive. An
archive without <code>manifest.sha256.p7s</code> is not signed. The second line finds a file that was changed or removed, the third one
that was added, too. They print nothing else than <code>CMS Verification successful</code>.</p>
</body>
</html>
`;
}

function signatureRow({ path, document, sentAt, verdict, certificate }: CheckedSignature): string[] {
  const { issuer = 'unknown', fingerprint256 = '-' } = certificate ?? {};
  const signer = certificate ? signerText(signerName(certificate)) : 'unknown';
  const passed =
    verdict.passed && verdict.unchecked ? `Not checked: ${verdict.unchecked.problem}` : 'Valid when it was sent';
  const came = verdict.passed ? passed : `Not valid: ${told(verdict).problem}`;
  return [path, document, time(sentAt), oneLine(signer), oneLine(issuer), fingerprint256, came];
}

/** A table whose first column links to files of the unpacked archive. */
function table(headings: string[], rows: string[][]): string {
  if (rows.length === 0) return '<p>None.</p>';
  const address = (path: string) => escaped(path.split('/').map(encodeURIComponent).join('/'));
  const lines = rows.map(([path = '', ...cells]) => {
    const texts = cells.map((cell) => `<td>${escaped(plain(cell))}`);
    return `<tr><td><a href="${address(path)}">${escaped(plain(path))}</a>${texts.join('')}`;
  });
  return `<table>\n<tr><th>${headings.join('<th>')}\n${lines.join('\n')}\n</table>`;
}

/** Escapes HTML, because most texts come from others. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
