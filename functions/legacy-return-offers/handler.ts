import { lambdaHandler } from '../shared/lambda-handler.ts';
import { exchangeLog } from '../shared/legacy/exchange-log.ts';
import { exchangeService } from '../shared/legacy/exchange-service.ts';
import { offersText } from '../shared/legacy/offers-file.ts';
import { sendUpload, type UploadEnd, type UploadInput } from '../shared/legacy/send-upload.ts';

/**
 * `POST /inns` with the offers of one file (specification, 4.3). Never repeated after an unknown outcome: nothing shows whether the
 * service tells the same offers twice from more offers.
 */
async function returnOffers(input: UploadInput): Promise<UploadEnd> {
  return sendUpload(input, {
    what: 'offers',
    // Which numbers it names was checked against the batch when this very version came in.
    check: (_item, bytes) => ({ body: offersText(bytes) }),
    send: (_item, body) => exchangeService().returnOffers(body),
    unknown: 'never',
  });
}

export const handler = lambdaHandler(returnOffers).use(exchangeLog());
