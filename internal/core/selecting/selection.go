// Package selecting has the common parts of the machines that ask a store for objects by their
// labels: the key of a selection, its pace, and the check of a page.
package selecting

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
)

// Key names the selections of a rule among the objects of a kind. It is a value.
type Key struct {
	Rule int
	Kind graph.Kind
}

// Compare orders keys by rule and kind.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Rule, o.Rule), strings.Compare(string(k.Kind), string(o.Kind)))
}

// Hash writes the key to the printer.
func (k Key) Hash(p *fingerprint.Printer) {
	p.Word(uint64(k.Rule))
	p.Text(string(k.Kind))
}

// Rule is a rule that makes objects members of a sweep by their labels. It is a value.
type Rule struct {
	Takes           func(graph.Kind) bool   // objects of the kind may be members
	Needs           func(graph.Object) bool // the labels of the object decide
	Selector, Label string                  // that select the members of all holders
}

// Pace bounds how often the selections of one key begin. The pause between them grows: clients
// that change labels all the time must not keep a server busy. The zero value has begun none. It
// is a value.
type Pace struct {
	Next  time.Time // none begins before
	Begun int       // the number that began one after another
}

// longest bounds the pause between two selections of one key.
const longest = 8 * time.Second

// Begin returns the pace after a selection has begun.
func (p Pace) Begin(now time.Time) Pace {
	if now.After(p.Next.Add(2 * longest)) {
		p.Begun = 0
	}
	p.Begun = min(p.Begun+1, 6)
	p.Next = now.Add(min(125*time.Millisecond<<p.Begun, longest))
	return p
}

// Fail returns the pace after a selection has failed. Wait is the store's own delay.
func (p Pace) Fail(now time.Time, wait time.Duration) Pace {
	p.Next = now.Add(max(wait, time.Second<<p.Begun))
	return p
}

// Hash writes the pace to the printer.
func (p Pace) Hash(to *fingerprint.Printer) {
	to.Word(uint64(p.Begun))
	to.Until(p.Next)
	to.Until(p.Next.Add(2 * longest))
}

// CheckPage returns the fault of a page that answers a request. A store's mistaken answer proves
// nothing.
func CheckPage(req graph.SelectRequest, page *graph.SelectPage) error {
	bad := func(cause string) error {
		return fmt.Errorf("select %s by %q: %s: %w", req.Kind, req.Selector, cause, graph.ErrInvalid)
	}
	if page.More != "" && page.More == req.After {
		return bad("the next page is this one")
	}
	for _, o := range page.Objects {
		if o.Key.Kind != req.Kind || o.Key.UID == "" || o.Version == "" {
			return bad(fmt.Sprintf("answered with %s at version %q", o.Key, o.Version))
		}
	}
	return nil
}
