package explain

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// policy returns the policy of a reference with its meaning, or nothing for a reference without one.
func (o *Owner) policy() []string {
	switch o.OnDelete {
	case graph.OnDeleteUnset:
		return nil
	case graph.OnDeleteCascade:
		return []string{"cascade: its end alone deletes the object"}
	case graph.OnDeleteRelease:
		return []string{"release: its end drops the reference"}
	case graph.OnDeleteRestrict:
		return []string{"restrict: the owner is not deleted before the object"}
	}
	return []string{o.OnDelete.String()}
}

// deciding returns the owners whose cascade references decide a deletion by their absence, or by their
// wait.
func deciding(r policy.Reason, all []Owner) (keys []graph.Key) {
	class := Dangling
	if r == policy.CascadeOwnerWaits {
		class = Waiting
	}
	for i := range all {
		if o := &all[i]; !o.Self && o.OnDelete == graph.OnDeleteCascade && o.Class == class {
			keys = append(keys, o.Key)
		}
	}
	return keys
}

// cascaded names the owners whose cascade references decide. It is empty if the bound of the
// explanation leaves them out.
func (s speech) cascaded(r policy.Reason, all []Owner, past bool) string {
	keys := deciding(r, all)
	if len(keys) == 0 {
		return ""
	}
	noun, is, waits := "its cascade owner ", "is", "waits for it"
	if past {
		is, waits = "was", "waited for it"
	}
	if len(keys) > 1 {
		noun, is, waits = "its cascade owners ", "are", "wait for it"
		if past {
			is, waits = "were", "waited for it"
		}
	}
	out := noun + s.keys(keys, 0) + " " + is
	if r == policy.CascadeOwnerGone {
		return out + " gone"
	}
	return out + " being deleted and " + waits
}

// cascade says which cascade references delete the object, although it may have other owners.
func (s speech) cascade() string {
	x := s.x
	out := s.cascaded(x.Decision.Reason, x.Owners, false)
	if out == "" {
		return "is garbage: " + x.Decision.Reason.String()
	}
	if others := len(x.Owners) + x.OwnersCut - len(deciding(x.Decision.Reason, x.Owners)); others > 0 {
		out += ", even if its other owners exist"
	}
	return "is garbage: " + out
}

// released names the owners whose release references go.
func (s speech) released() string {
	var keys []graph.Key
	for i := range s.x.Owners {
		if o := &s.x.Owners[i]; !o.Self && o.OnDelete == graph.OnDeleteRelease && (o.Class == Dangling || o.Class == Waiting) {
			keys = append(keys, o.Key)
		}
	}
	if len(keys) == 0 {
		return "has to lose release references"
	}
	return "has to lose its release references to " + s.keys(keys, 0)
}

// restricted names the objects that restrict the object.
func (s speech) restricted() string {
	state := "has to go, and waits: "
	if s.x.Deleting {
		state = "is being deleted, and its mark counts for no dependent yet: "
	}
	switch list := waiters(s.x.Wait); {
	case len(list) == 0 || len(list) == 1 && list[0] == s.x.Key:
		return state + policy.Restricted.String()
	case len(list) == 1 && s.x.Cut == 0:
		return state + s.key(list[0]) + " restricts it"
	default:
		return state + s.keys(list, 0) + " restrict it"
	}
}

// isRestricted reports whether a restriction is a part of the chain.
func (x *Explanation) isRestricted() bool {
	return x.Decision.Reason == policy.Restricted || hasRestricted(x.Wait)
}

func hasRestricted(all []Condition) bool {
	return slices.ContainsFunc(all, func(c Condition) bool { return c.Reason == policy.Restricted || hasRestricted(c.For) })
}
