import type { GenerationType } from "../../../contract/model.js";
import type { JobFault } from "../../orders/uncertain/check-jobs.js";
import { cutText } from "../../texts/html.js";
import type { Translate } from "../../texts/texts.js";

const WORD_SHOWN = 60;

/** Tells why a job id was not taken, as plain text, with an example where the text was wrong. */
export function jobFaultText(problem: JobFault, type: GenerationType, t: Translate): string {
  switch (problem.fault) {
    case "id":
      return `${t("job-fault-id", { word: cutText(problem.word, WORD_SHOWN) })} ${t("job-example", { type })}`;
    case "count":
      return t("job-fault-count", { given: problem.given, count: problem.count });
    case "type": {
      const { word, found } = problem;
      return t("job-fault-type", { word: cutText(word, WORD_SHOWN), found, type });
    }
    default:
      return t(`job-fault-${problem.fault}`, { word: cutText(problem.word, WORD_SHOWN) });
  }
}
