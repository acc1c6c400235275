package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	// kitUser is the user of the kit's stores.
	kitUser = "kit"
	// scopeOfRecords is the namespace of their records. The kit ignores ConfigMaps, so no
	// watch shows them.
	scopeOfRecords = "one"
)

// kit makes stores for the conformance kit. They are on one server, one after another,
// and each of them is empty at first.
type kit struct {
	w      *world
	kinds  []kind
	defs   map[graph.Kind]object
	roles  map[graph.Kind]object
	ignore []graph.Kind
	undo   []func(context.Context) error // the undo functions of hooks
	laws   int                           // with records of their own
}

func newKit(w *world) *kit {
	k := &kit{w: w, defs: map[graph.Kind]object{}, roles: map[graph.Kind]object{}}
	for _, scope := range []string{"one", "one-two"} {
		w.create(namespace, scope)
	}
	for _, name := range []string{"Box", "Cart", "World"} {
		c := w.customKind(name)
		c.scoped = name != "World"
		spec := definitionSpec(c)
		if !c.scoped {
			spec["scope"] = "Cluster"
		}
		k.kinds = append(k.kinds, c)
		k.defs[c.name()] = w.create(definition, c.plural+"."+c.gvk.Group, field(spec, "spec"))
		k.roles[c.name()] = k.grant(c.plural, k.rules(c))
	}
	k.grant("records", []any{rule("", "configmaps", "create", "get", "patch")})
	w.kinds = k.kinds
	for _, c := range k.kinds {
		w.served(c)
	}
	k.ignore = k.others()
	return k
}

// grant gives the kit's user a role with the rules.
func (k *kit) grant(name string, rules []any) object {
	o := k.w.create(role, name, field(rules, "rules"))
	k.w.create(binding, name,
		field(map[string]any{"apiGroup": role.gvk.Group, "kind": role.gvk.Kind, "name": name}, "roleRef"),
		field([]any{map[string]any{"apiGroup": role.gvk.Group, "kind": "User", "name": kitUser}}, "subjects"))
	return o
}

func (k *kit) rules(c kind) []any {
	return []any{rule(c.gvk.Group, c.plural, "get", "list", "watch", "patch", "delete")}
}

// others returns all kinds of the server except the kit's.
func (k *kit) others() []graph.Kind {
	d, err := discovery.NewDiscoveryClientForConfig(k.w.server.Admin())
	if err != nil {
		k.w.t.Fatal(err)
	}
	_, lists, err := d.ServerGroupsAndResources()
	if err != nil {
		k.w.t.Fatal(err)
	}
	var out []graph.Kind
	for _, l := range lists {
		group, _, found := strings.Cut(l.GroupVersion, "/")
		switch {
		case !found:
			for _, r := range l.APIResources {
				out = append(out, graph.Kind(r.Kind))
			}
		case group != k.kinds[0].gvk.Group:
			out = append(out, graph.Kind(group+"/*"))
		}
	}
	return out
}

// subject makes a store for one law, after it has undone the changes by the law before.
func (k *kit) subject(tb storetest.TB) storetest.Subject {
	for _, undo := range k.undo {
		if err := undo(tb.Context()); err != nil {
			tb.Fatalf("undo: %v", err)
		}
	}
	k.undo = nil
	k.laws++
	k.empty(tb)
	s, err := k.open(tb)
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	return s
}

func (k *kit) open(tb storetest.TB) (storetest.Subject, error) {
	lines := &lines{}
	config := k.w.server.User(kitUser)
	config.Dial = lines.dial
	s, err := clientgo.New(config, clientgo.Config{
		Ignore: k.ignore, PageSize: 3, Rediscover: 500 * time.Millisecond, RecordNamespace: scopeOfRecords, RecordPrefix: fmt.Sprintf("law%d-", k.laws),
	})
	if err != nil {
		return storetest.Subject{}, err
	}
	tb.Cleanup(lines.cut)
	return storetest.Subject{
		Store: s, Client: kitUsers{k},
		Label:   k.label,
		Compact: k.w.server.Compact,
		Break:   func(context.Context) error { lines.cut(); return nil },
		Backup:  k.w.server.Backup,
		Sicken: func(ctx context.Context, kind graph.Kind) (func(context.Context) error, error) {
			return k.sicken(ctx, kind, config, lines)
		},
		Vanish:  k.vanish,
		Restart: func(context.Context) (storetest.Subject, error) { return k.open(tb) },
		Second:  func(context.Context) (storetest.Subject, error) { return k.open(tb) },
	}, nil
}

// empty removes all objects of the kit's kinds.
func (k *kit) empty(tb storetest.TB) {
	for _, c := range k.kinds {
		err := k.each(tb.Context(), c, func(o object) error {
			free := []byte(`{"metadata":{"finalizers":null}}`)
			_, err := k.w.of(o).Patch(tb.Context(), o.name, types.MergePatchType, free, metav1.PatchOptions{})
			if err == nil {
				err = k.w.of(o).Delete(tb.Context(), o.name, metav1.DeleteOptions{PropagationPolicy: new(background)})
			}
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		})
		if err != nil {
			tb.Fatalf("empty the store: %v", err)
		}
	}
}

func (k *kit) each(ctx context.Context, c kind, do func(object) error) error {
	list, err := k.w.client.Resource(c.at()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, u := range list.Items {
		if err := do(object{c, u.GetNamespace(), u.GetName(), u.GetUID()}); err != nil {
			return err
		}
	}
	return nil
}

// sicken takes the rights to a kind away, and ends the watches that had them.
func (k *kit) sicken(ctx context.Context, kind graph.Kind, as *rest.Config, l *lines) (func(context.Context) error, error) {
	c := k.of(kind)
	set := func(ctx context.Context, rules []any) error {
		body, err := json.Marshal(map[string]any{"rules": rules})
		if err != nil {
			return err
		}
		_, err = k.w.of(k.roles[kind]).Patch(ctx, c.plural, types.MergePatchType, body, metav1.PatchOptions{})
		return err
	}
	if err := set(ctx, []any{}); err != nil {
		return nil, err
	}
	if err := k.awaitListing(ctx, c, apierrors.IsForbidden); err != nil {
		return nil, err
	}
	l.cut()
	back := func(ctx context.Context) error {
		if err := set(ctx, k.rules(c)); err != nil {
			return err
		}
		return k.awaitListing(ctx, c, well)
	}
	k.undo = append(k.undo, back)
	return back, nil
}

func well(err error) bool { return err == nil }

// awaitListing waits until a listing by the kit's user ends as required.
func (k *kit) awaitListing(ctx context.Context, c kind, as func(error) bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	client, err := rest.UnversionedRESTClientFor(kitClient(k.w.server.User(kitUser)))
	if err != nil {
		return err
	}
	for {
		if as(client.Get().AbsPath("apis", c.gvk.Group, c.gvk.Version, c.plural).Do(ctx).Error()) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// vanish makes the server serve no version of a kind. Its objects stay stored.
func (k *kit) vanish(ctx context.Context, kind graph.Kind) (func(context.Context) error, error) {
	set := func(ctx context.Context, served bool) error {
		version := definedVersion("v1", true)
		version["served"] = served
		body, err := json.Marshal(map[string]any{"spec": map[string]any{"versions": []any{version}}})
		if err != nil {
			return err
		}
		d := k.defs[kind]
		_, err = k.w.of(d).Patch(ctx, d.name, types.MergePatchType, body, metav1.PatchOptions{})
		return err
	}
	if err := set(ctx, false); err != nil {
		return nil, err
	}
	back := func(ctx context.Context) error {
		if err := set(ctx, true); err != nil {
			return err
		}
		return k.awaitListing(ctx, k.of(kind), well)
	}
	k.undo = append(k.undo, back)
	return back, k.awaitListing(ctx, k.of(kind), apierrors.IsNotFound)
}

func (k *kit) of(name graph.Kind) kind {
	for _, c := range k.kinds {
		if c.name() == name {
			return c
		}
	}
	return kind{}
}

// lines are the connections of one store.
type lines struct {
	mu   sync.Mutex
	open []net.Conn
}

func (l *lines) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.open = append(l.open, c)
	}
	return c, err
}

// cut ends them all.
func (l *lines) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.open {
		_ = c.Close()
	}
	l.open = nil
}

// kitUsers are the users of the kit's objects beside the engine.
type kitUsers struct{ *kit }

var errNoKind = errors.New("the kit has no such kind")

// meaning is the sentinel of a user's error.
func meaning(err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%w: %w", graph.ErrNotFound, err)
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return fmt.Errorf("%w: %w", graph.ErrConflict, err)
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsBadRequest(err):
		return fmt.Errorf("%w: %w", graph.ErrRefused, err)
	}
	return err
}
