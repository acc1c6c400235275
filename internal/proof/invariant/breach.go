package invariant

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Breach is a broken invariant. Its text is the rule, a colon and the event.
type Breach struct {
	// Rule is the invariant's name, such as "S1b".
	Rule string
	// Object is the object of the write. Other is the owner, dependent or holder
	// that the rule names, or zero.
	Object, Other graph.Key
	// Ends reports that a deletion of Object ended too early, because of Other.
	Ends bool

	text   string // a format: %[1]s the object, %[2]s the other, %[3]s the detail
	detail string
}

// Error returns the rule and the event.
func (b *Breach) Error() string {
	other := b.Other.String()
	if b.Ends {
		other = string(b.Other.UID)
	}
	return b.Rule + ": " + fmt.Sprintf(b.text, b.Object, other, b.detail)
}
