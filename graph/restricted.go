package graph

import (
	"fmt"
	"slices"
	"strings"
)

// ErrRestricted says that a store of level 3 refuses a deletion, because an unmarked object refers to
// the object with OnDeleteRestrict (RULES, E4). It wraps ErrRefused. The error of a store is a
// [*RestrictedError], which names such objects.
var ErrRestricted = fmt.Errorf("restricted: %w", ErrRefused)

// maxRestricting bounds the dependents that a RestrictedError names.
const maxRestricting = 8

// RestrictedError is the error of a deletion that a store refuses because of references with
// OnDeleteRestrict. It wraps ErrRestricted.
type RestrictedError struct {
	// Key is the object of the deletion.
	Key Key
	// Dependents are the first eight objects with such a reference, sorted. More counts the others.
	Dependents []Key
	More       int
}

// NewRestrictedError returns the error for an object and for all dependents that restrict it, of
// which it keeps the first ones. It does not keep the list.
//
//test:by TestRestrictedError
func NewRestrictedError(key Key, dependents []Key) *RestrictedError {
	sorted := slices.SortedFunc(slices.Values(dependents), Key.Compare)
	sorted = slices.Compact(sorted)
	n := min(len(sorted), maxRestricting)
	return &RestrictedError{Key: key, Dependents: slices.Clone(sorted[:n]), More: len(sorted) - n}
}

// Error names the object and the dependents.
func (e *RestrictedError) Error() string {
	names := make([]string, 0, len(e.Dependents)+1)
	for _, d := range e.Dependents {
		names = append(names, d.PlaceString())
	}
	if e.More > 0 {
		names = append(names, fmt.Sprintf("%d more", e.More))
	}
	return fmt.Sprintf("delete %s: owners[].onDelete of %s: %v", e.Key.PlaceString(), strings.Join(names, ", "), ErrRestricted)
}

// Unwrap returns ErrRestricted.
func (e *RestrictedError) Unwrap() error { return ErrRestricted }
