import type { CataloguedTool } from '../../../governance/tool-catalogue.js';
import type { Visit } from '../../pages/visit.js';
import { AdminPage } from '../admin-page.js';
import { EmptyList, ListHead, ListItem } from '../list-parts.js';
import type { Done } from '../section.js';

interface ToolsPageProps {
  readonly visit: Visit;
  readonly tools: readonly CataloguedTool[];
  readonly done: Done | null;
}

export function ToolsPage({ visit, tools, done }: ToolsPageProps) {
  const { t, path } = visit;
  const words = t.admin.tool;
  return (
    <AdminPage visit={visit} section="tools" title={t.admin.sections.tools} isList={true} done={done}>
      <ListHead visit={visit} section="tools" />
      {tools.length === 0 ? (
        <EmptyList visit={visit} section="tools" />
      ) : (
        <ul class="items" id="items">
          {tools.map((tool) => (
            <ListItem
              key={tool.name}
              id={tool.name}
              href={path(`/admin/tools/${tool.name}/edit`)}
              badges={
                <>
                  {tool.enabled ? null : <span class="badge failed">{words.off}</span>}
                  {tool.approval ? <span class="badge approval">{words.approvalBound}</span> : null}
                  {tool.inputSchema === undefined ? null : <span class="badge input">{words.asksInput}</span>}
                  {tool.remote ? <span class="badge">{words.remote}</span> : null}
                  {tool.adminOnly ? <span class="badge">{words.adminOnly}</span> : null}
                </>
              }
            >
              <span>
                <span class="unseen">{words.effect} </span>
                {t.effect[tool.effect]}
              </span>
              <span>
                <span class="unseen">{words.dataClass} </span>
                {tool.dataClass}
              </span>
            </ListItem>
          ))}
        </ul>
      )}
    </AdminPage>
  );
}
