package e2e

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/processes"
)

// sharesSite is a namespace of the shared server with processes of examples/collector. Config maps
// own secrets. The audit log has the writes, and etcd has the history.
type sharesSite struct {
	w        *world
	program  string
	dir      string
	typed    *kubernetes.Clientset
	metadata metadata.Interface
}

func newSharesSite(t *testing.T) *sharesSite {
	t.Helper()
	w := enter(t, shared)
	var end context.CancelFunc
	w.ctx, end = context.WithTimeout(context.Background(), 30*time.Minute)
	t.Cleanup(end)
	t.Cleanup(w.clear)
	w.grantCollectors()
	s := &sharesSite{w: w, program: w.collectorProgram(), dir: t.TempDir(), metadata: metadata.NewForConfigOrDie(w.server.Admin())}
	proto := rest.CopyConfig(w.server.Admin())
	proto.ContentType = "application/vnd.kubernetes.protobuf"
	s.typed = kubernetes.NewForConfigOrDie(proto)
	t.Cleanup(s.clear)
	return s
}

// grantCollectors gives the users of the processes all rights.
func (w *world) grantCollectors() {
	w.t.Helper()
	var subjects []any
	for _, name := range collectorUsers() {
		subjects = append(subjects, map[string]any{"apiGroup": role.gvk.Group, "kind": "User", "name": name})
	}
	w.create(binding, w.ns,
		field(map[string]any{"apiGroup": role.gvk.Group, "kind": role.gvk.Kind, "name": "cluster-admin"}, "roleRef"),
		field(subjects, "subjects"))
}

// clear removes the objects. No collector runs.
func (s *sharesSite) clear() {
	for _, k := range []kind{configMap, secret} {
		opts := metav1.DeleteOptions{PropagationPolicy: new(background)}
		if err := s.metadata.Resource(k.at()).Namespace(s.w.ns).DeleteCollection(s.w.ctx, opts, metav1.ListOptions{}); err != nil {
			s.w.t.Errorf("clear: %v", err)
		}
	}
}

// Kinds returns the kinds of the objects, and the namespace.
func (s *sharesSite) Kinds() (owner, dependent graph.Kind, scope string) {
	return configMap.name(), secret.name(), s.w.ns
}

// Create makes a config map or a secret.
func (s *sharesSite) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	m := metav1.ObjectMeta{Name: o.Name, Namespace: o.Scope}
	for _, r := range o.Owners {
		m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{
			APIVersion: "v1", Kind: string(r.Kind), Name: r.Name, UID: types.UID(r.UID), BlockOwnerDeletion: new(r.Block),
		})
	}
	var made metav1.Object
	var err error
	if o.Kind == configMap.name() {
		made, err = s.typed.CoreV1().ConfigMaps(o.Scope).Create(ctx, &corev1.ConfigMap{ObjectMeta: m}, metav1.CreateOptions{})
	} else {
		made, err = s.typed.CoreV1().Secrets(o.Scope).Create(ctx, &corev1.Secret{ObjectMeta: m}, metav1.CreateOptions{})
	}
	if err == nil {
		o.UID = graph.UID(made.GetUID())
	}
	return o, err
}

// Delete deletes a config map.
func (s *sharesSite) Delete(ctx context.Context, key graph.Key, how graph.Propagation) error {
	policy := map[graph.Propagation]metav1.DeletionPropagation{graph.Background: background, graph.Foreground: foreground, graph.Orphan: orphan}[how]
	return s.typed.CoreV1().ConfigMaps(key.Scope).Delete(ctx, key.Name, metav1.DeleteOptions{
		PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: new(types.UID(key.UID))},
	})
}

// List returns the objects of the namespace.
func (s *sharesSite) List(ctx context.Context) (out []graph.Object, err error) {
	reader := s.w.reader()
	for _, k := range []kind{configMap, secret} {
		list, err := s.metadata.Resource(k.at()).Namespace(s.w.ns).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			out = append(out, reader.metadata(&list.Items[i], k.gvk))
		}
	}
	return out, nil
}

// Writes returns the writes that the server has answered.
func (s *sharesSite) Writes(context.Context) ([]processes.Write, error) {
	return auditedWrites(s.w.ns)
}

// Mark makes the history begin now.
func (s *sharesSite) Mark(context.Context) error {
	s.w.begun = s.w.revision()
	return nil
}

// Past returns the history of the namespace.
func (s *sharesSite) Past(context.Context) (before []graph.Object, changes []graph.Event, err error) {
	h := s.w.history()
	other := func(k graph.Key) bool {
		return k.Scope != s.w.ns || k.Kind != configMap.name() && k.Kind != secret.name()
	}
	before = slices.DeleteFunc(h.before, func(o graph.Object) bool { return other(o.Key) })
	changes = slices.DeleteFunc(h.events, func(e graph.Event) bool { return other(e.Key) && other(e.Object.Key) })
	return before, changes, nil
}
