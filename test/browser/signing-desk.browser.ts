import { expect, test } from 'vitest';
import { openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { filesToSign, signatureOf, signed } from '../helpers/signatures.ts';
import { zipped } from '../helpers/signer-files.ts';
import { cutIn, lookAt, openBrowser } from './browser.ts';
import { pdfOfPages } from './pdf-files.ts';

const world = await openWorld({ settings: SIGNATURES_AT_ONCE, ordersGoOn: true });
const { open } = await openBrowser(world);

const WORDS = {
  waiting: ['2 orders, 4 documents without a signature.', '2 заявки, без подписи: 4 документа.'],
  next: ['Next document', 'Следующий документ'],
  open: ['Viewed: 3 of 4.', 'Просмотрено: 3 из 4.'],
  fits: ['valid, for b.pdf of order ООО Ромашка', 'верна, для b.pdf, заявка ООО Ромашка'],
  certificate: ['certificate: Test signer', 'сертификат: Test signer'],
  second: ['Valid too.', 'Тоже верна.'],
  none: ['It signs none of these documents.', 'Это подпись ни одного из этих документов.'],
  handIn: ['Hand in 4 signatures', 'Сдать подписи: 4'],
  handedIn: ['4 handed in.', 'Сдано: 4.'],
  nothing: ['Nothing waits for a signature.', 'Ничто не ждёт подписи.'],
};

test.each(['en', 'ru'])(
  'a signer reads one document after the other, drops a ZIP, and hands in once (%s)',
  async (language) => {
    const words = (name: keyof typeof WORDS) => WORDS[name][language === 'ru' ? 1 : 0] ?? '';
    world.simulator.settings.documentTemplates = ['a', 'b'].map((name, at) => ({
      fileId: name,
      name: `${name}.pdf`,
      content: pdfOfPages(at + 1),
    }));
    const orderRefs = ['one', 'two'].map((name) => `${language}-${name}`);
    const signatures: Record<string, Uint8Array> = { 'foreign.sig': await signatureOf(Buffer.from('elsewhere')) };
    for (const orderRef of orderRefs) await world.submit(orderRef, { offers: { choose: 'manual' } });
    for (const orderRef of orderRefs)
      for (const fileId of await filesToSign(world, orderRef))
        signatures[`${orderRef}/${fileId}.pdf.sig`] = await signed(world, orderRef, fileId);
    await world.rewrite(`${language}-one`, { labels: { company: 'ООО Ромашка' }, due: '2026-03-01T12:00:00.000Z' });
    const page = await open('/sign', { locale: language });
    await page.getByText(words('waiting')).waitFor();
    const next = page.getByRole('button', { name: words('next') });
    await next.focus();
    for (const name of ['a.pdf', 'b.pdf', 'a.pdf']) {
      await page.keyboard.press('Enter');
      await page.getByTitle(name).waitFor();
    }
    await page.getByText(words('open')).filter({ hasText: ': a.pdf' }).waitFor();
    await lookAt(page, `desk-${language}`);
    const [first] = Object.values(signatures).slice(1);
    const buffer = await zipped({ ...signatures, 'z/again.sig': first ?? '' });
    await page.locator('input[type=file]').setInputFiles({ name: 'signatures.zip', mimeType: '', buffer });
    const verdicts = page.locator('.verdicts');
    for (const text of ['fits', 'second', 'none', 'certificate'] as const)
      await verdicts.getByText(words(text)).first().waitFor();
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await lookAt(page, `desk-verdicts-${language}-${width}`);
      expect(await cutIn(page)).toEqual([]);
    }
    await page.getByRole('button', { name: words('handIn') }).click();
    await page.getByText(words('handedIn')).waitFor();
    for (const orderRef of orderRefs)
      await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision', { signing: false });
    await page.getByText(words('nothing')).waitFor();
    expect(await page.locator('details').count()).toBe(0);
    await lookAt(page, `desk-empty-${language}`);
  },
);
