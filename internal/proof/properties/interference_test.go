package properties

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"pgregory.net/rapid"
)

// stranger reports whether the key is of an object of other users.
func stranger(k graph.Key) bool { return k.Name[0] == 'z' }

// strangers draws objects of other users: garbage, cascades of their own, and bad
// references to the given objects. Such a reference has a living UID with a wrong
// kind, name or scope, or is unresolved. No stranger owns a given object.
func (d draws) strangers(set settings, objects []graph.Object) []graph.Object {
	var own []graph.Key
	var out []graph.Object
	for i := range 1 + d.number("strangers", 8) {
		k := d.key(i, nil)
		k.Name = fmt.Sprintf("z%d", i)
		o := graph.Object{Key: named(k)}
		for range d.number("references", 4) {
			if len(objects) > 0 && d.chance("bad", 2) {
				o.Owners = append(o.Owners, d.bad(objects[d.number("victim", len(objects))].Key))
			} else if len(own) > 0 {
				r := graph.Owner{Key: own[d.number("own", len(own))], Block: d.chance("block", 2)}
				r.UID += graph.UID([]string{"", "", "/gone"}[d.number("gone", 3)])
				o.Owners = append(o.Owners, r)
			}
		}
		if d.chance("deleting", 4) {
			o.Deleting, o.Finalizers = true, []string{"foreign"}
		}
		own = append(own, o.Key)
		out = append(out, o)
	}
	return out
}

// bad draws a reference to an object with wrong or unresolved coordinates.
func (d draws) bad(k graph.Key) graph.Owner {
	r := graph.Owner{Key: k, Block: true, Controller: d.chance("controller", 2)}
	switch d.number("bad reference", 6) {
	case 0:
		r.Name = "zz"
	case 1:
		r.Kind = map[graph.Kind]graph.Kind{"g": "h", "h": "g", "p": "q", "q": "p"}[k.Kind]
	case 2:
		r.Scope += "x"
	case 3:
		r.Kind = unserved
	case 4:
		r.UID += "/gone"
	case 5:
		r.Unresolved, r.Block = true, false // by the rules, a blocking one holds the owner
	}
	return r
}

// TestNonInterference runs the same deletion twice. One run has objects of other users
// with bad references to the given objects, and deletions of their own. The given
// objects have the same end in both runs.
func TestNonInterference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draws{t, size{style: tame, objects: 8, judged: true}}
		set := settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 1}
		objects := d.world(set)
		among := append(slices.Clone(objects), d.strangers(set, objects)...)
		alone, err := begin(set, objects)
		if err != nil {
			t.Fatal(err)
		}
		crowd, err := begin(set, among)
		if err != nil {
			t.Fatal(err)
		}
		f := faults{Doubles: d.chance("doubles", 2), Breaks: d.chance("breaks", 2), Crashes: d.chance("crashes", 2)}
		line := []string{"bg", "fg", "orphan"}[d.number("verb", 3)] + " " + objects[d.number("object", len(objects))].Key.String()
		for _, h := range []*history{alone, crowd} {
			if d.chance("at rest", 2) {
				if err := h.calm(); err != nil {
					t.Fatal(h.fail(err))
				}
			}
			if err := h.do(line); err != nil {
				t.Fatal(h.fail(err))
			}
			d.wander(h, f)
			if err := h.calm(); err != nil {
				t.Fatal(h.fail(err))
			}
		}
		left := slices.DeleteFunc(slices.Clone(crowd.w.Store.Objects()), func(o graph.Object) bool { return stranger(o.Key) })
		if got, want := oracle.Line(left), oracle.Line(alone.w.Store.Objects()); got != want {
			t.Fatal(crowd.fail(fmt.Errorf("with strangers %q remains, without them %q; the objects at the beginning: %s", got, want, graph.Format(objects))))
		}
	})
}
