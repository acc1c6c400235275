package lint_test

import (
	"fmt"
	"slices"
	"strings"
)

// rival returns the findings of kubectl-check-ownerreferences on a dump: place, owner's
// UID, level and fault. It follows the rules of the tool's verify.go, at commit d497da0. It
// shares no code with package lint.
//
// For each reference the tool first resolves the kind, then the scope of a global object.
// Then it looks for the objects with the owner's UID, and compares namespace, name and kind
// with them. It stops at the first fault. A coordinate is right if any of the objects has it.
func (d *dump) rival() []string {
	byUID := map[string][]*item{}
	listed := slices.Clone(d.items)
	for i := range listed {
		if k := d.kindOf(&listed[i]); k != nil && k.failure == "" && !k.undiscovered {
			byUID[listed[i].Metadata.UID] = append(byUID[listed[i].Metadata.UID], &listed[i])
		}
	}
	var list []string
	for i := range listed {
		o := &listed[i]
		if k := d.kindOf(o); k == nil || k.failure != "" || k.undiscovered {
			continue // the tool lists what discovery shows
		}
		for _, r := range o.Metadata.OwnerReferences {
			if fault := d.rivalFault(o, r, byUID[r.UID]); fault != "" {
				list = append(list, fmt.Sprintf("%s %s %s", o.place(), r.UID, fault))
			}
		}
	}
	slices.Sort(list)
	return list
}

func (d *dump) kindOf(o *item) *served {
	group, _ := groupVersion(o.APIVersion)
	return d.kind(group, o.Kind)
}

func (d *dump) rivalFault(o *item, r ref, actual []*item) string {
	group, version := groupVersion(r.APIVersion)
	var mapped *served
	for i, k := range d.kinds {
		if k.group == group && k.matches(r.Kind) && slices.Contains(k.versions, version) {
			mapped = &d.kinds[i]
		}
	}
	some := func(right func(*item) bool) bool { return slices.ContainsFunc(actual, right) }
	switch {
	case strings.Count(r.APIVersion, "/") > 1:
		return "Error invalid apiVersion"
	case mapped != nil && mapped.undiscovered:
		return "Warning not discovered"
	case mapped == nil:
		return "Error cannot resolve"
	case mapped.namespaced && o.Metadata.Namespace == "":
		return "Error namespaced owner"
	case len(actual) == 0 && mapped.failure != "":
		return "Warning not listed"
	case len(actual) == 0:
		return "Error no object"
	case !some(func(a *item) bool {
		return a.Metadata.Namespace == "" || a.Metadata.Namespace == o.Metadata.Namespace
	}):
		return "Error namespace"
	case !some(func(a *item) bool { return a.Metadata.Name == r.Name }):
		return "Error name"
	case !some(func(a *item) bool { g, _ := groupVersion(a.APIVersion); return g == group && mapped.kind == a.Kind }):
		return "Error group/kind"
	}
	return ""
}

// added returns the elements of list that base lacks.
func added(base, list []string) []string {
	count := map[string]int{}
	for _, s := range base {
		count[s]++
	}
	var more []string
	for _, s := range list {
		if count[s]--; count[s] < 0 {
			more = append(more, s)
		}
	}
	slices.Sort(more)
	return more
}
