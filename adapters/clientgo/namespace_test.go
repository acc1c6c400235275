package clientgo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	protobufcodec "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// namespaces answers the requests for a fake's namespaces. They have a spec and are
// sent whole, as by an API server.
type namespaces struct {
	t       *testing.T
	live    map[string]*corev1.Namespace
	version int
	moved   func() // called once, after the first read
	put     []string
}

func withNamespaces(t *testing.T, f *fake, list ...*corev1.Namespace) *namespaces {
	n := &namespaces{t: t, live: map[string]*corev1.Namespace{}, version: 100}
	for _, o := range list {
		o.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}
		n.live[o.Name] = o
	}
	f.kinds = append(f.kinds, &fakeKind{kind: "Namespace", plural: "namespaces", versions: []string{"v1"}, objects: map[types.NamespacedName]*meta{}})
	f.fault = n.answer
	return n
}

func (n *namespaces) answer(r *http.Request) *fakeResponse {
	path, is := strings.CutPrefix(r.URL.Path, "/api/v1/namespaces")
	name, part, _ := strings.Cut(strings.Trim(path, "/"), "/")
	switch {
	case !is:
		return nil
	case strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata"):
		n.t.Errorf("%s %s asks for metadata alone", r.Method, r.URL.Path)
	case name == "" && r.URL.Query().Get("watch") != "":
		return n.watch()
	case name == "":
		list := corev1.NamespaceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NamespaceList"}}
		list.ResourceVersion = strconv.Itoa(n.version)
		for _, o := range n.live {
			list.Items = append(list.Items, *o)
		}
		return n.json(200, list)
	case n.live[name] == nil:
		return n.status(404, metav1.StatusReasonNotFound, name)
	case part == "finalize" && r.Method == http.MethodPut:
		return n.finalize(name, r)
	case part == "" && r.Method == http.MethodGet:
		out := n.json(200, n.live[name])
		if n.moved != nil {
			n.moved()
			n.moved = nil
		}
		return out
	}
	n.t.Errorf("%s %s: an unexpected request", r.Method, r.URL.Path)
	return n.status(500, metav1.StatusReasonInternalError, name)
}

// watch sends each object at a new version, and ends.
func (n *namespaces) watch() *fakeResponse {
	body := ""
	for _, o := range n.live {
		now := *o
		n.version++
		now.ResourceVersion = strconv.Itoa(n.version)
		body += `{"type":"MODIFIED","object":` + n.json(200, now).body + "}\n"
	}
	return &fakeResponse{code: 200, body: body}
}

func (n *namespaces) finalize(name string, r *http.Request) *fakeResponse {
	var in corev1.Namespace
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(raw, &in)
	}
	if err != nil {
		n.t.Error(err)
	}
	live := n.live[name]
	if in.ResourceVersion != live.ResourceVersion || in.UID != live.UID {
		return n.status(409, metav1.StatusReasonConflict, name)
	}
	n.put = append(n.put, fmt.Sprintf("%s labels %v metadata %v spec %v", name, in.Labels, in.Finalizers, in.Spec.Finalizers))
	n.version++
	in.ResourceVersion = strconv.Itoa(n.version)
	n.live[name] = &in
	if in.DeletionTimestamp != nil && len(in.Finalizers)+len(in.Spec.Finalizers) == 0 {
		delete(n.live, name)
	}
	return n.json(200, in)
}

func (n *namespaces) json(code int, o any) *fakeResponse {
	body, err := json.Marshal(o)
	if err != nil {
		n.t.Error(err)
	}
	return &fakeResponse{code: code, body: string(body)}
}

func (n *namespaces) status(code int32, reason metav1.StatusReason, name string) *fakeResponse {
	return n.json(int(code), metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: code, Reason: reason,
		Details: &metav1.StatusDetails{Name: name, Kind: "namespaces"},
	})
}

func space(name string, metadata, spec []string) *corev1.Namespace {
	o := &corev1.Namespace{}
	o.Name, o.UID, o.ResourceVersion, o.Labels = name, uidOf(name+"-uid"), "7", map[string]string{"team": "red"}
	o.Finalizers = metadata
	for _, f := range spec {
		o.Spec.Finalizers = append(o.Spec.Finalizers, corev1.FinalizerName(f))
	}
	return o
}

// TestNamespaceFinalizers: each read and watch reports the finalizers of a Namespace's
// metadata and spec. No other kind has a spec.
func TestNamespaceFinalizers(t *testing.T) {
	f := newFake(standardKinds()...)
	n := withNamespaces(t, f, space("a", []string{"x.io/f"}, []string{"kubernetes"}), space("b", nil, nil), space("c", nil, []string{"kubernetes", "x.io/other"}))
	want := map[string][]string{
		"a": {"x.io/f", NamespaceFinalizer}, "b": nil, "c": {NamespaceFinalizer, "spec.finalizers:x.io/other"},
	}
	bubble(t, f, Config{NoStreaming: true}, func(r *rig) {
		n.t = r.t
		r.watch()
		pass(time.Minute)
		r.mu.Lock()
		events := slices.Clone(r.events)
		r.mu.Unlock()
		seen := map[string]int{}
		for _, e := range events {
			if e.Type != graph.Put || e.Object.Kind != "Namespace" {
				continue
			}
			seen[e.Object.Name]++
			if got := e.Object.Finalizers; !slices.Equal(got, want[e.Object.Name]) {
				r.t.Errorf("%s is reported with %q, want %q", e.Object.Name, got, want[e.Object.Name])
			}
		}
		for name, f := range want {
			if seen[name] < 2 {
				r.t.Errorf("%s was reported %d times, want by the listing and by the watch", name, seen[name])
			}
			o, err := r.store.Get(r.t.Context(), graph.Key{Kind: "Namespace", Name: name})
			if err != nil || !slices.Equal(o.Finalizers, f) {
				r.t.Errorf("get %s: %q, %v, want %q", name, o.Finalizers, err, f)
			}
		}
	})
}

// TestFinalize: a change of the spec's finalizers goes to the finalize endpoint, under
// UID and version. The rest of the namespace does not change.
func TestFinalize(t *testing.T) {
	const other = "spec.finalizers:x.io/other"
	exact := graph.Precondition{UID: "a-uid", Version: "7"}
	for _, c := range []struct {
		metadata, spec string
		pre            graph.Precondition
		change         graph.Change
		moved          bool   // another client writes between the read and the write
		put            string // the written namespace, or ""
		want           error
		reason         string
	}{
		{"", "kubernetes", exact, graph.Change{DropFinalizer: NamespaceFinalizer}, false,
			"a labels map[team:red] metadata [] spec []", nil, "it is ended"},
		{"x.io/f", "kubernetes,x.io/other", exact, graph.Change{DropFinalizer: NamespaceFinalizer}, false,
			"a labels map[team:red] metadata [x.io/f] spec [x.io/other]", nil, "nothing else is taken away"},
		{"", "", exact, graph.Change{AddFinalizer: NamespaceFinalizer}, false,
			"a labels map[team:red] metadata [] spec [kubernetes]", nil, "a sweep guards one that was bare"},
		{"", "x.io/other", exact, graph.Change{AddFinalizer: NamespaceFinalizer, DropFinalizer: other}, false,
			"a labels map[team:red] metadata [] spec [kubernetes]", nil, "both at once"},
		{"", "", exact, graph.Change{DropFinalizer: NamespaceFinalizer}, false, "", nil, "another client has removed it: nothing changes"},
		{"", "kubernetes", exact, graph.Change{AddFinalizer: NamespaceFinalizer}, false, "", nil, "it is there already"},
		{"", "kubernetes", graph.Precondition{UID: "a-uid", Version: "6"}, graph.Change{DropFinalizer: NamespaceFinalizer}, false, "", graph.ErrConflict, "another version"},
		{"", "kubernetes", graph.Precondition{UID: "b-uid"}, graph.Change{DropFinalizer: NamespaceFinalizer}, false, "", graph.ErrConflict, "another incarnation"},
		{"", "", graph.Precondition{UID: "a-uid", Version: "6"}, graph.Change{DropFinalizer: NamespaceFinalizer}, false, "", graph.ErrConflict, "another version, and nothing to change"},
		{"", "kubernetes", exact, graph.Change{DropFinalizer: NamespaceFinalizer}, true, "", graph.ErrConflict, "upstream writes meanwhile: it is judged anew, and not tried again here"},
		{"", "kubernetes", graph.Precondition{UID: "a-uid"}, graph.Change{DropFinalizer: NamespaceFinalizer}, true,
			"a labels map[team:blue] metadata [] spec []", nil, "a patch without a version applies to any state"},
		{"x.io/f", "kubernetes", exact, graph.Change{DropFinalizer: NamespaceFinalizer, AddFinalizer: "x.io/g"}, false, "", graph.ErrRefused, "two endpoints cannot be written at once"},
		{"", "kubernetes", exact, graph.Change{DropFinalizer: NamespaceFinalizer, DropOwners: []graph.Owner{{Key: graph.Key{Kind: "Node", Name: "n", UID: "u"}}}}, false, "", graph.ErrRefused, "the same"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			f := newFake(standardKinds()...)
			n := withNamespaces(t, f, space("a", fields(c.metadata), fields(c.spec)))
			bubble(t, f, Config{}, func(r *rig) {
				n.t = r.t
				if c.moved {
					n.moved = func() {
						o := n.live["a"].DeepCopy()
						o.ResourceVersion, o.Labels["team"] = "8", "blue"
						n.live["a"] = o
					}
				}
				err := r.store.Patch(r.t.Context(), graph.Key{Kind: "Namespace", Name: "a", UID: "a-uid"}, c.pre, c.change)
				if c.want != nil {
					only(r.t, c.reason, err, c.want)
				} else if err != nil {
					r.t.Error(err)
				}
				if got := strings.Join(n.put, "; "); got != c.put {
					r.t.Errorf("written %q, want %q", got, c.put)
				}
			})
		})
	}
}

// TestFinalizeEnds: the change removes a marked namespace without other finalizers. A
// removed namespace is not found.
func TestFinalizeEnds(t *testing.T) {
	f := newFake(standardKinds()...)
	o := space("a", nil, []string{"kubernetes"})
	o.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	n := withNamespaces(t, f, o)
	bubble(t, f, Config{}, func(r *rig) {
		n.t = r.t
		k := graph.Key{Kind: "Namespace", Name: "a", UID: "a-uid"}
		drop := graph.Change{DropFinalizer: NamespaceFinalizer}
		if err := r.store.Patch(r.t.Context(), k, graph.Precondition{UID: "a-uid", Version: "7"}, drop); err != nil || len(n.live) != 0 {
			r.t.Errorf("finalize: %v, and there are %d namespaces", err, len(n.live))
		}
		only(r.t, "it is gone", r.store.Patch(r.t.Context(), k, graph.Precondition{UID: "a-uid", Version: "7"}, drop), graph.ErrNotFound)
		got := of(r.takeCalls(), "namespaces", "finalize", "get a")
		r.want(got, "get a", "put finalize", "get a")
	})
}

// TestExactPatchOfNamespace: the indexes of a metadata patch do not count the
// finalizers of the spec.
func TestExactPatchOfNamespace(t *testing.T) {
	c := buildCatalog(discovered{}, undiscovered{}, nil, newIgnored(nil))
	for _, x := range []struct {
		kind       graph.Kind
		finalizers []string
		change     graph.Change
		want       string
		reason     string
	}{
		{"Namespace", []string{NamespaceFinalizer}, graph.Change{AddFinalizer: "x.io/f"}, "add /metadata/finalizers [x.io/f]", "the list is not there"},
		{"Namespace", []string{"x.io/e", NamespaceFinalizer}, graph.Change{AddFinalizer: "x.io/f"}, "add /metadata/finalizers/- x.io/f", "it is"},
		{"Namespace", []string{"x.io/e", "orphan", NamespaceFinalizer}, graph.Change{DropFinalizer: "orphan"}, "test /metadata/finalizers/1 orphan, remove /metadata/finalizers/1 <nil>", "the places are the metadata's"},
		{"Pod", []string{NamespaceFinalizer}, graph.Change{AddFinalizer: "x.io/f"}, "add /metadata/finalizers/- x.io/f", "a pod has none in its spec"},
	} {
		m := named("", "a")
		m.UID, m.ResourceVersion, m.Finalizers = "u", "1", x.finalizers
		ops, err := c.exactPatch(c.objectOf(x.kind, &m), &m, x.change)
		var got []string
		for _, op := range ops[min(2, len(ops)):] {
			got = append(got, fmt.Sprint(op.Op, " ", op.Path, " ", op.Value))
		}
		if err != nil || strings.Join(got, ", ") != x.want {
			t.Errorf("%q, %v, want %q: %s", got, err, x.want, x.reason)
		}
	}
}

// TestCodecNamespaces: the codec reads a namespace with the finalizers of its metadata
// and spec, in protobuf and JSON, alone and in pages. A truncated or damaged message
// never gains a finalizer.
func TestCodecNamespaces(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	proto := protobufcodec.NewSerializer(scheme, scheme)
	_, info := protobuf(t)
	ours, other := info.Serializer, readerOfJSON(t)
	rapid.Check(t, func(t *rapid.T) {
		var items []corev1.Namespace
		var want []any
		for range rapid.IntRange(1, 3).Draw(t, "items") {
			m := drawMeta(t)
			m.ManagedFields = nil // the drawn bytes are not valid JSON, and the year is not either
			if m.DeletionTimestamp != nil {
				m.DeletionTimestamp = &metav1.Time{Time: time.Unix(1e9, 0)}
			}
			m.CreationTimestamp = metav1.Time{}
			o := corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: m.ObjectMeta}
			spec := rapid.SliceOfN(rapid.SampledFrom([]string{"kubernetes", "x.io/other"}), 0, 2).Draw(t, "spec")
			for _, f := range spec {
				o.Spec.Finalizers = append(o.Spec.Finalizers, corev1.FinalizerName(f))
			}
			o.Status.Phase = corev1.NamespaceActive
			m.Finalizers = append(slices.Clone(m.Finalizers), withSpecPrefix(spec)...)
			items, want = append(items, o), append(want, relevant(m))
		}
		list := &corev1.NamespaceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NamespaceList"}, Items: items}
		list.ResourceVersion, list.Continue = "12", "token"
		var one, page bytes.Buffer
		if err := proto.Encode(&items[0], &one); err != nil {
			t.Fatal(err)
		}
		if err := proto.Encode(list, &page); err != nil {
			t.Fatal(err)
		}
		inJSON, _ := json.Marshal(items[0])
		pageInJSON, _ := json.Marshal(list)
		for _, x := range []struct {
			by     runtime.Serializer
			data   []byte
			single bool
		}{{ours, one.Bytes(), true}, {ours, page.Bytes(), false}, {other, inJSON, true}, {other, pageInJSON, false}} {
			got, _, err := x.by.Decode(x.data, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if x.single && !reflect.DeepEqual(trim(got), want[0]) {
				t.Errorf("%+v\nwant\n%+v", trim(got), want[0])
			}
			if l, ok := got.(*metav1.PartialObjectMetadataList); !x.single && (!ok || l.ResourceVersion != "12" || l.Continue != "token" || len(l.Items) != len(items)) {
				t.Errorf("page %+v", got)
			} else if ok {
				for i := range l.Items {
					if !reflect.DeepEqual(relevant(l.Items[i]), want[i]) {
						t.Errorf("item %d: %+v\nwant\n%+v", i, l.Items[i], want[i])
					}
				}
			}
		}
		if m, _, err := ours.Decode(one.Bytes()[:rapid.IntRange(0, one.Len()-1).Draw(t, "length")], nil, nil); err == nil {
			if o, ok := m.(*meta); ok && len(o.Finalizers) > len(want[0].(meta).Finalizers) {
				t.Errorf("cut off, it has %q", o.Finalizers)
			}
		}
	})
}

func fields(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// readerOfJSON returns the JSON serializer of the codec.
func readerOfJSON(t *testing.T) runtime.Serializer {
	codecs := metainternal.Codecs.WithoutConversion()
	info, ok := runtime.SerializerInfoForMediaType(newMetadataCodec(codecs).SupportedMediaTypes(), runtime.ContentTypeJSON)
	if !ok {
		t.Fatal("no JSON")
	}
	return info.Serializer
}
