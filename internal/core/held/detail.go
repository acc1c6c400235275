package held

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	// maxDetail bounds the names in the report of one held object.
	maxDetail = 8
	// maxLooked bounds the dependents that one report considers for its names.
	maxLooked = 1024
)

// Trim sorts the names for one report and leaves out the doubled ones. It bounds them.
func Trim(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxDetail)]
}

// Flaw returns the flaw of an object.
func Flaw(n graph.Node) []string {
	if err := n.Flaw(); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// Grace describes the grace period that an object waits for.
func Grace(n graph.Node) []string {
	seconds := n.Object().GraceSeconds
	if seconds == 0 {
		return []string{"over: the store has to remove it"}
	}
	return []string{fmt.Sprintf("%d s", seconds)}
}

// Dependents names the first dependents that an object waits for.
func Dependents(n graph.Node) (names []string) {
	looked, dependents := 0, n.Dependents()
	if n.Orphaning() {
		dependents = n.Inside(inside.Key{}).Orphans()
	}
	for d := range dependents {
		if looked++; looked > maxLooked || len(names) == maxDetail {
			break
		}
		for i := range d.Owners() {
			r := d.OwnerAt(i)
			if r.UID == n.Key().UID && (r.Block || n.Orphaning()) {
				names = append(names, d.Key().String())
			}
		}
	}
	return names
}

// Restricting names the first objects that restrict an object.
//
//test:by ownergraph.TestHeldRestricted
func Restricting(n graph.Node) (names []string) {
	for d := range n.RestrictedBy() {
		if len(names) == maxDetail {
			break
		}
		names = append(names, d.Key().String())
	}
	return names
}

// Owners names the first owners that are in doubt, or the first of all.
func Owners(n graph.Node) []string {
	var all, doubtful []string
	for i := 0; i < n.Owners() && len(doubtful) < maxDetail; i++ {
		c, d := n.Inside(inside.Key{}).OwnerClass(i)
		switch {
		case c == graph.Unknown && d != graph.Unobserved:
			doubtful = append(doubtful, n.OwnerAt(i).String())
		case len(all) < maxDetail:
			all = append(all, n.OwnerAt(i).String())
		}
	}
	if len(doubtful) > 0 {
		return doubtful
	}
	return all
}

// Join returns the names for one report as a text.
func Join(names []string) string { return strings.Join(Trim(names), ", ") }

// Cause gives the cause that holds an object, without the object.
func Cause(why policy.Reason, doubt graph.Doubt, details []string, lastError string) string {
	detail := strings.Join(details, ", ")
	if why == policy.NeedFinalizers {
		return "finalizer " + detail
	}
	text := why.String()
	if why == policy.OwnerUnknown {
		text = doubt.String()
	}
	if detail != "" {
		text += ": " + detail
	}
	if lastError != "" && !strings.Contains(detail, lastError) {
		text += "; last error: " + lastError
	}
	return text
}

// Left names an object that is left, by its place, with the cause and the time since which it stays.
// A time that is zero is unknown.
func Left(place, cause string, since, now time.Time) string {
	if !since.IsZero() {
		cause += ", " + Age(now.Sub(since))
	}
	return place + " (" + cause + ")"
}

// Age gives a duration in its largest unit.
func Age(d time.Duration) string {
	for _, u := range [...]struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if d >= u.of {
			return fmt.Sprintf("%d %s", d/u.of, u.name)
		}
	}
	return fmt.Sprintf("%d s", d/time.Second)
}
