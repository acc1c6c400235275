package invariant

import (
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// bind has the restrict references of one observed object, and the times since they restrict.
type bind struct {
	owners []graph.Owner
	since  []uint64
}

// names reports whether the reference names the object.
func names(r *graph.Owner, k graph.Key) bool { return r.UID == k.UID && (r.Unresolved || r.Key == k) }

// restricted reports whether another object restricted this one by the reports before the given time.
func (w *Witness) restricted(k graph.Key, before uint64) bool {
	for d, b := range w.binds {
		for i := range b.owners {
			if d != k && names(&b.owners[i], k) && b.since[i] <= before {
				return true
			}
		}
	}
	return false
}

// bind takes the restrict references of a reported object.
func (w *Witness) bind(o *graph.Object) {
	var now bind
	was := w.binds[o.Key]
	for _, r := range o.Owners {
		if r.OnDelete != graph.OnDeleteRestrict || o.Deleting && !o.MarkWithheld() {
			continue
		}
		since := w.now
		if i := slices.IndexFunc(was.owners, r.Same); i >= 0 {
			since = was.since[i]
		}
		now.owners, now.since = append(now.owners, r), append(now.since, since)
	}
	w.rebind(o.Key, was, now)
}

func (w *Witness) unbind(k graph.Key) { w.rebind(k, w.binds[k], bind{}) }

// unbindKind forgets the restrict references of a kind that is not served.
func (w *Witness) unbindKind(name graph.Kind) {
	for k := range w.binds {
		if k.Kind == name {
			w.unbind(k)
		}
	}
}

// rebind changes the restrict references of an object. The mark of an owner begins when the last of
// them goes.
func (w *Witness) rebind(k graph.Key, was, now bind) {
	if len(was.owners)+len(now.owners) == 0 {
		return
	}
	if w.binds[k] = now; len(now.owners) == 0 {
		delete(w.binds, k)
	}
	for owner, f := range w.facts {
		named := func(r graph.Owner) bool { return names(&r, owner) }
		if !f.here || owner == k || !slices.ContainsFunc(was.owners, named) && !slices.ContainsFunc(now.owners, named) {
			continue
		}
		mark := f.own
		if w.restricted(owner, w.now) {
			mark = graph.Unset
		}
		if mark == f.mark {
			continue
		}
		if f.mark = mark; mark != graph.Unset {
			f.marked = w.now
		}
		w.role(&f, mark)
		w.facts[owner] = f
	}
}

// unrestricted finds a write that ends an object, or marks it, although the engine knows a restriction
// when it hands the write out.
func (w *Witness) unrestricted(c engine.Call) *Breach {
	if w.restricted(c.Key, w.now) {
		return &Breach{Rule: "E4", Object: c.Key, text: "the engine ends %[1]s, and by the reports an object restricts it"}
	}
	return nil
}

// flawed finds a write to an object with a policy that does not act for the engine (RULES, E1).
func (w *Witness) flawed(d *graph.Object) *Breach {
	for i, r := range d.Owners {
		twice := func(p graph.Owner) bool { return p.UID == r.UID && p.OnDelete != r.OnDelete }
		switch {
		case r.OnDelete != graph.OnDeleteUnset && !w.Policies:
			return &Breach{Rule: "E1", Object: d.Key, Other: r.Key, text: "the engine ends or trims %[1]s, and the policies of references do not act"}
		case r.OnDelete > graph.OnDeleteCascade, slices.ContainsFunc(d.Owners[:i], twice):
			return &Breach{Rule: "E1", Object: d.Key, Other: r.Key, text: "the engine ends or trims %[1]s, and the policy of its reference to %[2]s is unknown or not the only one"}
		}
	}
	return nil
}

// frees reports whether each of the references is to an owner that was reported to orphan.
func (w *Witness) frees(drops []graph.Owner) bool {
	return !slices.ContainsFunc(drops, func(r graph.Owner) bool { return !w.orphans(r.UID) })
}
