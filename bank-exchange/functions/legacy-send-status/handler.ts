import { exchangeService } from '../../core/exchange-service.ts';
import { exchangeStep } from '../../core/exchange-staging.ts';
import { sendUpload, type UploadInput } from '../../core/send-upload.ts';
import { checkStatus } from '../../core/status-file.ts';

/**
 * Sends a status to `POST /request/{requestId}/status` (specification, 4.3). If the outcome is unknown, the call is repeated,
 * because sending the same status twice changes nothing.
 */
export const handler = exchangeStep((input: UploadInput) =>
  sendUpload(input, {
    what: 'status',
    check: checkStatus,
    send: (requestId, body, context) => exchangeService(context).sendStatus(requestId, body),
    unknown: 'again',
  }),
);
