package invariant

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Breach is an invariant that something has broken. Its text is "RULE: WHAT".
type Breach struct {
	// Rule is the invariant's name, such as "S1b".
	Rule string
	// Object is whom it happened to, Other whom it is about, if anybody.
	Object, Other graph.Key
	// Ends: a deletion of Object has ended that Other should still hold up.
	Ends bool

	text   string // a format: %[1]s the object, %[2]s the other, %[3]s the detail
	detail string
}

// Error returns the rule and what happened.
func (b *Breach) Error() string {
	other := b.Other.String()
	if b.Ends {
		other = string(b.Other.UID)
	}
	return b.Rule + ": " + fmt.Sprintf(b.text, b.Object, other, b.detail)
}
