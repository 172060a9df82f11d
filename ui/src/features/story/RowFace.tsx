import type { ReactNode } from "react";

interface RowFaceProps {
  className: string | undefined;
  /** The entity whose details it opens; `null`: it has none. */
  entityId: string | null;
  isOpen: boolean;
  /** The id of the details. */
  detailId: string;
  onPress: () => void;
  standing?: string;
  testId: string;
  children: ReactNode;
}

/** The row of an entity, a button that opens and closes its details. The arrow keys stop at it. */
export function RowFace({ className, entityId, isOpen, detailId, onPress, standing, testId, children }: RowFaceProps) {
  return (
    <button
      type="button"
      className={className}
      aria-expanded={entityId === null ? undefined : isOpen}
      aria-controls={isOpen ? detailId : undefined}
      onClick={onPress}
      data-stop
      data-entity={entityId ?? undefined}
      data-standing={standing}
      data-testid={testId}
    >
      {children}
    </button>
  );
}
