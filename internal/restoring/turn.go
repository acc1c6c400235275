package restoring

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// turn is the result of one look at the graph and the archive.
type turn struct {
	plan   archive.Plan
	living []graph.Object             // unmarked, and their references move
	moves  map[graph.UID]graph.Relink // Plan.Back, by the former UIDs
}

// look reads the entries, and computes the set.
func look(ctx context.Context, s Entries, g Graph, r archive.Request) (turn, error) {
	var t turn
	entries, states, err := readWorld(ctx, s, g, r.Roots)
	if err != nil {
		return t, err
	}
	checkRestored(entries, states)
	t.plan.Set = archive.SetOf(archive.World{
		Entries: entries,
		Lives:   func(u graph.UID) bool { x, ok := states[u]; return ok && !x.marked },
		Ends:    func(u graph.UID) bool { return states[u].marked },
	}, r)
	if err := checkPlaces(g, t.plan.Members); err != nil {
		return t, err
	}
	t.moves = movesOf(t.plan.Back)
	nameNotEnded(g, states, t.plan.Refused)
	for _, k := range t.plan.Ending {
		t.plan.Waits = append(t.plan.Waits, archive.Waiting{Key: k, Finalizers: g.object(k).Finalizers})
	}
	t.plan.Taken, err = stillTaken(ctx, s, taken(g, t.plan.Members, entries))
	return t, err
}

// nameNotEnded fills in the present objects of the roots that have not ended. The list stays in order.
//
//test:by TestRootNotEnded
func nameNotEnded(g Graph, states map[graph.UID]state, refused []archive.Left) {
	for i, x := range refused {
		if x.Why == archive.NotEnded {
			is := states[x.Entry.Object.UID]
			o := g.object(is.key)
			if o.UID == "" { // it has ended since
				o = graph.Object{Key: is.key, Deleting: is.marked}
			}
			refused[i].Entry = &archive.Entry{Object: o}
		}
	}
	slices.SortFunc(refused, func(a, b archive.Left) int {
		return cmp.Or(a.Entry.Object.Key.Compare(b.Entry.Object.Key), cmp.Compare(a.Why, b.Why))
	})
}

// readWorld returns the entries, and the states of the roots and of the objects that the entries name. The entries may be
// newer than the graph: an object that another restore has just made has no entry, and is not in the graph. A fence tells.
// After it, an object that is in neither ended since, and the entries are read again, or its entry was purged. The same goes
// for a root that ends after its entry was looked for.
//
//test:by TestRestoreBesideAnother TestRestoreAfterAnother TestRootNotEnded
func readWorld(ctx context.Context, s Entries, g Graph, roots []graph.UID) ([]archive.Entry, map[graph.UID]state, error) {
	purged := map[graph.UID]bool{}
	for {
		entries, err := readEntries(ctx, s, roots)
		if err != nil {
			return nil, nil, err
		}
		states, err := statesOf(ctx, g, roots, entries)
		if err != nil {
			return nil, nil, err
		}
		unknown := unknownOf(roots, entries, states, purged)
		if len(unknown) == 0 {
			return entries, states, nil
		}
		if err := g.Observe(ctx); err != nil {
			return nil, nil, err
		}
		if states, err = statesOf(ctx, g, roots, entries); err != nil {
			return nil, nil, err
		}
		if unknown = unknownOf(roots, entries, states, purged); len(unknown) == 0 {
			return entries, states, nil
		}
		for _, uid := range unknown {
			purged[uid] = true
		}
	}
}

// unknownOf returns the roots and the restored objects that have no state and no entry.
func unknownOf(roots []graph.UID, entries []archive.Entry, states map[graph.UID]state, purged map[graph.UID]bool) (uids []graph.UID) {
	ended := make(map[graph.UID]bool, len(entries))
	for i := range entries {
		ended[entries[i].Object.UID] = true
	}
	look := func(uid graph.UID) {
		if _, known := states[uid]; !known && uid != "" && !ended[uid] && !purged[uid] {
			uids = append(uids, uid)
		}
	}
	for _, uid := range roots {
		look(uid)
	}
	for i := range entries {
		look(entries[i].Restored.UID)
	}
	return uids
}

// stillTaken leaves the members out that another restore has brought back since the entries were read. It has their names
// for them.
func stillTaken(ctx context.Context, s Entries, names []archive.Taken) (out []archive.Taken, err error) {
	uids := make([]graph.UID, len(names))
	for i := range names {
		uids[i] = names[i].Member.UID
	}
	r := reader{entries: s, seen: map[graph.UID]bool{}}
	if err := r.byUIDs(ctx, uids); err != nil {
		return nil, err
	}
	back := map[graph.UID]bool{}
	for i := range r.all {
		back[r.all[i].Object.UID] = r.all[i].IsRestored()
	}
	for _, x := range names {
		if !back[x.Member.UID] {
			out = append(out, x)
		}
	}
	return out, nil
}

// former returns the former UIDs of the set: of the objects that are back, and of those to come. They are sorted.
func (t *turn) former() (uids []graph.UID) {
	for _, l := range t.plan.Back {
		uids = append(uids, l.From.UID)
	}
	for _, m := range t.plan.Members {
		uids = append(append(uids, m.Entry.Object.UID), m.Former...)
	}
	slices.Sort(uids)
	return uids
}

// name notes the living objects that name a former key of the set.
func (t *turn) name(objects []graph.Object) {
	for _, o := range objects {
		switch {
		case o.Deleting:
			t.plan.Waits = append(t.plan.Waits, archive.Waiting{Key: o.Key, Finalizers: slices.Clone(o.Finalizers)})
		case len(t.relinksOf(&o)) > 0:
			t.living = append(t.living, o)
			fallthrough
		default:
			t.plan.Relinks = append(t.plan.Relinks, o.Key)
		}
	}
}

// relinksOf returns the moves of an object's references to objects that are back.
func (t *turn) relinksOf(o *graph.Object) (out []graph.Relink) {
	for _, r := range o.Owners {
		if l, ok := t.moves[r.UID]; ok && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// movesOf returns moves by their former UIDs.
func movesOf(list []graph.Relink) map[graph.UID]graph.Relink {
	out := make(map[graph.UID]graph.Relink, len(list))
	for _, l := range list {
		out[l.From.UID] = l
	}
	return out
}

func (t *turn) takenError() error {
	e := &archive.TakenError{Taken: map[graph.UID]graph.Key{}}
	for _, x := range t.plan.Taken {
		e.Taken[x.Member.UID] = x.By
	}
	return e
}

// checkRestored makes an entry unreadable if its note of the restored object has the UID of another one. An object keeps its
// place, so the note was edited by hand. References would follow it to the wrong owner.
//
//test:by TestForgedNote
func checkRestored(entries []archive.Entry, states map[graph.UID]state) {
	for i := range entries {
		e := &entries[i]
		if x, there := states[e.Restored.UID]; e.IsRestored() && there && x.key != e.Restored {
			e.Unreadable = fmt.Sprintf("the restored object is %s in the entry, and %s has its UID", e.Restored, x.key)
			e.Restored = graph.Key{}
		}
	}
}

// statesOf returns the state of each root, owner and restored object that is there, by UID.
func statesOf(ctx context.Context, g Graph, roots []graph.UID, entries []archive.Entry) (map[graph.UID]state, error) {
	uids := slices.Clone(roots)
	var keys []graph.Key
	for i := range entries {
		e := &entries[i]
		uids = append(append(uids, e.Names()...), e.Restored.UID)
		keys = append(keys, e.Restored, e.Cause.Holder)
		for _, o := range e.Object.Owners {
			keys = append(keys, o.Key)
		}
	}
	slices.Sort(uids)
	states := g.states(slices.Compact(uids))
	return states, g.unobserved(ctx, keys, states)
}

// checkPlaces returns the error of the first member whose place no object of its kind can have, by the words of
// archive.Request.Rename. The store would refuse the call of that member alone, after those before it.
//
//test:by TestRestoreUnsoundPlace
func checkPlaces(g Graph, members []archive.Member) error {
	scoped, known := map[graph.Kind]bool{}, map[graph.Kind]bool{}
	for i := range members {
		kind := members[i].Entry.Object.Kind
		if _, asked := known[kind]; asked {
			continue
		}
		g.Look(func(now *graph.Graph) {
			k, _ := now.Kind(kind)
			scoped[kind], known[kind] = k.Scoped, k.Known
		})
	}
	for i := range members {
		m := &members[i]
		var err error
		if m.Place() != m.Entry.Object.Place() { // the limits of the store may be wider, and have taken the former one
			err = graph.Validate(graph.Object{Key: m.Place()}, graph.Limits{})
		}
		switch kind := m.Entry.Object.Kind; {
		case err != nil:
		case known[kind] && !scoped[kind] && m.Scope != "":
			err = fmt.Errorf("scope: %.80q given, and the kind is global: %w", m.Scope, graph.ErrInvalid)
		case known[kind] && scoped[kind] && m.Scope == "":
			err = fmt.Errorf("scope: missing, and the kind is scoped: %w", graph.ErrInvalid)
		}
		if err != nil {
			return fmt.Errorf("the place of the new %s: %w", m.Entry.Object.Key, err)
		}
	}
	return nil
}

// taken returns the members whose place another object has. Two members of one place take it from each other. The graph may
// still show an object that has an entry.
func taken(g Graph, members []archive.Member, entries []archive.Entry) (out []archive.Taken) {
	places, first := make([]graph.Key, len(members)), map[graph.Key]graph.Key{}
	ended := make(map[graph.UID]bool, len(entries))
	for i := range entries {
		ended[entries[i].Object.UID] = true
	}
	for i := range members {
		places[i] = members[i].Place()
	}
	for i, by := range g.occupants(places) {
		m := members[i].Entry.Object.Key
		if by == (graph.Key{}) || ended[by.UID] {
			by = first[places[i]]
		}
		if by != (graph.Key{}) {
			out = append(out, archive.Taken{Member: m, By: by})
		}
		first[places[i]] = m
	}
	return out
}
