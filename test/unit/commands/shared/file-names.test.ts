import { expect, test } from 'vitest';
import { fileNames } from '../../../../commands/shared/file-names.ts';

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
