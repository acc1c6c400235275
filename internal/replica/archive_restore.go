package replica

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// RestoreEntries creates the objects of entries, and notes them there, in one step (RULES, A4). It returns the new keys
// in the order of the items, and the commits. An entry that was restored already gives its key of then, and creates
// nothing. Roots whose time began anew stay longer by it.
//
// Errors: ErrNotFound for a purged entry, *archive.TakenError for names, and those of Create.
//
//test:by TestRestoreEntries
func (s *State) RestoreEntries(items []archive.Item) ([]graph.Key, []Commit, error) {
	if s.conf.archive == nil {
		return nil, nil, fmt.Errorf("restore: the store has no archive: %w", graph.ErrRefused)
	}
	r := revival{s: s.Clone(), keys: make([]graph.Key, len(items)), made: map[graph.UID]graph.Key{}}
	if err := r.name(items); err != nil {
		return nil, nil, err
	}
	for i := range items {
		if err := r.create(i, &items[i]); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range r.done { // a ring exists as a whole only now
		if err := r.s.judgeOwners("restore", nil, *c.object); err != nil {
			return nil, nil, err
		}
	}
	*s = *r.s
	return r.keys, r.done, nil
}

// revival is one call of RestoreEntries, on a copy of the state.
type revival struct {
	s    *State
	keys []graph.Key // of the items, with their new UIDs
	made map[graph.UID]graph.Key
	done []Commit
}

// name gives each new object its UID, so that the members of a ring can name each other, and looks for their names. Two
// items with one name take it from each other. An item that is there twice is one.
func (r *revival) name(items []archive.Item) error {
	taken, first := map[graph.UID]graph.Key{}, map[graph.Key]graph.Key{}
	for i, item := range items {
		if k, again := r.made[item.UID]; again {
			r.keys[i] = k
			continue
		}
		e, ok := r.s.archived.entries.get(item.UID)
		if !ok {
			return fmt.Errorf("restore %s: no entry: %w", item.UID, graph.ErrNotFound)
		}
		if e.IsRestored() {
			r.keys[i], r.made[item.UID] = e.Restored, e.Restored
			continue
		}
		k := graph.Key{Kind: e.Object.Kind, Scope: item.Scope, Name: item.Name}
		t, err := r.s.table("restore", k)
		if err != nil {
			return err
		}
		by := first[k]
		if old, is := t.objects.get(k); is {
			by = old.Key
		}
		if by != (graph.Key{}) {
			taken[item.UID] = by
		}
		first[k] = e.Object.Key
		k.UID = r.s.nextUID(item.Owners)
		r.keys[i], r.made[item.UID] = k, k
	}
	if len(taken) > 0 {
		return &archive.TakenError{Taken: taken}
	}
	return nil
}

// create makes the object of one item.
func (r *revival) create(i int, item *archive.Item) error {
	const verb = "restore"
	e, _ := r.s.archived.entries.get(item.UID)
	if e.IsRestored() {
		return nil
	}
	o := graph.Object{Key: r.keys[i], Owners: r.owners(item)}
	t, _ := r.s.tables.get(o.Kind)
	if t.info.Scoped != (o.Scope != "") {
		return invalid(verb, o.Key, "scope", scopeRule(t.info))
	}
	o.UID = "" // Create takes none
	out, err := finalizer.Create(r.s.resolveAll(o), r.s.conf.limits)
	if err == nil {
		err = r.s.checkOwners(verb, out.Object)
	}
	if err == nil {
		err = r.s.admits(verb, o.Key)
	}
	if err != nil {
		return err
	}
	out.Object.UID = r.keys[i].UID
	if labels := r.s.labelsOf(item.UID); len(labels) > 0 {
		t.labels = t.labels.put(o.Place(), labels)
	}
	r.done = append(r.done, r.s.commit(t, out))
	r.s.noteRestored(e, r.keys[i], item.Root)
	return nil
}

// owners returns the references of a new object. An owner of the same call has another UID and perhaps another name.
func (r *revival) owners(item *archive.Item) (out []graph.Owner) {
	for _, o := range item.Owners {
		e, _ := r.s.archived.entries.get(o.UID)
		switch k, ok := r.made[o.UID]; {
		case ok && e.Object.Place() == o.Place():
			o.Key, o.Unresolved = k, false
		case ok:
			o.UID = k.UID
		}
		out = append(out, o)
	}
	return out
}

// noteRestored notes the new object in its entry. The time of an explicit entry begins anew, so that it outlives the
// restore of its set (RULES, A6).
func (s *State) noteRestored(e *archive.Entry, k graph.Key, root bool) {
	x := *e
	x.Explicit = x.Explicit || root
	if x.Restored = k; x.Explicit {
		x.Until = s.conf.archive.Until(x.Object.Kind, s.conf.now())
	}
	s.archived.restored++
	s.archived.entries = s.archived.entries.put(x.Object.UID, &x)
}

// String returns the end as the text of a page.
func (e end) String() string { return strconv.FormatInt(e.at, 10) + "/" + string(e.uid) }

func parseEnd(text string) (e end, err error) {
	if text == "" {
		return end{}, nil
	}
	at, uid, ok := strings.Cut(text, "/")
	if e.at, err = strconv.ParseInt(at, 10, 64); !ok || err != nil {
		return end{}, fmt.Errorf("read entries: After: %.40q is not of a page: %w: %w", text, graph.ErrRefused, graph.ErrInvalid)
	}
	e.uid = graph.UID(uid)
	return e, nil
}
