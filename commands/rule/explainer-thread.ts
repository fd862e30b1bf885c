import { answerTasks, outcomeOf } from '../../core/offers/rule-answers.ts';
import { explain } from './explanation.ts';

// A large result is explained here, where its memory is limited.
answerTasks((answer) => ({ ...outcomeOf(answer), explanation: explain(answer) }));
