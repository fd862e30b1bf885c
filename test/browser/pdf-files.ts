import PDFDocument from 'pdfkit';

/** A PDF of these objects, of which the first is the catalogue and the second the list of pages. */
function pdfOf(objects: string[]): Buffer {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(
    `${text}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

const stream = (content: string, more = '') => `<< /Length ${content.length} ${more}>>\nstream\n${content}\nendstream`;
const FONT = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>';

/** A PDF that says something on each of its pages, with the standard font that it does not contain. */
export function pdfOfPages(count: number, said = (page: number) => `This is page ${page}`): Buffer {
  const pages = Array.from({ length: count }, (_page, at) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << ${FONT} >> /Contents ${at * 2 + 4} 0 R >>`,
    stream(`BT /F 20 Tf 20 100 Td (${said(at + 1)}) Tj ET`),
  ]).flat();
  const kids = Array.from({ length: count }, (_page, at) => `${at * 2 + 3} 0 R`).join(' ');
  return pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${count} /Kids [${kids}] >>`, ...pages]);
}

/** A black square in JBIG2: a page that is black and holds nothing else. */
const BLACK = Buffer.from('0000000030000100000013' + '00000040000000400000000000000000040000', 'hex');
/** A grey square in JPEG 2000: SIZ, COD, QCD, and one tile of nothing but zeros, which are the middle of black and white. */
const GREY = Buffer.from(
  'ff4fff5100290000000000400000004000000000000000000000004000000040000000000000000000010701' +
    '01ff52000c00000001000004040001ff5c00044040ff90000a00000000000f0001ff9300ffd9',
  'hex',
);

/** A PDF of two images that are compressed as scanners do it: a black one on the left, a grey one on the right. */
export function scannedPdf(): Buffer {
  const image = (content: Buffer, bits: number, filter: string) =>
    stream(
      content.toString('latin1'),
      `/Type /XObject /Subtype /Image /Width 64 /Height 64 /BitsPerComponent ${bits} /ColorSpace /DeviceGray /Filter /${filter} `,
    );
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /XObject << /B 5 0 R /G 6 0 R >> >> /Contents 4 0 R >>',
    stream('q 100 0 0 100 20 20 cm /B Do Q q 100 0 0 100 150 20 cm /G Do Q'),
    image(BLACK, 1, 'JBIG2Decode'),
    image(GREY, 8, 'JPXDecode'),
  ]);
}

/** A PDF of three pages, of which the second is not there. Nobody can find the third behind it. */
export function halfPdf(): Buffer {
  return Buffer.from(pdfOfPages(3).toString('latin1').replace('[3 0 R 5 0 R', '[3 0 R 9 0 R'), 'latin1');
}

/** A PDF that names an Asian font, and contains neither it nor the table of its characters. */
export function fontlessPdf(): Buffer {
  const info = '/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >>';
  const glyphs = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light ${info} /FontDescriptor 6 0 R >>`;
  const font = `<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [${glyphs}] >>`;
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>',
    stream('BT /F 20 Tf 20 100 Td <4E2D6587> Tj ET'),
    font,
    '<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 800 /StemV 80 >>',
  ]);
}

/** A PDF that does whatever a PDF can do to reach an address: scripts, a link, a form, and an image that is elsewhere. */
export function hostilePdf(address: string): Buffer {
  const script = `<< /S /JavaScript /JS (app.alert\\('x'\\); app.launchURL\\('${address}script'\\); this.submitForm\\('${address}form'\\);) >>`;
  const link = `<< /S /URI /URI (${address}link) >>`;
  const form = `<< /S /SubmitForm /F << /FS /URL /F (${address}form) >> >>`;
  const image = `/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace /DeviceRGB /F << /FS /URL /F (${address}image) >> `;
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R /OpenAction ${script} /AA << /WC ${script} >> /Names << /JavaScript << /Names [(a) ${script}] >> >> /AcroForm << /Fields [6 0 R] /NeedAppearances true >> >>`,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << ${FONT} /XObject << /I 7 0 R >> >> /Contents 4 0 R /Annots [5 0 R 6 0 R] /AA << /O ${script} >> >>`,
    stream('BT /F 20 Tf 20 150 Td (Click here) Tj ET q 50 0 0 50 20 20 cm /I Do Q'),
    `<< /Type /Annot /Subtype /Link /Rect [0 100 300 200] /Border [0 0 0] /A ${link} >>`,
    `<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (b) /Rect [0 0 300 100] /A ${form} /AA << /E ${script} >> >>`,
    stream('', image),
  ]);
}

/** A PDF that asks for a password. */
export async function encryptedPdf(): Promise<Buffer> {
  const pdf = new PDFDocument({ userPassword: 'secret', pdfVersion: '1.7ext3' });
  pdf.text('Nobody reads this');
  pdf.end();
  const chunks: Buffer[] = [];
  for await (const chunk of pdf as unknown as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
