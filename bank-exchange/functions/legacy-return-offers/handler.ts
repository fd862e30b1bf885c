import { lambdaHandler } from '../../../core/log.ts';
import { exchangeLog } from '../../core/exchange-log.ts';
import { exchangeService } from '../../core/exchange-service.ts';
import { offersText } from '../../core/offers-file.ts';
import { sendUpload, type UploadEnd, type UploadInput } from '../../core/send-upload.ts';

/**
 * Sends the offers of one file to `POST /inns` (specification, 4.3). If the outcome is unknown, the call is never repeated:
 * the service might take the repeated offers for additional ones.
 */
const returnOffers = async (input: UploadInput): Promise<UploadEnd> =>
  sendUpload(input, {
    what: 'offers',
    // Intake has checked the file against its batch.
    check: (_item, bytes) => ({ body: offersText(bytes) }),
    send: (_item, body, context) => exchangeService(context).returnOffers(body),
    unknown: 'never',
  });

export const handler = lambdaHandler(returnOffers).use(exchangeLog());
