import type { Unreadable } from "../../service";
import type { OperationContext } from "../definition";
import type { IsHeld } from "../holders";
import type { Snapshot, Unresolved, View } from "../model";
import { rewrittenIn, unreadableIn } from "./lookalikes";
import { isFree } from "./ownership";

/**
 * What lists have shown that may be the outcome of a create in doubt. Any list may leave something out for a moment, so what one of them has
 * shown stays, until another shows that it is not the outcome.
 */
export class Suspects {
  private readonly shown = new Map<string, View>();
  private readonly unread = new Map<string, Unreadable>();

  constructor(
    private readonly context: OperationContext,
    private readonly unresolved: Unresolved,
    private readonly isHeld: IsHeld,
  ) {}

  note(snapshot: Snapshot<unknown>): void {
    const { context, unresolved, isHeld, shown, unread } = this;
    for (const id of [...shown.keys(), ...unread.keys()]) {
      if (!snapshot.has(id) || snapshot.isUnreadable(id)) continue;
      shown.delete(id);
      unread.delete(id);
    }
    for (const view of rewrittenIn(context, snapshot, unresolved, isHeld)) shown.set(view.id, view);
    for (const item of unreadableIn(context, snapshot.unreadable, unresolved, isHeld)) {
      // Without an id it is not known again, and later lists tell nothing of it.
      if (item.id !== undefined) unread.set(item.id, item);
    }
  }

  /** Those that no resource has got meanwhile. */
  get views(): View[] {
    return [...this.shown.values()].filter((view) => isFree(this.context, view));
  }

  get unreadable(): Unreadable[] {
    return [...this.unread.values()];
  }
}
