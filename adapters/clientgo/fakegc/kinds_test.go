package fakegc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/ownergraph/ownergraph/graph"
)

// notes is a test that records its failure.
type notes struct {
	testing.TB
	fatal string
	lines []string
}

func (n *notes) Helper()                   {}
func (n *notes) Logf(f string, a ...any)   { n.lines = append(n.lines, fmt.Sprintf(f, a...)) }
func (n *notes) Fatalf(f string, _ ...any) { n.fatal = f }
func (n *notes) failed(t *testing.T, want bool, why string) {
	t.Helper()
	if (n.fatal != "") != want {
		t.Errorf("the test was ended: %v, want %v: %s", !want, want, why)
	}
}

func TestNew(t *testing.T) {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Team"}, meta.RESTScopeRoot)
	for _, c := range []struct {
		builder *fake.ClientBuilder
		ends    bool
		reason  string
	}{
		{fake.NewClientBuilder(), false, "an empty one"},
		{fake.NewClientBuilder().WithObjects(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}), true, "no server has a Pod without a namespace"},
		{fake.NewClientBuilder().WithObjects(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "x"}}), true, "nor a Node with one"},
		{fake.NewClientBuilder().WithObjects(custom("Team", "", "t"), custom("Team", "", "u")), false, "a custom kind's first object says that it is global"},
		{fake.NewClientBuilder().WithObjects(custom("Team", "", "t"), custom("Team", "x", "t")), true, "and the next one has to be as well"},
		{fake.NewClientBuilder().WithRESTMapper(mapper).WithObjects(custom("Team", "x", "t")), true, "the mapper says that it has no namespaces"},
	} {
		n := &notes{}
		s := fresh(t)
		s.AddKnownTypeWithName(custom("Team", "", "").GroupVersionKind(), &unstructured.Unstructured{})
		s.AddKnownTypeWithName(custom("TeamList", "", "").GroupVersionKind(), &unstructured.UnstructuredList{})
		New(n, c.builder.WithScheme(s).Build())
		n.failed(t, c.ends, c.reason)
	}
	if _, err := newStore(nil); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("a store of nothing: %v", err)
	}
}

// custom returns an object of a kind without a type.
func custom(kind, namespace, name string, owners ...*unstructured.Unstructured) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: kind})
	o.SetNamespace(namespace)
	o.SetName(name)
	for _, owner := range owners {
		o.SetOwnerReferences(append(o.GetOwnerReferences(), *metav1.NewControllerRef(owner, owner.GroupVersionKind())))
	}
	return o
}

func TestScopes(t *testing.T) {
	r := &rig{T: t}
	r.WithWatch, r.gc = New(t, fake.NewClientBuilder().WithScheme(fresh(t)).Build())
	r.make(custom("Team", "", "first"), custom("Member", "a", "first"))
	for _, c := range []struct {
		object client.Object
		taken  bool
		reason string
	}{
		{custom("Team", "a", "t"), false, "its first object had no namespace"},
		{custom("Team", "", "t"), true, "nor has this"},
		{custom("Member", "", "m"), false, "its first object had one"},
		{custom("Member", "b", "m"), true, "so has this"},
		{&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, false, "a Pod has a namespace"},
		{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "x"}}, false, "a Namespace has none"},
	} {
		err := r.Create(t.Context(), c.object)
		if c.taken && err != nil || !c.taken && !apierrors.IsBadRequest(err) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

// TestCustomKinds: kinds without a type, of both scopes, cascade like any other. A
// collector learns a kind whose first object comes during its watch.
func TestCustomKinds(t *testing.T) {
	r := &rig{T: t}
	r.WithWatch, r.gc = New(t, fake.NewClientBuilder().WithScheme(fresh(t)).Build())
	seen := make(chan graph.Event, 1000)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- r.gc.Store().Watch(ctx, func(batch []graph.Event) error {
			for _, e := range batch {
				if e.Type == graph.Put {
					seen <- e
				}
			}
			return nil
		})
	}()
	team := custom("Team", "", "team")
	r.make(team)
	member := custom("Member", "a", "member", team)
	r.make(member)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "pod"}}
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(member, member.GroupVersionKind())}
	r.make(pod)
	for names := map[string]bool{}; !names["team"] || !names["member"] || !names["pod"]; {
		e := <-seen
		names[e.Object.Name] = true
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r.collect()
	r.end(team, client.PropagationPolicy(metav1.DeletePropagationForeground))
	r.collect()
	for _, o := range []client.Object{team, member, pod} {
		if err := r.Get(t.Context(), client.ObjectKeyFromObject(o), o); !apierrors.IsNotFound(err) {
			t.Errorf("%s: %v", o.GetName(), err)
		}
	}
}

// TestUnknownToScheme: an unstructured object of a kind outside of the scheme takes
// part from its first use, which may be a read.
func TestUnknownToScheme(t *testing.T) {
	team := custom("Team", "", "team")
	team.SetUID("team")
	r := &rig{T: t}
	r.WithWatch, r.gc = New(t, fake.NewClientBuilder().WithScheme(fresh(t)).WithObjects(team, custom("Team", "", "of-team", team)).Build())
	child := configMap("child")
	child.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(team, team.GroupVersionKind())}
	r.make(child)
	var held *HeldError
	if err := r.gc.WaitIdle(t.Context()); !errors.As(err, &held) {
		t.Fatalf("error %v, want the child held: its owner's kind is unknown", err)
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(custom("TeamList", "", "").GroupVersionKind())
	if err := r.List(t.Context(), list); err != nil || len(list.Items) != 2 {
		t.Fatal(len(list.Items), err)
	}
	r.collect()
	r.want("child>team")
	r.end(team)
	r.collect()
	r.want("")
	if err := r.List(t.Context(), list); err != nil || len(list.Items) != 0 {
		t.Error(list.Items, err)
	}
}

// TestKindsWithoutList: a kind without a list type is left out. No server stores its
// objects.
func TestKindsWithoutList(t *testing.T) {
	for _, c := range []struct {
		object client.Object
		reason string
	}{
		{&authorizationv1.SubjectAccessReview{ObjectMeta: metav1.ObjectMeta{Name: "r"}}, "the question is answered, and not stored"},
		{&authorizationv1.LocalSubjectAccessReview{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "r"}}, "nor with a namespace"},
		{&authenticationv1.TokenReview{ObjectMeta: metav1.ObjectMeta{Name: "r"}}, "nor in another group"},
		{&corev1.Binding{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "r"}}, "it writes to a Pod"},
	} {
		r := &rig{T: t}
		r.WithWatch, r.gc = New(t, fake.NewClientBuilder().WithScheme(fresh(t)).Build())
		a := configMap("a")
		r.make(a)
		r.make(configMap("b", a), c.object)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for range 2 { // the second round begins with a known kind
			if err := r.gc.WaitIdle(ctx); err != nil {
				t.Fatalf("%s: %v", c.reason, err)
			}
		}
		r.end(a)
		r.collect()
		r.want("")
	}
}

// TestVersions: a reference may name another version of the owner's kind.
func TestVersions(t *testing.T) {
	r := &rig{T: t}
	r.WithWatch, r.gc = New(t, fake.NewClientBuilder().WithScheme(fresh(t)).Build())
	owner := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	r.make(owner)
	child := configMap("child")
	child.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, autoscalingv1.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"))}
	r.make(child)
	r.collect()
	r.want("child>a")
	r.end(owner)
	r.collect()
	r.want("")
}

func TestOwnerOf(t *testing.T) {
	s, err := newStore(fake.NewClientBuilder().WithScheme(small(t)).Build())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		apiVersion, kind, namespace string
		want                        string
		reason                      string
	}{
		{"v1", "ConfigMap", "a", "ConfigMap/a/o@u", "it lives beside its dependent"},
		{"v1", "Node", "a", "Node/o@u", "a Node lives nowhere"},
		{"v1", "Node", "", "Node/o@u", "for a global dependent too"},
		{"v1", "ConfigMap", "", "ConfigMap/o@u+unresolved", "its namespace is unknown"},
		{"v9", "ConfigMap", "a", "ConfigMap/o@u+unresolved", "there is no such version"},
		{"example.org/v1", "Thing", "a", `"example.org/Thing"/o@u+unresolved`, "nor such a kind"},
		{"a/b/c", "Thing", "a", `"a/b/c/Thing"/o@u+unresolved`, "nor such a group"},
		{"v1", "Event", "a", "Event/o@u+unresolved", "events take no part"},
	} {
		r := metav1.OwnerReference{APIVersion: c.apiVersion, Kind: c.kind, Name: "o", UID: "u"}
		o := s.ownerOf(c.namespace, &r)
		unresolved := strings.HasSuffix(c.want, "+unresolved")
		if got := o.Key.String(); got != strings.TrimSuffix(c.want, "+unresolved") || o.Unresolved != unresolved {
			t.Errorf("%s, unresolved %v, want %s: %s", got, o.Unresolved, c.want, c.reason)
		}
	}
}

// TestOrphanFreesHostileName: no object can have such a name, so an orphan deletion
// frees the reference by its UID.
func TestOrphanFreesHostileName(t *testing.T) {
	r := newRig(t)
	a, b := configMap("a"), configMap("b")
	r.make(a)
	own(b, a)
	b.OwnerReferences[0].Name = "../a"
	r.make(b)
	r.end(a, client.PropagationPolicy(metav1.DeletePropagationOrphan))
	r.collect()
	r.want("b")
}
