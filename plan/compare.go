package plan

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// ErrChanged says that a plan is no longer valid.
var ErrChanged = errors.New("plan changed")

// ErrProtected says that a protected object would stay, and that the request refuses such a
// plan.
var ErrProtected = errors.New("protected objects would stay")

// ErrBound says that a plan has reached a bound before its end. The error that wraps it names the
// bound and its value. The bounds follow the objects, references and finalizers of a plan, and an
// engine that works as documented stays below.
var ErrBound = errors.New("bound of a plan reached")

// maxDifferences is the number of differences in a ChangedError.
const maxDifferences = 32

// Difference is one difference between a plan and another plan, or the store. It is a
// value.
type Difference struct {
	// Key names the object. The zero Key stands for the facts of the decisions, and a Key
	// with a kind alone for the counts of the kind.
	Key graph.Key
	// Want is the state in the plan, Got the other one. Both are in words. An empty Want or
	// Got says that this side does not have the object.
	Want, Got string
}

// String returns the difference in plain words.
func (d Difference) String() string {
	switch {
	case d.Key == (graph.Key{}):
		return "facts of the decisions have changed"
	case d.Key.Name == "":
		return fmt.Sprintf("objects of %s were %s, are %s", d.Key.Kind, d.Want, d.Got)
	case d.Want == "":
		return fmt.Sprintf("%s is new (%s)", shown(d.Key), d.Got)
	case d.Got == "":
		return fmt.Sprintf("%s is gone (was %s)", shown(d.Key), d.Want)
	}
	return fmt.Sprintf("%s was %s, is %s", shown(d.Key), d.Want, d.Got)
}

// ChangedError lists the differences between two plans. It wraps ErrChanged. It is safe
// for concurrent reading.
type ChangedError struct {
	// Differences are sorted by key, at most 32. More counts the others.
	Differences []Difference
	More        int
}

// Error names the first three differences.
func (e *ChangedError) Error() string {
	list := e.Differences[:min(3, len(e.Differences))]
	text := make([]string, len(list))
	for i, d := range list {
		text[i] = d.String()
	}
	if n := len(e.Differences) - len(list) + e.More; n > 0 {
		text = append(text, fmt.Sprintf("and %d more", n))
	}
	return ErrChanged.Error() + ": " + strings.Join(text, "; ")
}

// Unwrap returns ErrChanged.
func (e *ChangedError) Unwrap() error { return ErrChanged }

// Compare returns nil if both plans have one fingerprint, the same outcomes and the same
// totals. Otherwise it returns a *ChangedError. Plans for different requests are an error
// that wraps graph.ErrInvalid. The limits may differ: an object that a limit may leave out
// of one plan is no difference, and the totals count it. The objects of both plans are
// sorted by key.
//
//test:by TestCompare TestCompareTotals
func Compare(want, got Plan) error {
	if field := different(&want.Request, &got.Request); field != "" {
		return fmt.Errorf("compare plans: request.%s: the plans are for different requests: %w", field, graph.ErrInvalid)
	}
	e := &ChangedError{}
	a, b := want.Objects, got.Objects
	for len(a) > 0 || len(b) > 0 {
		switch side := order(a, b); {
		case side < 0:
			if got.Truncated == 0 {
				e.add(Difference{a[0].Key, a[0].state(), ""})
			}
			a = a[1:]
		case side > 0:
			if want.Truncated == 0 {
				e.add(Difference{b[0].Key, "", b[0].state()})
			}
			b = b[1:]
		default:
			if a[0].Outcome != b[0].Outcome || a[0].Possible != b[0].Possible {
				e.add(Difference{a[0].Key, a[0].state(), b[0].state()})
			}
			a, b = a[1:], b[1:]
		}
	}
	if len(e.Differences) == 0 {
		e.addTotals(&want, &got)
	}
	if len(e.Differences) == 0 && want.Fingerprint != got.Fingerprint {
		e.add(Difference{graph.Key{}, want.Fingerprint, got.Fingerprint})
	}
	if len(e.Differences) == 0 {
		return nil
	}
	return e
}

func order(a, b []Object) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return a[0].Key.Compare(b[0].Key)
}

// addTotals adds the kinds whose totals differ. A limit may have left out their objects.
func (e *ChangedError) addTotals(want, got *Plan) {
	of := func(p *Plan) map[graph.Kind]Total {
		out := make(map[graph.Kind]Total, len(p.Totals))
		for _, t := range p.Totals {
			out[t.Kind] = t
		}
		return out
	}
	a, b := of(want), of(got)
	for kind := range b {
		if _, ok := a[kind]; !ok {
			a[kind] = Total{}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(a)) {
		if x, y := a[kind], b[kind]; x != y && (x.Affected > 0 || y.Affected > 0) {
			e.add(Difference{graph.Key{Kind: kind}, x.state(), y.state()})
		}
	}
	if n, m := len(want.Objects)+want.Truncated, len(got.Objects)+got.Truncated; len(e.Differences) == 0 && n != m {
		e.add(Difference{graph.Key{}, strconv.Itoa(n), strconv.Itoa(m)})
	}
}

func (e *ChangedError) add(d Difference) {
	if len(e.Differences) == maxDifferences {
		e.More++
		return
	}
	e.Differences = append(e.Differences, d)
}

// state has the counts that are not zero.
func (t *Total) state() string {
	var list []string
	for _, x := range [...]struct {
		count int
		name  string
	}{{t.Removed, "removed"}, {t.Orphaned, "orphaned"}, {t.Trimmed, "trimmed"}, {t.Kept, "kept"}, {t.Held, "held"}, {t.Possible, "possible"}} {
		if x.count > 0 {
			list = append(list, strconv.Itoa(x.count)+" "+x.name)
		}
	}
	if len(list) == 0 {
		return strconv.Itoa(t.Affected)
	}
	return strings.Join(list, ", ")
}

// state has the outcome and, for a held object, the causes.
func (o *Object) state() string {
	s := o.Outcome.String()
	if o.Possible {
		s += " (possible)"
	}
	if o.Outcome == Held && o.Reason != policy.ReasonUnset {
		list := []string{policy.Words(o.Reason, o.Doubt)}
		for _, cause := range o.Causes {
			list = append(list, word(cause))
		}
		s += " (" + strings.Join(list, ", ") + ")"
	}
	return s
}

// different returns the first field in which two requests differ. Order does not count.
func different(a, b *Request) string {
	targets := func(r *Request) []Target {
		return slices.SortedFunc(slices.Values(r.Delete), func(x, y Target) int {
			return cmp.Or(x.Key.Compare(y.Key), cmp.Compare(x.Propagation, y.Propagation))
		})
	}
	switch {
	case !slices.Equal(targets(a), targets(b)):
		return "delete"
	case !slices.Equal(slices.Sorted(slices.Values(a.Removed)), slices.Sorted(slices.Values(b.Removed))):
		return "removed"
	case !slices.Equal(slices.Sorted(slices.Values(a.Failing)), slices.Sorted(slices.Values(b.Failing))):
		return "failing"
	}
	return ""
}
