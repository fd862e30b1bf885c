import { answerTasks, outcomeOf } from './rule-answers.ts';

answerTasks(outcomeOf);
