package replica

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"pgregory.net/rapid"
)

// model is a simple State with one map and the rules of package finalizer. The State
// under test runs beside it.
type model struct {
	state   *State
	objects map[graph.Key]graph.Object // by place
	kinds   map[graph.Kind]bool        // whether it is served
	sick    map[graph.Kind]bool
	version uint64
	used    map[graph.UID]bool
	// clone is an earlier state without later writes, and before has its objects.
	clone    *State
	before   []graph.Object
	snapshot Snapshot
	then     map[graph.Key]graph.Object
	served   map[graph.Kind]bool
}

var (
	modelKinds = []graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true}, {Kind: "rs", Scoped: true}}
	places     = rapid.SampledFrom([]graph.Key{
		{Kind: "node", Name: "a"}, {Kind: "node", Name: "b"}, {Kind: "pod", Scope: "x", Name: "a"},
		{Kind: "pod", Scope: "x", Name: "b"}, {Kind: "pod", Scope: "y", Name: "a"}, {Kind: "rs", Scope: "x", Name: "a"},
	})
	someKinds = rapid.SampledFrom(modelKinds)
	names     = rapid.SampledFrom([]string{"x", "y", graph.FinalizerOrphan, graph.FinalizerForeground})
	uids      = rapid.SampledFrom([]graph.UID{"u1", "u2", "u3", "u4", "u5", "u6"})
	refs      = rapid.Custom(func(t *rapid.T) graph.Owner {
		key := places.Draw(t, "owner")
		key.UID = uids.Draw(t, "owner uid")
		return graph.Owner{Key: key, Block: rapid.Bool().Draw(t, "block"), OnDelete: graph.OnDelete(rapid.IntRange(0, 2).Draw(t, "policy"))}
	})
	options = rapid.Custom(func(t *rapid.T) graph.DeleteOptions {
		o := graph.DeleteOptions{Propagation: rapid.SampledFrom([]graph.Propagation{0, 1, 2, 3}).Draw(t, "propagation")}
		if rapid.Bool().Draw(t, "with grace") {
			grace := rapid.Int64Range(0, 2).Draw(t, "grace")
			o.GraceSeconds = &grace
		}
		return o
	})
)

// TestStateAgainstModel: in any order of writes, the state and the model have the same
// objects and answers. Versions rise, and a UID never comes back. A clone or a snapshot
// never contains a later write.
func TestStateAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state, err := New(Config{Kinds: modelKinds, UIDPrefix: "u"})
		if err != nil {
			t.Fatal(err)
		}
		m := &model{state: state, objects: map[graph.Key]graph.Object{}, sick: map[graph.Kind]bool{}, used: map[graph.UID]bool{},
			kinds: map[graph.Kind]bool{"node": true, "pod": true, "rs": true}}
		m.mark()
		t.Repeat(map[string]func(*rapid.T){
			"create": m.create, "update": m.update, "patch": m.patch, "delete": m.delete, "again": m.delete, "more": m.create,
			"get": m.get, "kind": m.kind, "mark": func(*rapid.T) { m.mark() }, "restore": m.restore, "": m.check,
		})
	})
}

func (m *model) mark() {
	m.clone, m.before = m.state.Clone(), m.state.Objects()
	m.snapshot, m.then, m.served = m.state.Snapshot(), maps.Clone(m.objects), maps.Clone(m.kinds)
}

// expects returns the error of a write that fails before any rule of finalizers. Create
// and Update reach a sick kind.
func (m *model) expects(place graph.Key, reaches bool) error {
	_, there := m.objects[place]
	switch {
	case !m.kinds[place.Kind]:
		return graph.ErrKindUnknown
	case m.sick[place.Kind] && !reaches:
		return ErrSick
	case !there:
		return graph.ErrNotFound
	}
	return nil
}

func (m *model) get(t *rapid.T) {
	place := places.Draw(t, "place")
	got, err := m.state.Get(place)
	want := m.expects(place, false)
	if same(t, err, want); want == nil && !got.Equal(m.objects[place]) {
		t.Fatalf("Get(%v): %v, want %v", place, got, m.objects[place])
	}
}

func (m *model) create(t *rapid.T) {
	o := graph.Object{
		Key:        places.Draw(t, "place"),
		Owners:     rapid.SliceOfNDistinct(refs, 0, 2, func(r graph.Owner) graph.UID { return r.UID }).Draw(t, "owners"),
		Finalizers: rapid.SliceOfNDistinct(names, 0, 2, rapid.ID).Draw(t, "finalizers"),
	}
	want := m.expects(o.Key, true)
	switch {
	case want == nil:
		want = graph.ErrConflict
	case want == graph.ErrNotFound:
		want = nil
	}
	if err := m.sound(o); err != nil && want != graph.ErrKindUnknown {
		want = err
	}
	e, got, err := apart(m.state.Create(o))
	if same(t, err, want); err != nil {
		return
	}
	if m.used[got.UID] || slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID == got.UID }) {
		t.Fatalf("Create(%v) made a UID that was used, or is its owner's: %v", o, got)
	}
	m.used[got.UID] = true
	o.UID, o.Generation, o.Owners = got.UID, 1, m.resolve(o)
	m.wrote(t, e, got, finalizer.Outcome{Effect: finalizer.Stored, Object: o})
}

// resolve repeats the rule of the package comment.
func (m *model) resolve(o graph.Object) []graph.Owner {
	list := slices.Clone(o.Owners)
	for i, r := range list {
		list[i].Unresolved = r.Unresolved || !m.kinds[r.Kind]
	}
	return list
}

func (m *model) sound(o graph.Object) error { return graph.Validate(o, graph.Limits{}) }

func (m *model) update(t *rapid.T) {
	place := places.Draw(t, "place")
	o := m.objects[place].Clone()
	o.Key = place
	o.Version = rapid.SampledFrom([]graph.Version{"", o.Version, "no"}).Draw(t, "version")
	o.Finalizers = rapid.SliceOfNDistinct(names, 0, 2, rapid.ID).Draw(t, "finalizers")
	o.ObservedGeneration = o.Generation
	out, want := finalizer.Outcome{}, m.expects(place, true)
	if want == nil {
		o.Owners = m.resolve(o)
		if out, want = finalizer.Update(m.objects[place], o); out.Effect == finalizer.Stored {
			want = m.sound(out.Object)
		}
	}
	e, got, err := apart(m.state.Update(o))
	m.judge(t, e, got, err, out, want)
}

func (m *model) patch(t *rapid.T) {
	place := places.Draw(t, "place")
	c := graph.Change{
		DropFinalizer: names.Draw(t, "drop"),
		AddFinalizer:  rapid.OneOf(rapid.Just(""), names).Draw(t, "add"),
	}
	if live := m.objects[place]; len(live.Owners) > 0 && rapid.Bool().Draw(t, "drop owner") {
		c.DropOwners = live.Owners[:1]
	}
	pre := graph.Precondition{Version: rapid.SampledFrom([]graph.Version{"", m.objects[place].Version}).Draw(t, "version")}
	out, want := finalizer.Outcome{}, m.expects(place, false)
	if want == nil {
		if out, want = finalizer.Patch(m.objects[place], pre, c); out.Effect == finalizer.Stored && c.AddFinalizer != "" {
			want = m.sound(out.Object)
		}
	}
	e, got, err := apart(m.state.Patch(place, pre, c))
	m.judge(t, e, got, err, out, want)
}

func (m *model) delete(t *rapid.T) {
	place, opts := places.Draw(t, "place"), options.Draw(t, "options")
	out, want := finalizer.Outcome{}, m.expects(place, false)
	if want == nil {
		out, want = finalizer.Delete(m.objects[place], opts, graph.Unset)
	}
	e, got, err := apart(m.state.Delete(place, opts))
	m.judge(t, e, got, err, out, want)
}

// judge compares a write with the model.
func (m *model) judge(t *rapid.T, e graph.Event, got graph.Object, err error, out finalizer.Outcome, want error) {
	same(t, err, want)
	if err == nil {
		m.wrote(t, e, got, out)
	}
}

// same compares two errors by their sentinels.
func same(t *rapid.T, err, want error) {
	for _, is := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrInvalid, ErrSick} {
		if errors.Is(err, is) != errors.Is(want, is) {
			t.Fatalf("the call: %v, want %v", err, want)
		}
	}
	if (err == nil) != (want == nil) {
		t.Fatalf("the call: %v, want %v", err, want)
	}
}

func (m *model) wrote(t *rapid.T, e graph.Event, got graph.Object, out finalizer.Outcome) {
	o := out.Object
	types := map[finalizer.Effect]graph.EventType{finalizer.Stored: graph.Put, finalizer.Removed: graph.Gone}
	if out.Effect != finalizer.Unchanged {
		m.version++
	}
	switch out.Effect {
	case finalizer.Stored:
		o.Version = graph.Version(strconv.FormatUint(m.version, 10))
		m.objects[o.Place()] = o
	case finalizer.Removed:
		delete(m.objects, o.Place())
	}
	if e.Type != types[out.Effect] || !got.Equal(o) || e.Type == graph.Put && !e.Object.Equal(o) || e.Type == graph.Gone && e.Key != o.Key {
		t.Fatalf("the write: %v %v %v %v, want %v %v", e.Type, e.Object, e.Key, got, out.Effect, o)
	}
}

func (m *model) kind(t *rapid.T) {
	info := someKinds.Draw(t, "kind")
	k, served := info.Kind, m.kinds[info.Kind]
	var want, err error
	if !served {
		want = graph.ErrKindUnknown
	}
	switch rapid.SampledFrom([]string{"add", "remove", "sicken", "recover"}).Draw(t, "step") {
	case "add":
		want, err, m.kinds[k] = nil, m.state.AddKind(info), true
	case "remove":
		err, m.kinds[k], m.sick[k] = m.state.RemoveKind(k), false, false
	case "sicken":
		err, m.sick[k] = m.state.Sicken(k, "test"), served
	case "recover":
		err, m.sick[k] = m.state.Recover(k), false
	}
	same(t, err, want)
}

func (m *model) restore(t *rapid.T) {
	if err := m.state.Restore(m.snapshot); err != nil {
		t.Fatal(err)
	}
	m.objects, m.kinds = maps.Clone(m.then), maps.Clone(m.served)
	for k := range m.sick {
		m.sick[k] = m.sick[k] && m.kinds[k]
	}
	m.version++ // that of the restore
	for _, place := range slices.SortedFunc(maps.Keys(m.objects), graph.Key.Compare) {
		m.version++
		o := m.objects[place]
		o.Version = graph.Version(strconv.FormatUint(m.version, 10))
		m.objects[place] = o
	}
}

func (m *model) check(t *rapid.T) {
	var want []graph.Object
	for _, o := range m.objects {
		if m.kinds[o.Kind] {
			want = append(want, o)
		}
	}
	slices.SortFunc(want, func(a, b graph.Object) int { return cmp.Or(a.Key.Compare(b.Key)) })
	if got := m.state.Objects(); !slices.EqualFunc(got, want, graph.Object.Equal) {
		t.Fatalf("has:\n%s\nwant:\n%s", graph.Format(got), graph.Format(want))
	}
	if got := m.clone.Objects(); !slices.EqualFunc(got, m.before, graph.Object.Equal) {
		t.Fatalf("a clone has:\n%s\nwant:\n%s", graph.Format(got), graph.Format(m.before))
	}
	if got, want := m.state.Version(), graph.Version(strconv.FormatUint(m.version, 10)); got != want {
		t.Fatalf("Version() = %s, want %s", got, want)
	}
}
