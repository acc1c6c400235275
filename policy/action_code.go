package policy

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// MarshalText returns the word of String. The error for an action without one wraps
// graph.ErrInvalid.
func (a Action) MarshalText() ([]byte, error) {
	if int(a) >= len(actionNames) {
		return nil, fmt.Errorf("write action: %d has no word: %w", uint8(a), graph.ErrInvalid)
	}
	return []byte(actionNames[a]), nil
}

// UnmarshalText reads the word of String. An error wraps graph.ErrInvalid, and the action
// is unchanged.
//
//test:by TestActionText
func (a *Action) UnmarshalText(text []byte) error {
	i := slices.Index(actionNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("read action: unknown word %.100q: %w", text, graph.ErrInvalid)
	}
	*a = Action(i)
	return nil
}
