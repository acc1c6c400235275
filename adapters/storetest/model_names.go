package storetest

import (
	"strings"

	"github.com/ownergraph/ownergraph"
)

// names gives the UIDs that a store makes short ones of our own, so that a
// history is short, and the same each time: a, a' and so on are the incarnations
// of one place, in the notation of package graph.
type names struct {
	short map[ownergraph.UID]ownergraph.UID
	made  map[ownergraph.Key]int // incarnations, by place
}

func newNames() *names {
	return &names{map[ownergraph.UID]ownergraph.UID{}, map[ownergraph.Key]int{}}
}

// add names the next incarnation of a place.
func (n *names) add(key ownergraph.Key) {
	if _, known := n.short[key.UID]; known {
		return
	}
	at := key.Place()
	first := strings.TrimSuffix(at.String(), `@""`)
	n.short[key.UID] = ownergraph.UID(first + strings.Repeat("'", n.made[at]))
	n.made[at]++
}

// key returns the key with our UID. A UID that was never made stays.
func (n *names) key(k ownergraph.Key) ownergraph.Key {
	if short, known := n.short[k.UID]; known {
		k.UID = short
	}
	return k
}

func (n *names) owner(r ownergraph.Owner) ownergraph.Owner {
	r.Key = n.key(r.Key)
	return r
}

// object returns the object with our UIDs, and without what says nothing in a
// history: versions and generations.
func (n *names) object(o ownergraph.Object) ownergraph.Object {
	o = o.Clone()
	o.Key = n.key(o.Key)
	for i, r := range o.Owners {
		o.Owners[i] = n.owner(r)
	}
	o.Version, o.Generation, o.ObservedGeneration = "", 0, 0
	return o
}

func (n *names) objects(list []ownergraph.Object) []ownergraph.Object {
	out := make([]ownergraph.Object, len(list))
	for i, o := range list {
		out[i] = n.object(o)
	}
	return out
}
