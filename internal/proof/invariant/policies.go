package invariant

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

func hasPolicy(o graph.Object) bool {
	return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.OnDelete != graph.OnDeleteUnset })
}

// ends reports whether the end of the owner may be a cause to delete the object of the reference.
func ends(r *graph.Owner) bool {
	return r.OnDelete == graph.OnDeleteUnset || r.OnDelete == graph.OnDeleteCascade
}

// restricts reports whether the reference restricts its owner. The mark of the dependent ends that,
// except if a guard or a protection withholds the mark.
func (l *Ledger) restricts(d *graph.Object, r *graph.Owner) bool {
	return r.OnDelete == graph.OnDeleteRestrict && (!d.Deleting || l.withholds(d))
}

// restricted reports whether another object restricts o at present. Below level 3 an engine may not
// know that yet.
func (l *Ledger) restricted(o *graph.Object) bool {
	return slices.ContainsFunc(l.objects, func(d graph.Object) bool {
		return d.Key != o.Key && slices.ContainsFunc(d.Owners, func(r graph.Owner) bool {
			return r.UID == o.UID && (r.Unresolved || r.Key == o.Key) && l.restricts(&d, &r)
		})
	})
}

// restrictsOf returns the UIDs that the restrict references of an object name.
func restrictsOf(o *graph.Object) (list []graph.UID) {
	for i := range o.Owners {
		if o.Owners[i].OnDelete == graph.OnDeleteRestrict {
			list = append(list, o.Owners[i].UID)
		}
	}
	return list
}

// bound returns the UIDs that the restrict references of a living object name.
func (l *Ledger) bound(k graph.Key) []graph.UID {
	if o, ok := l.live(k); ok {
		return restrictsOf(o)
	}
	return nil
}

// recordBound records the states of the dependents of objects that another object restricts, or has
// restricted.
func (l *Ledger) recordBound(owners []graph.UID) {
	for _, u := range owners {
		for i := range l.objects {
			if refers(&l.objects[i], u) {
				l.record(&l.objects[i])
			}
		}
	}
}

// spare notes an object that orphans.
func (l *Ledger) spare(o *graph.Object) {
	if l.orphans(o) && !slices.Contains(l.spared, o.UID) {
		l.spared = append(l.spared, o.UID)
	}
}

// judgeOwners finds a deletion that the owners do not permit. Waits says that it rests on an owner
// that waited. One cascade owner suffices. A deletion that may rest on an absent one does not rest on
// an owner that waits, because an engine may not know of the wait (RULES, E2).
func (l *Ledger) judgeOwners(d *graph.Object) (waits bool, bad *Breach) {
	unset, cascade := 0, false
	var solid *Breach // of a cascade owner
	for i := range d.Owners {
		r := &d.Owners[i]
		if !ends(r) || !l.counts(d, r) {
			continue
		}
		waited, breach := l.judgeOwner(d, r)
		switch {
		case r.OnDelete == graph.OnDeleteUnset:
			unset++
			waits, bad = waits || waited, cmp.Or(bad, breach)
		case breach == nil && !waited:
			return false, nil
		default:
			cascade, solid = cascade || breach == nil, cmp.Or(solid, breach)
		}
	}
	switch {
	case unset > 0 && bad == nil && slices.Contains(l.free, d.Key):
		return waits, nil
	case cascade:
		return true, nil
	case unset > 0 && bad == nil:
		return waits, &Breach{Rule: "S1c", Object: d.Key, text: "the engine deletes %[1]s, and at every instant since an owner of it was solid"}
	case bad == nil && solid == nil:
		return waits, &Breach{Rule: "S1b", Object: d.Key, text: "the engine deletes %[1]s, which has no owner"}
	}
	return waits, cmp.Or(bad, solid)
}

// judgeOwner judges one owner of a deleted object, and reports whether it waited.
func (l *Ledger) judgeOwner(d *graph.Object, r *graph.Owner) (waited bool, bad *Breach) {
	o, ok := l.owner(d, r)
	if !ok {
		return false, nil
	}
	switch p := l.past(d.Key, o.Key); {
	case p.unborn:
		return false, nil
	case p.kept && !p.waited:
		return false, &Breach{Rule: "S2", Object: d.Key, Other: o.Key, text: "the engine deletes %[1]s, and its owner %[2]s orphans it"}
	case !p.waited:
		return false, l.withheld(&Breach{Rule: "S1", Object: d.Key, Other: o.Key, text: "the engine deletes %[1]s, and its owner %[2]s lives and never waited since"}, o)
	}
	return true, nil
}

// policyOf returns the policy of a reference that a write drops.
func policyOf(d *graph.Object, r *graph.Owner) graph.OnDelete {
	if i := slices.IndexFunc(d.Owners, r.Same); i >= 0 {
		return d.Owners[i].OnDelete
	}
	return graph.OnDeleteUnset
}

// judgePolicy finds a dropped reference whose policy does not permit the drop (RULES, E3).
func (l *Ledger) judgePolicy(d *graph.Object, drops []graph.Owner, i int) *Breach {
	at := slices.IndexFunc(d.Owners, drops[i].Same)
	if at < 0 || !hasPolicy(*d) {
		return nil
	}
	r := &d.Owners[at]
	breach := func(rule, text string) *Breach { return &Breach{Rule: rule, Object: d.Key, Other: r.Key, text: text} }
	switch {
	case l.restricts(d, r):
		return breach("E4", "the engine drops the restrict reference of %[1]s to %[2]s, and %[1]s is not marked")
	case r.OnDelete == graph.OnDeleteRelease || slices.Contains(l.spared, r.UID):
		return nil
	case r.OnDelete == graph.OnDeleteRestrict:
		return breach("E4", "the engine drops the restrict reference of %[1]s to %[2]s, which never orphaned")
	case r.OnDelete == graph.OnDeleteCascade:
		return breach("E3", "the engine drops the cascade reference of %[1]s to %[2]s, which never orphaned")
	case l.drainsUnset(d, drops):
		return breach("E3", "the engine drops each unset reference of %[1]s, that to %[2]s too, and no such owner ever orphaned")
	}
	return nil
}

// drainsUnset reports whether the drops leave no unset reference, and none of them is to an owner that
// ever orphaned.
func (l *Ledger) drainsUnset(d *graph.Object, drops []graph.Owner) bool {
	return !slices.ContainsFunc(d.Owners, func(r graph.Owner) bool {
		if r.OnDelete != graph.OnDeleteUnset || self(d, &r) {
			return false
		}
		return !slices.ContainsFunc(drops, r.Same) || slices.Contains(l.spared, r.UID)
	})
}
