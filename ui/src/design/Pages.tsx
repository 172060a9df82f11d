import type { ReactNode } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components/Tabs";
import { Icon } from "./Icon";
import css from "./controls.module.css";

export interface PageOf<K extends string> {
  key: K;
  label: string;
  /** A number after the label, in words. */
  count?: string | null;
  /** Accessible text of the warning mark on the tab. */
  warn?: string | null;
  disabled?: boolean;
  children: ReactNode;
}

interface PagesProps<K extends string> {
  title: string;
  label: string;
  pages: PageOf<K>[];
  value: K;
  onChange: (key: K) => void;
  /** Rendered at the end of the header. */
  actions?: ReactNode;
  /** Prefix of the tabs' test ids, followed by the page's key. */
  testId: string;
}

/** A panel with tabs. */
export function Pages<K extends string>({ title, label, pages, value, onChange, actions, testId }: PagesProps<K>) {
  return (
    <Tabs className={css.pages} selectedKey={value} onSelectionChange={(key) => onChange(key as K)}>
      <div className={css.pagesHead}>
        <h2>{title}</h2>
        <TabList className={css.pageTabs} aria-label={label}>
          {pages.map(({ key, label: name, count, warn, disabled }) => (
            <Tab
              key={key}
              id={key}
              isDisabled={disabled}
              data-testid={`${testId}-${key}`}
              aria-label={warn ? `${name}: ${warn}` : undefined}
            >
              {name}
              {count && <small>{count}</small>}
              {warn && <Icon name="warning" size="xs" />}
            </Tab>
          ))}
        </TabList>
        <span className="grow" />
        {actions}
      </div>
      {pages.map(({ key, children }) => (
        <TabPanel key={key} id={key} className={css.page}>
          {children}
        </TabPanel>
      ))}
    </Tabs>
  );
}
