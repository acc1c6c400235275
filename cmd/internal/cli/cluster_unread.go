package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/lint"
)

// unread counts the kinds of a question, and those of which no object was read. A question about
// a namespace is about the kinds with namespaces.
func (a *app) unread(in lint.Input) (unread []unlistedKind, kinds int) {
	for _, k := range in.Kinds {
		if k.Unwatched || !a.everywhere && !k.Scoped {
			continue
		}
		kinds++
		if !k.Listed && !strings.Contains(k.Reason, outside) {
			unread = append(unread, unlistedKind{k.Kind, k.Reason})
		}
	}
	return unread, kinds
}

// readNothing returns an error if no kind of a question was read. An answer would have no fact.
//
//test:by TestNoRights
func (a *app) readNothing(in lint.Input) error {
	if unread, kinds := a.unread(in); kinds > 0 && len(unread) == kinds {
		lines := grouped(unread)
		slices.SortStableFunc(lines, func(a, b string) int { // the kinds without a right first
			switch is := strings.HasPrefix(a, cannotList); {
			case is == strings.HasPrefix(b, cannotList):
				return 0
			case is:
				return -1
			}
			return 1
		})
		return errors.New("nothing was read: " + strings.Join(lines, "; "))
	}
	return nil
}

// unreadNote says how many kinds of a question were not read, or returns "".
func (a *app) unreadNote(in lint.Input) string {
	unread, kinds := a.unread(in)
	if len(unread) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d kinds were not read)", len(unread), kinds)
}
