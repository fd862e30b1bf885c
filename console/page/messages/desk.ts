import type { SignatureVerdict } from '../../api.ts';
import type { Said } from './said.ts';

type Signer = NonNullable<SignatureVerdict['signers']>[number];

/** Texts of the signing desk, and of signatures that were dropped. */
export const desk = {
  title: ['Signing', 'Подписи'],
  heading: ['Documents to sign', 'Документы на подпись'],
  nothing: ['Nothing waits for a signature.', 'Ничто не ждёт подписи.'],
  waiting: (orders: string, documents: string) => [
    `${orders}, ${documents} without a signature.`,
    `${orders}, без подписи: ${documents}.`,
  ],
  more: (orders: string) => [
    `${orders} more, not shown: they come here as these are signed.`,
    `Ещё ${orders} здесь не видно: они появятся, когда будут подписаны эти.`,
  ],
  download: (documents: string) => [`Download ${documents} (ZIP)`, `Скачать ${documents} (ZIP)`],
  all: ['All orders', 'Все заявки'],
  asked: ['Asked', 'Запрошено'],
  next: ['Next document', 'Следующий документ'],
  read: (read: number, all: number) => [`Viewed: ${read} of ${all}.`, `Просмотрено: ${read} из ${all}.`],
  viewed: ['viewed', 'просмотрен'],
  second: [
    'Valid too. This document already has one here, so this one is not handed in.',
    'Тоже верна. У этого документа здесь уже есть подпись, поэтому эта не сдаётся.',
  ],
  signedBy: (signer: Signer) => [
    `certificate: ${certificate(signer, 'INN', 'INN of the person')}`,
    `сертификат: ${certificate(signer, 'ИНН', 'ИНН физлица')}`,
  ],
} satisfies Said;

function certificate({ name, organization, inn, personInn, fingerprint }: Signer, ofAny: string, ofPerson: string) {
  const known = [name, organization, inn && `${ofAny} ${inn}`, personInn && `${ofPerson} ${personInn}`].filter(Boolean);
  return known.length > 0 ? known.join(', ') : fingerprint;
}
