import { exchangeService } from '../../core/exchange-service.ts';
import { exchangeStep } from '../../core/exchange-staging.ts';
import { offersText } from '../../core/offers-file.ts';
import { sendUpload, type UploadInput } from '../../core/send-upload.ts';

/**
 * Sends the offers of a file to `POST /inns` (specification, 4.3). If the outcome is unknown, the call is never repeated,
 * because the service might treat repeated offers as additional ones.
 */
export const handler = exchangeStep((input: UploadInput) =>
  sendUpload(input, {
    what: 'offers',
    // `legacy-intake` has checked the file against its batch.
    check: (bytes) => ({ body: offersText(bytes) }),
    send: (_batch, body, context) => exchangeService(context).returnOffers(body),
    unknown: 'never',
  }),
);
