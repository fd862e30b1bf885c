import { lambdaHandler } from '../shared/lambda-handler.ts';
import { exchangeLog } from '../shared/legacy/exchange-log.ts';
import { exchangeService } from '../shared/legacy/exchange-service.ts';
import { sendUpload, type UploadEnd, type UploadInput } from '../shared/legacy/send-upload.ts';
import { checkStatus } from '../shared/legacy/status-file.ts';

/**
 * Sends one status to `POST /request/{requestId}/status` (specification, 4.3). If the outcome is unknown, the call is
 * repeated: sending the same status twice changes nothing.
 */
async function sendStatus(input: UploadInput): Promise<UploadEnd> {
  return sendUpload(input, {
    what: 'status',
    check: (_item, bytes) => checkStatus(bytes),
    send: ({ name }, body) => exchangeService().sendStatus(name, body),
    unknown: 'again',
  });
}

export const handler = lambdaHandler(sendStatus).use(exchangeLog());
