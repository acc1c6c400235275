package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Input is a dump of a store as data. It is a value, and Check does not change it.
type Input struct {
	// Kinds are the kinds that the store serves, each once, in any order. A kind that it may
	// serve is among them, too, and is not Listed.
	Kinds []Kind
	// Objects are the objects of the dump, each once, in any order. An object may be of a
	// kind that is not in Kinds.
	Objects []Object
	// Now is the instant of the dump. The zero time stands for an unknown instant.
	Now time.Time
	// Kubernetes says that the store is a Kubernetes API server. Its own collector then
	// decides about the objects, and an engine of this module may do so beside it. The
	// engine is the only collector of any other store.
	Kubernetes bool
	// Constraints are rules of the store's database, as an ownergraph.Constrainer has them. Nil:
	// none are known.
	Constraints []graph.Constraint
}

// Kind is one kind that a store serves, and the part of it that the dump has. The name
// "group/*" stands for all kinds of a group that the store cannot describe now. It is not
// Listed. Kind is a value.
type Kind struct {
	graph.KindInfo
	// Listed says that the dump has every object of the kind. The owners of another kind
	// are not known to be missing. Reason says why the kind is not listed, such as
	// "forbidden".
	Listed bool
	Reason string
	// ListedIn is a scope of which the dump has every object of the kind, although it may lack
	// those of other scopes. It counts for a kind that is not Listed, and is "" for none.
	ListedIn string
	// Versions are the served versions of the kind, such as "v1". Nil stands for unknown
	// versions.
	Versions []string
}

// Object is one object of a dump, with the facts that its metadata has beside the graph's.
// It is a value.
type Object struct {
	graph.Object
	// MarkedAt is the instant of the deletion mark, or the zero time if it is unknown.
	MarkedAt time.Time
	// OwnerVersions are the versions of the owner references, in the order of Owners and
	// without the group, such as "v1beta1". Nil or an empty text stands for unknown.
	OwnerVersions []string
}

// ordered returns the objects in order of keys, and the first fault of the input.
func (in Input) ordered() ([]*Object, error) {
	list := make([]*Object, len(in.Objects))
	for i := range in.Objects {
		o := &in.Objects[i]
		if len(o.OwnerVersions) > len(o.Owners) {
			return nil, refused(o.Key, "ownerVersions", fmt.Sprintf("%d for %d owners", len(o.OwnerVersions), len(o.Owners)))
		}
		list[i] = o
	}
	slices.SortFunc(list, byKey)
	for i := 1; i < len(list); i++ {
		if a, b := list[i-1], list[i]; a.Place() == b.Place() {
			return nil, refused(b.Key, "name", fmt.Sprintf("two objects at one place, the other has the uid %q", short(string(a.UID))))
		}
	}
	return list, nil
}

// byKey is the order of graph.Key.Compare (TestByKey). It compares a further part only if the parts
// before are the same, since the sort is a third of the work of a check.
func byKey(a, b *Object) int {
	if a.Kind != b.Kind {
		return strings.Compare(string(a.Kind), string(b.Kind))
	}
	if a.Scope != b.Scope {
		return strings.Compare(a.Scope, b.Scope)
	}
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(string(a.UID), string(b.UID)))
}

// kinds returns the kinds by name, and the first fault.
func (in Input) kinds() (map[graph.Kind]*Kind, error) {
	byName := make(map[graph.Kind]*Kind, len(in.Kinds))
	for i := range in.Kinds {
		k := &in.Kinds[i]
		switch {
		case k.Kind == "":
			return nil, fmt.Errorf("check kinds[%d]: kind: empty: %w", i, graph.ErrInvalid)
		case byName[k.Kind] != nil:
			return nil, fmt.Errorf("check kinds[%d]: kind: %q is there twice: %w", i, short(string(k.Kind)), graph.ErrInvalid)
		case k.Listed && k.Unwatched:
			return nil, fmt.Errorf("check kinds[%d]: listed: kind %q is not watched: %w", i, short(string(k.Kind)), graph.ErrInvalid)
		}
		byName[k.Kind] = k
	}
	return byName, nil
}

func refused(k graph.Key, field, cause string) error {
	return fmt.Errorf("check %s: %s: %s: %w", short(k.String()), field, cause, graph.ErrInvalid)
}

const maxText = 200 // bytes of a name in a message

// short cuts a text that an outsider made for a message.
func short(s string) string {
	if len(s) > maxText {
		return strings.ToValidUTF8(s[:maxText], "") + "..."
	}
	return s
}

// lowerCase returns the kinds by the names that have no capital letters. Kubernetes takes
// such a name for the kind, and no other spelling. Of several kinds with one such name the
// least one has it.
func lowerCase(kinds map[graph.Kind]*Kind) map[graph.Kind]*Kind {
	lower := make(map[graph.Kind]*Kind, len(kinds))
	for name, kind := range kinds {
		at := strings.LastIndex(string(name), "/") + 1
		spelled := name[:at] + graph.Kind(strings.ToLower(string(name[at:])))
		if first := lower[spelled]; first == nil || name < first.Kind {
			lower[spelled] = kind
		}
	}
	return lower
}
