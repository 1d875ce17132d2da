import { isAbove, MOST_SENSITIVE_IN } from '../../../governance/ceiling.js';
import { TRUST_ZONES } from '../../../governance/configuration-document.js';
import type { DataClass } from '../../../governance/tool-catalogue.js';
import type { Catalogue } from '../../messages/en.js';

interface ClassMeaningProps {
  /** Null: none, so that it limits nothing. */
  readonly dataClass: DataClass | null;
  readonly t: Catalogue;
}

/** Where a text of this class may go (SRC-1), as the gate judges it. */
export function ClassMeaning({ dataClass, t }: ClassMeaningProps) {
  const words = t.admin.source;
  if (dataClass === null) return <p>{words.noClassMeaning}</p>;
  const refused = TRUST_ZONES.filter((zone) => isAbove({ dataClass: MOST_SENSITIVE_IN[zone] }, dataClass));
  const admitted = TRUST_ZONES.filter((zone) => !refused.includes(zone));
  if (refused.length === 0) return <p>{words.everywhere}</p>;
  return (
    <p>
      {words.meaningText(dataClass, admitted.join(', '))} {words.notTo(refused.join(', '))}
    </p>
  );
}
