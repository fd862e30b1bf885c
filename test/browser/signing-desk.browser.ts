import { expect, test } from 'vitest';
import { openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { filesToSign, signatureOf, signed } from '../helpers/signatures.ts';
import { zipped } from '../helpers/signer-files.ts';
import { cutIn, lookAt, openBrowser } from './browser.ts';
import { pdfOfPages } from './pdf-files.ts';

const world = await openWorld({ settings: SIGNATURES_AT_ONCE, ordersGoOn: true });
const { open } = await openBrowser(world);

const TEXTS = {
  en: {
    label: 'Language',
    waiting: '2 orders, 4 documents without a signature.',
    next: 'Next document',
    fits: 'valid, for b.pdf of order ООО Ромашка',
    second: 'Valid too.',
    none: 'It signs none of these documents.',
    handIn: 'Hand in 4 signatures',
    handedIn: '4 handed in.',
    nothing: 'Nothing waits for a signature.',
    certificate: 'certificate: Test signer',
  },
  ru: {
    label: 'Язык',
    waiting: '2 заявки, без подписи: 4 документа.',
    next: 'Следующий документ',
    fits: 'верна, для b.pdf, заявка ООО Ромашка',
    second: 'Тоже верна.',
    none: 'Это подпись ни одного из этих документов.',
    handIn: 'Сдать подписи: 4',
    handedIn: 'Сдано: 4.',
    nothing: 'Ничто не ждёт подписи.',
    certificate: 'сертификат: Test signer',
  },
};

test.each(['en', 'ru'] as const)(
  'a signer reads one document after the other, drops a ZIP, and hands in once (%s)',
  async (language) => {
    const words = TEXTS[language];
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
    await page.getByText(words.waiting).waitFor();
    const next = page.getByRole('button', { name: words.next });
    await next.focus();
    for (const name of ['a.pdf', 'b.pdf', 'a.pdf']) {
      await page.keyboard.press('Enter');
      await page.getByTitle(name).waitFor();
    }
    await lookAt(page, `desk-${language}`);
    const [first] = Object.values(signatures).slice(1);
    const buffer = await zipped({ ...signatures, 'z/again.sig': first ?? '' });
    await page.locator('input[type=file]').setInputFiles({ name: 'signatures.zip', mimeType: '', buffer });
    const verdicts = page.locator('.verdicts');
    for (const text of [words.fits, words.second, words.none, words.certificate])
      await verdicts.getByText(text).first().waitFor();
    await lookAt(page, `desk-verdicts-${language}`);
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await lookAt(page, `desk-verdicts-${language}-${width}`);
      expect(await cutIn(page)).toEqual([]);
    }
    await page.getByRole('button', { name: words.handIn }).click();
    await page.getByText(words.handedIn).waitFor();
    for (const orderRef of orderRefs)
      await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision', { signing: false });
    await page.getByText(words.nothing).waitFor();
    expect(await page.locator('details').count()).toBe(0);
    await lookAt(page, `desk-empty-${language}`);
  },
);
