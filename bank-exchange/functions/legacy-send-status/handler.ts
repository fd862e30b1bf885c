import { lambdaHandler } from '../../../core/log.ts';
import { exchangeLog } from '../../core/exchange-log.ts';
import { exchangeService } from '../../core/exchange-service.ts';
import { sendUpload, type UploadEnd, type UploadInput } from '../../core/send-upload.ts';
import { checkStatus } from '../../core/status-file.ts';

/**
 * Sends one status to `POST /request/{requestId}/status` (specification, 4.3). If the outcome is unknown, the call is
 * repeated: sending the same status twice changes nothing.
 */
const sendStatus = async (input: UploadInput): Promise<UploadEnd> =>
  sendUpload(input, {
    what: 'status',
    check: (_item, bytes) => checkStatus(bytes),
    send: ({ name }, body, context) => exchangeService(context).sendStatus(name, body),
    unknown: 'again',
  });

export const handler = lambdaHandler(sendStatus).use(exchangeLog());
