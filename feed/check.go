package feed

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// checkPage finds a broken law of ReadLog that would make the watch lose a change.
func (w *watch) checkPage(page *LogPage) error {
	kinds := map[graph.Kind]bool{}
	for _, info := range page.Kinds {
		if kinds[info.Kind] {
			return fmt.Errorf("kinds: %s is there twice: %w", info.Kind, graph.ErrInvalid)
		}
		kinds[info.Kind] = true
	}
	if page.First > page.Next {
		return fmt.Errorf("first: %d is behind the next position %d: %w", page.First, page.Next, graph.ErrInvalid)
	}
	from := w.next
	for i := range page.Entries {
		e := &page.Entries[i]
		switch {
		case e.Position < max(from, 1) || e.Position >= page.Next:
			return fmt.Errorf("entry %d: position: %d is not from %d to %d: %w", i, e.Position, max(from, 1), page.Next-1, graph.ErrInvalid)
		case e.Fence == 0 && (e.Object.Kind == "" || e.Object.Name == "" || e.Object.UID == ""):
			return fmt.Errorf("entry at position %d: object %s: a kind, a name or a UID is missing: %w", e.Position, e.Object.Key, graph.ErrInvalid)
		}
		from = e.Position + 1
	}
	return nil
}

// checkObjects finds a broken law of ReadObjects that would make a listing lose an object, or
// go back.
func (w *watch) checkObjects(page *ObjectPage, after graph.Key) error {
	if page.Next < w.newest {
		return fmt.Errorf("next: position %d is older than the read of %d before it: %w", page.Next, w.newest, graph.ErrInvalid)
	}
	kind := after.Kind
	for _, o := range page.Objects {
		switch {
		case o.Kind != kind:
			return fmt.Errorf("object %s: kind: not %s: %w", o.Key, kind, graph.ErrInvalid)
		case o.Place().Compare(after) <= 0:
			return fmt.Errorf("object %s: place: not behind %s: %w", o.Key, after, graph.ErrInvalid)
		}
		after = o.Place()
	}
	return nil
}
