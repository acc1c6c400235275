package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	clientv3 "go.etcd.io/etcd/client/v3"
)

var (
	_ ownergraph.Store           = (*Store)(nil)
	_ ownergraph.Fencer          = (*Store)(nil)
	_ ownergraph.Lister          = (*Store)(nil)
	_ ownergraph.LabelSelector   = (*Store)(nil)
	_ ownergraph.VersionComparer = (*Store)(nil)
	_ ownergraph.Records         = (*Store)(nil)
	_ ownergraph.Batcher         = (*Store)(nil)
	_ ownergraph.Gracer          = (*Store)(nil)
)

// parse reads an object in the notation of package graph.
func parse(tb testing.TB, text string) graph.Object {
	tb.Helper()
	o, err := graph.ParseObject(text)
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

// create makes the object of a text without a UID.
func (r *rig) create(tb testing.TB, text string) graph.Object {
	tb.Helper()
	o := parse(tb, text)
	o.UID = ""
	made, err := r.Create(tb.Context(), Record{Object: o})
	if err != nil {
		tb.Fatal(err)
	}
	return made.Object
}

// oddCodec is a codec with the prefixes of a test.
type oddCodec struct {
	JSON
	prefixes map[graph.Kind]string
}

func (c oddCodec) Prefix(k graph.Kind) string { return c.prefixes[k] }

func TestNew(t *testing.T) {
	client := newRig(t, Config{}).client
	two := []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}
	for _, tc := range []struct {
		client       *clientv3.Client
		conf         Config
		want, reason string
	}{
		{client, Config{}, "", "the zero value works"},
		{client, Config{Kinds: testKinds()}, "", "so do kinds alone"},
		{nil, Config{}, "client: nil", "a late panic would be harder to find"},
		{client, Config{Kinds: []graph.KindInfo{{}}}, `Kinds[0] "": empty`, "a kind needs a name"},
		{client, Config{Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "a"}}}, `Kinds[1] "a": twice`, "one of them is wrong"},
		{client, Config{Kinds: []graph.KindInfo{{Kind: "a", Unwatched: true}}}, "Unwatched", "the store watches its whole prefix"},
		{client, Config{Propagation: map[graph.Kind]graph.Propagation{"a": 9}}, `Propagation["a"]`, "no guess"},
		{client, Config{PageSize: -1}, "PageSize", "a negative number"},
		{client, Config{MaxBytes: -1}, "MaxBytes", "a negative number"},
		{client, Config{Limits: graph.Limits{Text: -1}}, "Limits", "a negative number"},
		{client, Config{Kinds: two, Codec: oddCodec{prefixes: map[graph.Kind]string{"a": "x/", "b": "x/y/"}}}, "overlap", "objects of b would be listed as a"},
		{client, Config{Kinds: two, Codec: oddCodec{}}, "no prefix", "every key would be of the kind"},
		{client, Config{Kinds: two, Codec: oddCodec{prefixes: map[graph.Kind]string{"a": "ori", "b": "b/"}}}, "the store's own key", "the origin is no object"},
		{client, Config{Kinds: two, Codec: oddCodec{prefixes: map[graph.Kind]string{"a": ".rec", "b": "b/"}}}, "the keys of records", "a record is no object"},
		{client, Config{Kinds: two, Codec: oddCodec{prefixes: map[graph.Kind]string{"a": ".records/x", "b": "b/"}}}, "the keys of records", "nor is a part of them"},
		{client, Config{Kinds: two, Codec: oddCodec{prefixes: map[graph.Kind]string{"a": "records/", "b": ".records"}}}, "the keys of records", "a prefix without its end takes them too"},
		{client, Config{Kinds: two, Codec: oddCodec{prefixes: map[graph.Kind]string{"a": ".mem", "b": "b/"}}}, "the keys of a group", "a member is no object"},
		{client, Config{Kinds: two, Codec: oddCodec{prefixes: map[graph.Kind]string{"a": "records/", "b": ".x"}}}, "", "other keys are the user's"},
	} {
		_, err := New(tc.client, tc.conf)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("New(%+v): %v, want %q: %s", tc.conf, err, tc.want, tc.reason)
		}
	}
}

func TestCreate(t *testing.T) {
	r := newRig(t, Config{})
	r.create(t, "pod/ns/taken")
	for _, tc := range []struct {
		object string
		is     []error
		want   string
		reason string
	}{
		{"pod/ns/a[x] -> app/ns/b@u!", nil, "", "owners and finalizers are the writer's"},
		{"pod/ns/taken", []error{graph.ErrConflict}, "create pod/ns/taken: name: taken by uid", "one object for each place"},
		{"job/ns/a", []error{graph.ErrKindUnknown}, "create job/ns/a", "the kind is not served"},
		{"pod/a", []error{graph.ErrRefused, graph.ErrInvalid}, "create pod/a: scope: empty", "the kind is scoped"},
		{"node/ns/a", []error{graph.ErrRefused, graph.ErrInvalid}, "create node/ns/a: scope: given", "the kind is global"},
		{"pod/ns/b -> event/ns/e@u", []error{graph.ErrRefused, graph.ErrInvalid}, "create pod/ns/b: owners[0].kind: may not own", "events own nothing"},
		{"pod/ns/b~", []error{graph.ErrRefused}, "create pod/ns/b: deleting", "only a deletion sets the mark"},
	} {
		o := parse(t, tc.object)
		o.UID = ""
		made, err := r.Create(t.Context(), Record{Object: o, Labels: map[string]string{"a": "b"}, Payload: []byte("p")})
		for _, is := range tc.is {
			if !errors.Is(err, is) || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("Create(%s): %v, want %v %q: %s", tc.object, err, is, tc.want, tc.reason)
			}
		}
		if tc.is == nil {
			seen, readErr := r.Read(t.Context(), o.Key)
			if err != nil || readErr != nil || !seen.Object.Equal(made.Object) || seen.Labels["a"] != "b" || string(seen.Payload) != "p" {
				t.Errorf("Create(%s): %+v, %v, read as %+v, %v: %s", tc.object, made, err, seen, readErr, tc.reason)
			}
		}
	}
}

func TestUpdate(t *testing.T) {
	r := newRig(t, Config{})
	key := r.create(t, "pod/ns/a").Key
	var version graph.Version
	for _, tc := range []struct {
		labels          map[string]string
		payload         []byte
		wantL, wantP    string
		raises          bool
		reason          string
		finalizers, pre []string
	}{
		{map[string]string{"a": "b"}, []byte("one"), "map[a:b]", "one", true, "both are new", nil, nil},
		{nil, nil, "map[a:b]", "one", false, "nil keeps both, and nothing has changed", nil, nil},
		{nil, nil, "map[a:b]", "one", true, "nil keeps both beside a change", []string{"example.org/x"}, nil},
		{map[string]string{}, []byte{}, "map[]", "", true, "empty removes both", []string{"example.org/x"}, nil},
	} {
		made, err := r.Update(t.Context(), Record{Object: graph.Object{Key: key, Finalizers: tc.finalizers}, Labels: tc.labels, Payload: tc.payload})
		seen, readErr := r.Read(t.Context(), key)
		if err != nil || readErr != nil || fmt.Sprint(seen.Labels) != tc.wantL || string(seen.Payload) != tc.wantP || !seen.Object.Equal(made.Object) {
			t.Errorf("Update: %+v, %v, read as %+v, %v, want %s %q: %s", made, err, seen, readErr, tc.wantL, tc.wantP, tc.reason)
		}
		if raises := seen.Object.Version != version; raises != tc.raises {
			t.Errorf("Update: version %s after %s, want another one: %t: %s", seen.Object.Version, version, tc.raises, tc.reason)
		}
		version = seen.Object.Version
	}
}

func TestLabel(t *testing.T) {
	r := newRig(t, Config{})
	o := r.create(t, "pod/ns/a")
	many := map[string]string{}
	for i := range maxLabels + 1 {
		many[fmt.Sprint("l", i)] = ""
	}
	for _, tc := range []struct {
		pre    graph.Precondition
		labels map[string]string
		is     error
		reason string
	}{
		{graph.Precondition{Version: o.Version}, map[string]string{"example.org/a": "b", "c": ""}, nil, "the present version"},
		{graph.Precondition{Version: o.Version}, nil, graph.ErrConflict, "labels make a version"},
		{graph.Precondition{}, map[string]string{"a b": ""}, graph.ErrInvalid, "no selector can name it"},
		{graph.Precondition{}, map[string]string{"a": "b,c"}, graph.ErrInvalid, "a selector would read two requirements"},
		{graph.Precondition{}, map[string]string{"a in (b)": ""}, graph.ErrInvalid, "a selector is no label"},
		{graph.Precondition{}, many, graph.ErrInvalid, "labels are bounded"},
	} {
		if _, err := r.Label(t.Context(), o.Key, tc.pre, tc.labels); !errors.Is(err, tc.is) {
			t.Errorf("Label(%v): %v, want %v: %s", tc.labels, err, tc.is, tc.reason)
		}
	}
	if seen, err := r.Read(t.Context(), o.Key); err != nil || fmt.Sprint(seen.Labels) != "map[c: example.org/a:b]" {
		t.Errorf("%+v, %v: a refused write changes nothing", seen, err)
	}
}

func TestResolve(t *testing.T) {
	r := newRig(t, Config{})
	for _, tc := range []struct{ dependent, owner, want, reason string }{
		{"pod/ns/a", "app/b@u", "app/ns/b@u", "the owner is in the dependent's scope"},
		{"pod/ns/a", "app/other/b@u", "app/other/b@u", "the writer knows the scope"},
		{"pod/ns/a", "node/b@u", "node/b@u", "a global owner has no scope"},
		{"node/a", "app/b@u", "app/b@u?", "nothing tells the scope"},
		{"pod/ns/a", "job/b@u", "job/b@u?", "nothing tells whether the kind is scoped"},
	} {
		o := parse(t, tc.dependent+" -> "+tc.owner)
		got := r.resolve(o.Key, o.Owners[0])
		if want := parse(t, tc.dependent+" -> "+tc.want).Owners[0]; got != want {
			t.Errorf("%s -> %s: %+v, want %+v: %s", tc.dependent, tc.owner, got, want, tc.reason)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	for _, tc := range []struct {
		a, b   graph.Version
		want   int
		reason string
	}{
		{"9", "10", -1, "versions are numbers"},
		{"10", "10", 0, "the same"},
		{"11", "10", 1, "newer"},
		{"x", "1", -1, "no version is older than every version"},
	} {
		if got := (*Store)(nil).CompareVersions("", tc.a, tc.b); got != tc.want {
			t.Errorf("CompareVersions(%s, %s): %d, want %d: %s", tc.a, tc.b, got, tc.want, tc.reason)
		}
	}
}

// TestDeleteInOneRequest: a deletion of an object that a watch has shown costs one request.
// The state that the watch has shown decides nothing if it is old.
func TestDeleteInOneRequest(t *testing.T) {
	r := newRig(t, Config{Propagation: map[graph.Kind]graph.Propagation{"app": graph.Orphan}})
	w := watchOf(t, r.Store)
	w.until(t, "it is listed", listed(1))
	uid := func(o *graph.DeleteOptions) { o.Precondition.UID = "another" }
	for _, tc := range []struct {
		object   string
		options  func(*graph.DeleteOptions)
		requests int64
		is       error
		gone     bool
		reason   string
	}{
		{"pod/ns/a", nil, 1, nil, true, "nothing holds it"},
		{"pod/ns/b[example.org/x]", nil, 2, nil, false, "a finalizer holds it"},
		{"pod/ns/c", func(o *graph.DeleteOptions) { o.Propagation = graph.Foreground }, 2, nil, false, "a foreground deletion marks it"},
		{"pod/ns/d", func(o *graph.DeleteOptions) { o.GraceSeconds = new(int64); *o.GraceSeconds = 5 }, 2, nil, false, "a grace period marks it"},
		{"pod/ns/i", func(o *graph.DeleteOptions) { o.GraceAtMost = true }, 1, nil, true, "without a period there is none to keep"},
		{"pod/ns/j", func(o *graph.DeleteOptions) { o.GraceSeconds, o.GraceAtMost = new(int64), true }, 1, nil, true, "a period of 0 is none"},
		{"pod/ns/e", uid, 1, graph.ErrConflict, false, "another incarnation"},
		{"pod/ns/f", func(o *graph.DeleteOptions) { o.Precondition.Version = "1" }, 1, graph.ErrConflict, false, "another version"},
		{"pod/ns/g", func(o *graph.DeleteOptions) { o.Precondition.Version = "" }, 2, nil, true, "any version"},
		{"app/ns/h", func(o *graph.DeleteOptions) { o.Propagation = graph.Unset }, 2, nil, false, "the default of the kind marks it"},
	} {
		o := r.create(t, tc.object)
		w.until(t, "the watch reports "+tc.object, func(m *mirror) bool { return m.objects[o.Key].Equal(o) })
		options := exactly(o)
		if tc.options != nil {
			tc.options(&options)
		}
		before := r.commits.requests.Load()
		if err := r.Delete(t.Context(), o.Key, options); !errors.Is(err, tc.is) {
			t.Errorf("Delete(%s): %v, want %v: %s", tc.object, err, tc.is, tc.reason)
		}
		if n := r.commits.requests.Load() - before; n != tc.requests {
			t.Errorf("Delete(%s): %d requests, want %d: %s", tc.object, n, tc.requests, tc.reason)
		}
		if _, err := r.Get(t.Context(), o.Key); errors.Is(err, graph.ErrNotFound) != tc.gone {
			t.Errorf("Delete(%s): %v, want it gone: %t: %s", tc.object, err, tc.gone, tc.reason)
		}
	}
	r.staleDeletion(t)
}

// staleDeletion deletes by the version of a paused watch, after another handle has added a
// finalizer.
func (r *rig) staleDeletion(t *testing.T) {
	o, reached, free := r.create(t, "pod/ns/stale"), make(chan struct{}), make(chan struct{})
	stopped := false
	w := watchGated(t, r.Store, func(batch []graph.Event) {
		if !stopped && batch[len(batch)-1].Type != graph.KindsKnown {
			stopped = true
			close(reached)
			<-free
		}
	})
	defer w.cancel()
	defer close(free)
	<-reached
	other := r.another()
	if err := other.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "example.org/x"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Delete(t.Context(), o.Key, exactly(o)); !errors.Is(err, graph.ErrConflict) {
		t.Errorf("Delete by an old version: %v, want ErrConflict", err)
	}
	if seen, err := r.Get(t.Context(), o.Key); err != nil || seen.Deleting {
		t.Errorf("after a Delete by an old version: %v, %v", seen, err)
	}
}

// overtaken is a client of a server. Another writer overtakes its first read of an object.
type overtaken struct {
	clientv3.KV
	write func() // nil once it is done
}

func (o *overtaken) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if r, err := o.KV.Get(ctx, key); err == nil && len(r.Kvs) == 1 && o.write != nil && strings.HasSuffix(key, "blue") {
		write := o.write
		o.write = nil
		write()
	}
	return o.KV.Get(ctx, key, opts...)
}

// TestOvertakenOnKine: another writer changes or removes an object before its creator has read the
// version. The creator gets the version that it has made.
func TestOvertakenOnKine(t *testing.T) {
	for _, tc := range []struct {
		write  func(r *rig, k graph.Key) error
		reason string
	}{
		{func(r *rig, k graph.Key) error { return r.Delete(t.Context(), k, graph.DeleteOptions{}) }, "the object is gone"},
		{func(r *rig, k graph.Key) error {
			return r.Patch(t.Context(), k, graph.Precondition{}, graph.Change{AddFinalizer: "x"})
		}, "the object has another value"},
	} {
		r := newRig(t, Config{Kine: true})
		o, shown := parse(t, "node/blue"), graph.Version("")
		kv := &overtaken{KV: r.Store.kv, write: func() {
			live, err := r.Get(t.Context(), o.Key)
			if shown = live.Version; err == nil {
				err = tc.write(r, live.Key)
			}
			if err != nil {
				t.Error(err)
			}
		}}
		r.Store.kv = kv
		o.UID = ""
		made, err := r.Create(t.Context(), Record{Object: o})
		if err != nil || kv.write != nil || made.Object.Version != shown {
			t.Errorf("version %q, want %q, error %v: %s", made.Object.Version, shown, err, tc.reason)
		}
	}
}
