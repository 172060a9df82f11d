interface Compared {
  comparisonsToday: number;
  maxComparisons: number;
}

/** Whether a study has used up its comparisons of the day. */
export const isComparisonQuotaUsed = ({ comparisonsToday, maxComparisons }: Compared) =>
  comparisonsToday >= maxComparisons;

interface Used {
  questionsToday: number;
  maxQuestions: number;
  explorationsToday: number;
  maxExplorations: number;
}

/** Whether a study has used up its questions or its searches of the day. Comparisons have a limit of their own. */
export const isQuestionQuotaUsed = ({ questionsToday, maxQuestions, explorationsToday, maxExplorations }: Used) =>
  questionsToday >= maxQuestions || explorationsToday >= maxExplorations;
