package clientgo

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
	"github.com/ownergraph/ownergraph/graph"
)

func (f *fake) serveObject(w http.ResponseWriter, r *http.Request, k *fakeKind, scope, name string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	live := k.objects[types.NamespacedName{Namespace: scope, Name: name}]
	if live == nil {
		writeError(w, k, name, graph.ErrNotFound)
		return
	}
	switch r.Method {
	case http.MethodPatch:
		live, err = f.patched(k, live, body)
	case http.MethodDelete:
		err = f.deleted(k, live, body)
	}
	if err != nil {
		writeError(w, k, name, err)
		return
	}
	if r.Method == http.MethodGet && wantsWhole(r) && (k.plural == definitionsAt().Resource || k.plural == servicesAt().Resource || k.plural == "pods") {
		fakenet.WriteJSON(w, http.StatusOK, f.whole(k, live))
		return
	}
	fakenet.WriteJSON(w, http.StatusOK, typed(live))
}

func (f *fake) deleted(k *fakeKind, live *meta, body []byte) error {
	var in metav1.DeleteOptions
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	if p := in.Preconditions; k.plural == "leases" && (p == nil || p.UID == nil || p.ResourceVersion == nil) {
		return graph.ErrInvalid // a group's deletes name both
	}
	opts := graph.DeleteOptions{GraceSeconds: in.GracePeriodSeconds}
	if p := in.Preconditions; p != nil {
		if p.UID != nil {
			opts.Precondition.UID = graph.UID(*p.UID)
		}
		if p.ResourceVersion != nil {
			opts.Precondition.Version = graph.Version(*p.ResourceVersion)
		}
	}
	if in.PropagationPolicy != nil {
		for p := range graph.Orphan + 1 {
			if policyOf(p) == *in.PropagationPolicy {
				opts.Propagation = p
			}
		}
	}
	return f.remove(k, live, opts)
}

// patched applies a JSON patch, the only sort of patch that the store sends.
func (f *fake) patched(k *fakeKind, live *meta, body []byte) (*meta, error) {
	var ops []operation
	if err := json.Unmarshal(body, &ops); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(live)
	if err != nil {
		return nil, err
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	for _, op := range ops {
		path := strings.Split(op.Path, "/")[1:]
		for i, name := range path {
			path[i] = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		}
		if doc, err = applyOperation(doc, op, path); err != nil {
			return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
		}
	}
	if raw, err = json.Marshal(doc); err != nil {
		return nil, err
	}
	out := &meta{}
	if err := json.Unmarshal(raw, out); err != nil {
		return nil, err
	}
	switch {
	case out.ResourceVersion != "" && out.ResourceVersion != live.ResourceVersion:
		return nil, fmt.Errorf("version: %w", graph.ErrConflict)
	case out.UID != live.UID:
		return nil, fmt.Errorf("uid: %w", graph.ErrInvalid)
	}
	return f.store(k, out)
}

// applyOperation applies one operation at a path of a JSON document.
func applyOperation(doc any, op operation, path []string) (any, error) {
	if len(path) == 0 {
		switch op.Op {
		case "replace", "add":
			return op.Value, nil
		case "test":
			if reflect.DeepEqual(doc, op.Value) {
				return doc, nil
			}
		}
		return nil, fmt.Errorf("%s %s: not so", op.Op, op.Path)
	}
	key, last := path[0], len(path) == 1
	switch d := doc.(type) {
	case map[string]any:
		return applyToMap(d, op, key, path, last)
	case []any:
		return applyToList(d, op, key, path, last)
	}
	return nil, fmt.Errorf("%s %s: nothing there", op.Op, op.Path)
}

func applyToMap(d map[string]any, op operation, key string, path []string, last bool) (any, error) {
	child, ok := d[key]
	switch {
	case last && op.Op == "add":
		d[key] = op.Value
		return d, nil
	case !ok:
		return nil, fmt.Errorf("%s %s: nothing there", op.Op, op.Path)
	case last && op.Op == "remove":
		delete(d, key)
		return d, nil
	}
	out, err := applyOperation(child, op, path[1:])
	d[key] = out
	return d, err
}

func applyToList(d []any, op operation, key string, path []string, last bool) (any, error) {
	if last && key == "-" && op.Op == "add" {
		return append(d, op.Value), nil
	}
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 || i >= len(d) {
		return nil, fmt.Errorf("%s %s: nothing there", op.Op, op.Path)
	}
	if last && op.Op == "remove" {
		return append(d[:i:i], d[i+1:]...), nil
	}
	d[i], err = applyOperation(d[i], op, path[1:])
	return d, err
}
