import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { saveDocument } from '../../../../commands/documents/save-document.ts';
import { fileNames } from '../../../../commands/shared/file-names.ts';
import { fittingFile, fittingName } from '../../../../commands/shared/fitting-names.ts';
import { makeFolder } from '../../../../commands/shared/local-file.ts';
import type { StagedDocument } from '../../../../core/order/to-sign.ts';
import { openFolder } from '../../../helpers/signer-files.ts';

const named = (name: string | undefined, contentType = 'application/pdf', fileId = 'file-1') => ({
  fileId,
  contentType,
  ...(name !== undefined && { name }),
});

test.each([
  ['a usual name', 'Договор № 1.pdf', 'Договор № 1.pdf'],
  ['a path', '../../etc/passwd', '_.._etc_passwd.pdf'],
  ['only dots', '..', 'file-1.pdf'],
  ['a hidden file', '.bashrc', 'bashrc.pdf'],
  ['an option', '-rf', 'rf.pdf'],
  ['control characters', 'a\u0000b\u001b[2J\r\n.pdf', 'ab[2J.pdf'],
  ['marks of direction', 'invoice\u202efdp.exe\u200f.pdf', 'invoicefdp.exe.pdf'],
  ['a name that Windows keeps, with two extensions', 'com1.tar.gz', '_com1.tar.gz'],
  ['a name that Windows keeps, with a space', 'con .pdf', '_con.pdf'],
  ['an end that is no extension', 'agreement v1.2', 'agreement v1.2.pdf'],
  ['the name of a property of every object', 'a.constructor', 'a.constructor.pdf'],
  ['a dot and a space at the end', 'a.pdf. .', 'a.pdf'],
  ['half a character', 'a\ud800.pdf', 'a.pdf'],
])('a name that is %s becomes safe', (_what, name, safe) => {
  expect(fileNames([named(name)])).toEqual([safe]);
});

test('a name of 300 characters is cut and keeps its extension', () => {
  const [long = '', wide = ''] = fileNames([named(`${'a'.repeat(300)}.docx`), named(`${'д'.repeat(300)}.pdf`)]);
  expect(long).toBe(`${'a'.repeat(100)}.docx`);
  expect(wide).toBe(`${'д'.repeat(50)}.pdf`);
});

test('no two documents have one name, also where case does not count, and others that follow change no name', () => {
  const documents = ['a.pdf', 'A.pdf', 'a-2.pdf', 'a.pdf', 'é.pdf', 'e\u0301.pdf', '../a.pdf', '/a.pdf'].map((name) =>
    named(name),
  );
  const files = fileNames(documents);
  expect(files).toEqual(['a.pdf', 'A-2.pdf', 'a-2-2.pdf', 'a-3.pdf', 'é.pdf', 'é-2.pdf', '_a.pdf', '_a-2.pdf']);
  for (const count of documents.keys()) expect(fileNames(documents.slice(0, count))).toEqual(files.slice(0, count));
});

test.each([
  ['application/pdf; charset=binary', 'file-1.pdf'],
  ['text/plain', 'file-1.txt'],
  ['image/jpeg', 'file-1.jpg'],
  ['application/octet-stream', 'file-1.bin'],
  ['application/of-no-kind', 'file-1.bin'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'file-1.docx'],
])('a document without a name, of type %s, is named after its fileId', (contentType, file) => {
  expect(fileNames([named(undefined, contentType)])).toEqual([file]);
});

test.each([
  ['Заявка 12', 'Zayavka-12'],
  ['Устав (копия).pdf', 'Ustav-kopiya.pdf'],
  ['.скрытый', 'skrytiy'],
  ['договор', 'dogovor'],
  ['Jürgen & Söhne', 'Juergen-Soehne'],
  ['日本', ''],
])('%s becomes %s', (name, fitting) => {
  expect(fittingName(name)).toBe(fitting);
});

test('a path of a document keeps its folders below documents/', () => {
  expect(fittingFile('documents/сканы/Устав 1.pdf')).toBe('documents/skany/Ustav-1.pdf');
  expect(fittingFile('Устав.pdf')).toBe('documents/Ustav.pdf');
});

const folder = openFolder().path('.');
const content = Buffer.from('a document in several parts');
const parts = [content.subarray(0, 9), content.subarray(9)];
const document = { size: content.length, sha256: createHash('sha256').update(content).digest('hex') } as StagedDocument;
const whole = async () => Readable.from(parts);

test.each<[string, () => Promise<Readable>, string]>([
  [
    'that breaks off',
    async () =>
      Readable.from(
        (async function* () {
          yield parts[0];
          throw new Error('The connection broke.');
        })(),
      ),
    'The connection broke.',
  ],
  [
    'with other bytes',
    async () => Readable.from([Buffer.from('x'.repeat(content.length))]),
    'does not have the SHA-256',
  ],
])('of a document %s no file stays', async (what, open, message) => {
  await expect(saveDocument(folder, `${what}.pdf`, document, open)).rejects.toThrow(message);
  expect(readdirSync(folder).filter((name) => name.includes(what))).toEqual([]);
});

test('while a document arrives, its name is not taken', async () => {
  const seen: string[][] = [];
  const watched = async () =>
    Readable.from(
      (async function* () {
        for (const part of parts) {
          yield part;
          seen.push(readdirSync(folder).filter((name) => name.includes('slow')));
        }
      })(),
    );
  await saveDocument(folder, 'slow.pdf', document, watched);
  expect(seen.flat().filter((name) => !/^\.slow\.pdf\.[0-9a-f]{8}\.part$/.test(name))).toEqual([]);
  expect(seen.flat()).not.toEqual([]);
});

test('a disk that is full while a document is written is named in a sentence', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  const handle = await open(folder);
  await handle.close();
  const write = vi.spyOn(Object.getPrototypeOf(handle), 'writeFile').mockRejectedValueOnce(full);
  const refusal = saveDocument(folder, 'full.pdf', document, whole);
  await expect(refusal).rejects.toThrow(`${join(folder, 'full.pdf')} can't be written (ENOSPC): it was not saved.`);
  write.mockRestore();
  expect(readdirSync(folder).filter((name) => name.includes('full'))).toEqual([]);
});

test('a document that no file can be made for is not left open, which would keep the command from ending', async () => {
  const body = Readable.from(parts);
  const missing = saveDocument(join(folder, 'missing'), 'a.pdf', document, async () => body);
  await expect(missing).rejects.toThrow("can't be written (ENOENT): it was not saved.");
  expect(body.destroyed).toBe(true);
});

test('a file that appears meanwhile is not overwritten', async () => {
  const raced = async () => {
    writeFileSync(join(folder, 'raced.pdf'), 'mine');
    return whole();
  };
  await expect(saveDocument(folder, 'raced.pdf', document, raced)).rejects.toThrow(
    'appeared meanwhile: it was not overwritten',
  );
  expect(readFileSync(join(folder, 'raced.pdf'), 'utf8')).toBe('mine');
});

test('a folder is made with those above it, also by two commands at once, and one that is there stays', async () => {
  const path = join(folder, 'a/b/c');
  await Promise.all([makeFolder(path), makeFolder(path)]);
  await makeFolder(path);
  expect(existsSync(path)).toBe(true);
});

test('a folder that cannot be made is refused in a sentence', async () => {
  const file = join(folder, 'file');
  const link = join(folder, 'link');
  writeFileSync(file, '');
  symlinkSync(join(folder, 'nowhere'), link);
  await expect(makeFolder(file)).rejects.toThrow(`${file} is not a folder: nothing was saved.`);
  await expect(makeFolder(link)).rejects.toThrow(`${link} is not a folder: nothing was saved.`);
  await expect(makeFolder('')).rejects.toThrow("can't be written (ENOENT): nothing was saved.");
});

test.runIf(existsSync('/proc'))('a folder in which nothing can be made is refused, and is not waited for', async () => {
  await expect(makeFolder('/proc/documents')).rejects.toThrow("/proc/documents can't be written (ENOENT)");
});
