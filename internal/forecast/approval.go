package forecast

import (
	"encoding/hex"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// IsFingerprint reports whether a text has the form of a plan's fingerprint.
func IsFingerprint(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 64
}

// Approvable returns the reason for which nothing of the root can be approved.
func Approvable(o *graph.Object) error {
	switch {
	case !o.Deleting:
		return fmt.Errorf("deletion mark: it is not being deleted: %w", graph.ErrInvalid)
	case !o.HasFinalizer(graph.FinalizerHold):
		return fmt.Errorf("finalizers: without %s no guard holds it: %w", graph.FinalizerHold, graph.ErrInvalid)
	}
	return nil
}
