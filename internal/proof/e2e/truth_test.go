package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
)

// The truth is the database: every state of every object, in one order. It judges a
// collector's writes, without regard to the events that any client got.

const registry = "/registry/"

// revision returns the present revision of the database.
func (w *world) revision() int64 {
	c := w.database()
	defer c.Close()
	now, err := c.Get(w.ctx, registry, clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		w.t.Fatal(err)
	}
	return now.Header.Revision
}

func (w *world) database() *clientv3.Client {
	c, err := w.server.Etcd()
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// judge compares the writes of the world's collectors with the history, and returns
// every breach. See package invariant for the rules.
func (w *world) judge() []string {
	h := w.history()
	writes := slices.Clone(w.others)
	for _, c := range w.collectors {
		writes = append(writes, c.book.succeeded()...)
	}
	return h.judge(writes)
}

func (h history) judge(writes []engine.Call) []string {
	ledger := invariant.NewLedger(h.before)
	caused := h.match(writes)
	var wrong []string
	for i, e := range h.events {
		for _, c := range caused[i] {
			if err := ledger.Judge(c); err != nil {
				wrong = append(wrong, fmt.Sprintf("revision %s: %v", h.revisions[i], err))
			}
		}
		ledger.Commit(e)
	}
	return wrong
}

// history has the changes of the database since a world began.
type history struct {
	before    []graph.Object
	events    []graph.Event
	revisions []graph.Version
}

// history reads it.
func (w *world) history() history {
	c := w.database()
	defer c.Close()
	end, err := c.Put(w.ctx, "/end-of-a-test", w.ns)
	if err != nil {
		w.t.Fatalf("read the past: %v", err)
	}
	r := w.reader()
	var h history
	old, err := c.Get(w.ctx, registry, clientv3.WithPrefix(), clientv3.WithRev(w.begun))
	if err != nil {
		w.t.Fatalf("read the past: %v", err)
	}
	for _, kv := range old.Kvs {
		if o, ok := r.object(kv.Value, kv.ModRevision); ok {
			h.before = append(h.before, o)
		}
	}
	watch := c.Watch(w.ctx, "/", clientv3.WithPrefix(), clientv3.WithRev(w.begun+1), clientv3.WithPrevKV())
	for {
		part, ok := <-watch
		if err := part.Err(); err != nil || !ok {
			w.t.Fatalf("read the past: %v", err)
		}
		for _, e := range part.Events {
			if e.Kv.ModRevision >= end.Header.Revision {
				return h
			}
			h.add(r, e)
		}
	}
}

func (h *history) add(r reader, e *clientv3.Event) {
	at := e.Kv.ModRevision
	if e.Type == clientv3.EventTypeDelete {
		if o, ok := r.object(e.PrevKv.Value, at); ok {
			h.events = append(h.events, graph.Event{Type: graph.Gone, Key: o.Key})
			h.revisions = append(h.revisions, o.Version)
		}
		return
	}
	if o, ok := r.object(e.Kv.Value, at); ok {
		h.events = append(h.events, graph.Event{Type: graph.Put, Object: o})
		h.revisions = append(h.revisions, o.Version)
	}
}

// match finds the event that each write of ours has caused. It is the first event of
// the object after the version on which the write was conditioned. Several writes may
// have none, since a marked object can be deleted again.
func (h history) match(writes []engine.Call) map[int][]engine.Call {
	type state struct {
		key     graph.Key
		version graph.Version
	}
	next := map[state]int{}
	last := map[graph.Key]graph.Version{}
	for _, o := range h.before {
		last[o.Key] = o.Version
	}
	for i, e := range h.events {
		key := e.Key
		if e.Type == graph.Put {
			key = e.Object.Key
		}
		next[state{key, last[key]}] = i
		last[key] = h.revisions[i]
	}
	out := map[int][]engine.Call{}
	for _, c := range writes {
		pre := c.Precondition
		if c.Type == engine.CallDelete {
			pre = c.Options.Precondition
		}
		if i, ok := next[state{c.Key, pre.Version}]; ok {
			out[i] = append(out[i], c)
		}
	}
	return out
}

// reader converts stored objects to the engine's objects, by rules of its own.
type reader struct {
	scoped map[schema.GroupVersionKind]bool
}

func (w *world) reader() reader {
	r := reader{map[schema.GroupVersionKind]bool{}}
	for _, k := range append([]kind{configMap, secret, node, namespace, pod, controller, definition, role, binding, volume}, w.kinds...) {
		r.scoped[k.gvk] = k.scoped
	}
	return r
}

// object reads a stored object.
func (r reader) object(raw []byte, revision int64) (graph.Object, bool) {
	m, gvk, ok := decoded(raw)
	if !ok || m.GetUID() == "" {
		return graph.Object{}, false // of the server's own
	}
	o := r.metadata(m, gvk)
	o.Version = graph.Version(strconv.FormatInt(revision, 10))
	return o, true
}

// metadata converts the metadata of an object, without its version.
func (r reader) metadata(m metav1.Object, gvk schema.GroupVersionKind) graph.Object {
	o := graph.Object{
		Key:        graph.Key{Kind: kind{gvk: gvk}.name(), Scope: m.GetNamespace(), Name: m.GetName(), UID: graph.UID(m.GetUID())},
		Finalizers: slices.Clone(m.GetFinalizers()),
		Deleting:   m.GetDeletionTimestamp() != nil,
		Generation: m.GetGeneration(),
	}
	for _, ref := range m.GetOwnerReferences() {
		o.Owners = append(o.Owners, r.owner(m.GetNamespace(), ref))
	}
	o.Owners = append(o.Owners, r.withPolicies(m, o.Kind)...)
	return o
}

// withPolicies returns the references of an object's annotation. A value of another object, and one
// that cannot be read, has none.
func (r reader) withPolicies(m metav1.Object, of graph.Kind) (out []graph.Owner) {
	var value struct {
		Dependent  struct{ Kind, Namespace, Name string }
		References []struct {
			metav1.OwnerReference
			OnDelete graph.OnDelete
		}
	}
	err := json.Unmarshal([]byte(m.GetAnnotations()[clientgo.OwnersAnnotation]), &value)
	if d := value.Dependent; err != nil || d.Kind != string(of) || d.Namespace != m.GetNamespace() || d.Name != m.GetName() {
		return nil
	}
	for _, ref := range value.References {
		owner := r.owner(m.GetNamespace(), ref.OwnerReference)
		owner.OnDelete = ref.OnDelete
		out = append(out, owner)
	}
	return out
}

func (r reader) owner(ns string, ref metav1.OwnerReference) graph.Owner {
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	o := graph.Owner{
		Key:   graph.Key{Kind: kind{gvk: gvk}.name(), Name: ref.Name, UID: graph.UID(ref.UID)},
		Block: ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion, Controller: ref.Controller != nil && *ref.Controller,
	}
	scoped, known := r.scoped[gvk]
	if scoped {
		o.Scope = ns
	}
	o.Unresolved = !known || scoped && ns == ""
	return o
}

// decoded decodes built-in kinds, and reads custom resources as they are.
func decoded(raw []byte) (metav1.Object, schema.GroupVersionKind, bool) {
	if strings.HasPrefix(string(raw), "{") {
		var m metav1.PartialObjectMetadata
		err := json.Unmarshal(raw, &m)
		return &m, m.GroupVersionKind(), err == nil
	}
	o, gvk, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	if err != nil {
		return nil, schema.GroupVersionKind{}, false
	}
	m, err := meta.Accessor(o)
	return m, *gvk, err == nil
}

// TestJudge: the judge sees a wrong deletion. Otherwise its silence would prove
// nothing.
func TestJudge(t *testing.T) {
	w := begin(t)
	owner := w.create(configMap, "owner")
	child := w.create(secret, "child", owned(owner))
	call := engine.Call{Type: engine.CallDelete, Key: graph.Key{Kind: "Secret", Scope: w.ns, Name: child.name, UID: graph.UID(child.uid)}}
	call.Options.Precondition = graph.Precondition{UID: graph.UID(child.uid), Version: graph.Version(w.read(child).GetResourceVersion())}
	w.delete(child, background)
	w.delete(owner, background)
	if wrong := w.history().judge([]engine.Call{call}); len(wrong) != 1 || !strings.Contains(wrong[0], "S1:") {
		t.Errorf("a dependent was deleted although its owner was there, and the judge says %q", wrong)
	}
}
