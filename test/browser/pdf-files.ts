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

export function pdfOfPages(count: number): Buffer {
  const pages = Array.from({ length: count }, (_page, at) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << ${FONT} >> /Contents ${at * 2 + 4} 0 R >>`,
    stream(`1 0 0 rg 0 0 300 200 re f 0 g BT /F 20 Tf 20 100 Td (This is page ${at + 1}) Tj ET`),
  ]).flat();
  const kids = Array.from({ length: count }, (_page, at) => `${at * 2 + 3} 0 R`).join(' ');
  return pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${count} /Kids [${kids}] >>`, ...pages]);
}

export function hostilePdf(address: string): Buffer {
  const script = `<< /S /JavaScript /JS (app.alert\\('x'\\); app.launchURL\\('${address}script'\\); this.submitForm\\('${address}form'\\);) >>`;
  const image = `/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace /DeviceRGB /F << /FS /URL /F (${address}image) >> `;
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R /OpenAction ${script} /AA << /WC ${script} >> /Names << /JavaScript << /Names [(a) ${script}] >> >> >>`,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /XObject << /I 5 0 R >> >> /Contents 4 0 R /AA << /O ${script} >> >>`,
    stream('q 50 0 0 50 20 20 cm /I Do Q'),
    stream('', image),
  ]);
}
