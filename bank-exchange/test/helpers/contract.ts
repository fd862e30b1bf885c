import { addContract } from '../../../test/helpers/contract.ts';

export const exchangeContract = new URL('../../openapi.yaml', import.meta.url);
addContract(exchangeContract);
