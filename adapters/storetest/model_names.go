package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// names gives a short name to each UID of the store. So a history is short, and the
// same in each run. The incarnations of one place are named a, a' and so on, in the
// notation of package graph.
type names struct {
	short map[graph.UID]graph.UID
	made  map[ownergraph.Key]int // the number of incarnations, by place
	// versions numbers the seen versions, from 1.
	versions map[ownergraph.Version]int
}

func newNames() *names {
	return &names{map[graph.UID]graph.UID{}, map[ownergraph.Key]int{}, map[ownergraph.Version]int{}}
}

// add names the next incarnation of a place.
func (n *names) add(key ownergraph.Key) {
	if _, known := n.short[key.UID]; known {
		return
	}
	at := key.Place()
	first := strings.TrimSuffix(at.String(), `@""`)
	n.short[key.UID] = graph.UID(first + strings.Repeat("'", n.made[at]))
	n.made[at]++
}

// unknownUID stands for a UID that the store has not made.
const unknownUID = "unknown"

// key returns the key with the short name in place of its UID.
func (n *names) key(k ownergraph.Key) ownergraph.Key {
	short, known := n.short[k.UID]
	switch {
	case known:
		k.UID = short
	case k.UID != "":
		k.UID = unknownUID
	}
	return k
}

// count numbers a version.
func (n *names) count(v ownergraph.Version) {
	if n.versions[v] == 0 {
		n.versions[v] = len(n.versions) + 1
	}
}

// version returns the name of a version.
func (n *names) version(v ownergraph.Version) string {
	if i := n.versions[v]; i > 0 {
		return fmt.Sprintf("version no. %d", i)
	}
	return "an unknown version"
}

// cause returns the sentinel that an error wraps, in words. The error's own text
// differs from run to run.
func cause(err error) string {
	if err == nil {
		return "no error"
	}
	for _, is := range []error{
		graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused, graph.ErrInvalid,
		context.DeadlineExceeded, context.Canceled,
	} {
		if errors.Is(err, is) {
			return fmt.Sprintf("an error that wraps %q", is)
		}
	}
	return "an error of its own"
}

func (n *names) owner(r ownergraph.Owner) ownergraph.Owner {
	r.Key = n.key(r.Key)
	return r
}

// object returns the object with short names. It leaves out versions and
// generations, which mean nothing in a history.
func (n *names) object(o ownergraph.Object) ownergraph.Object {
	o = o.Clone()
	o.Key = n.key(o.Key)
	for i, r := range o.Owners {
		o.Owners[i] = n.owner(r)
	}
	o.Version, o.Generation, o.ObservedGeneration = "", 0, 0
	return o
}

// versioned returns the objects with short names and numbered versions.
func (n *names) versioned(list []ownergraph.Object) []ownergraph.Object {
	out := n.objects(list)
	for i, o := range list {
		out[i].Version = ownergraph.Version(fmt.Sprint(n.versions[o.Version]))
	}
	return out
}

func (n *names) objects(list []ownergraph.Object) []ownergraph.Object {
	out := make([]ownergraph.Object, len(list))
	for i, o := range list {
		out[i] = n.object(o)
	}
	return out
}
