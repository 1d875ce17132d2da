import type { FormFault } from '../../form/form-faults.js';
import type { Catalogue } from '../../messages/en.js';
import { faultSentence } from '../../messages/fault-sentence.js';
import { Shown } from '../text.js';
import { fieldId } from './field-words.js';

interface SummaryProps {
  readonly faults: readonly { readonly fault: FormFault; readonly name: string | null }[];
  readonly t: Catalogue;
}

/** All that has to be corrected, with a link to each place; it takes the focus. */
export function FaultSummary({ faults, t }: SummaryProps) {
  return (
    <section class="notice bad" id="notice" tabIndex={-1} role="alert" autofocus>
      <h2>{t.faults.title(faults.length)}</h2>
      <p>{t.faults.lead}</p>
      <ul>
        {faults.map(({ fault, name }, index) => (
          <li key={`${fault.pointer}${index}`}>
            {fault.field === null || name === null ? (
              <>
                {fault.pointer === '' ? t.faults.whole : <code>{fault.pointer}</code>} {faultSentence(t, fault)}.
              </>
            ) : (
              <a href={`#${fieldId(fault.field)}`}>
                <Shown text={name} /> {faultSentence(t, fault)}.
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
