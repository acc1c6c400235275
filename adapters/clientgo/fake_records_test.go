package clientgo

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
	"github.com/ownergraph/ownergraph/graph"
)

// The fake keeps the data of a ConfigMap in annotations, so that it has their history too.
const (
	dataAnnotation   = "data/"
	binaryAnnotation = "binaryData/"
)

// fakeBody is a ConfigMap, or a merge patch of one.
type fakeBody struct {
	Metadata         metav1.ObjectMeta
	Data, BinaryData map[string]*string
}

// isOfRecord reports whether a request is for the data of a ConfigMap.
func isOfRecord(r *http.Request, k *fakeKind) bool {
	return k.plural == "configmaps" && (r.Method == http.MethodPost || r.Header.Get("Content-Type") == string(types.MergePatchType) ||
		r.Method == http.MethodGet && r.Header.Get("Accept") == "application/json")
}

// serveRecord answers a request for the data of a ConfigMap. The namespace "absent" is absent.
func (f *fake) serveRecord(w http.ResponseWriter, r *http.Request, k *fakeKind, scope, name string) {
	var in fakeBody
	body, err := io.ReadAll(r.Body)
	if err == nil && len(body) > 0 {
		err = json.Unmarshal(body, &in)
	}
	if err != nil {
		panic(err)
	}
	if name == "" {
		name = in.Metadata.Name
	}
	if r.Method == http.MethodPost && scope == "absent" {
		fakenet.WriteError(w, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, scope))
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	live := k.objects[types.NamespacedName{Namespace: scope, Name: name}]
	switch {
	case r.Method == http.MethodPost:
		live, err = f.createRecord(k, live, scope, name, in)
	case live == nil:
		err = graph.ErrNotFound
	case r.Method == http.MethodPatch:
		live, err = f.patchRecord(k, live, in)
	default:
		fakenet.WriteJSON(w, http.StatusOK, wholeRecord(live))
		return
	}
	if err != nil {
		writeError(w, k, name, err)
		return
	}
	fakenet.WriteJSON(w, http.StatusOK, typed(live))
}

func (f *fake) createRecord(k *fakeKind, live *meta, scope, name string, in fakeBody) (*meta, error) {
	if live != nil {
		return nil, apierrors.NewAlreadyExists(schema.GroupResource{Resource: k.plural}, name)
	}
	if in.Metadata.Namespace != scope {
		return nil, apierrors.NewBadRequest("the namespace of the object is another one")
	}
	o := named(scope, name)
	f.uids++
	o.UID, o.Generation, o.Annotations = types.UID(fmt.Sprintf("uid-%d", f.uids)), 1, map[string]string{}
	in.applyTo(o.Annotations)
	return f.commit(k, "ADDED", &o), nil
}

// patchRecord changes nothing if the data stay the same, as a server does.
func (f *fake) patchRecord(k *fakeKind, live *meta, in fakeBody) (*meta, error) {
	if v := in.Metadata.ResourceVersion; v != "" && v != "0" && v != live.ResourceVersion {
		return nil, fmt.Errorf("version: %w", graph.ErrConflict)
	}
	o := live.DeepCopy()
	if o.Annotations == nil {
		o.Annotations = map[string]string{}
	}
	if in.applyTo(o.Annotations); maps.Equal(o.Annotations, live.Annotations) {
		return live, nil
	}
	return f.store(k, o)
}

func (b fakeBody) applyTo(annotations map[string]string) {
	for prefix, values := range map[string]map[string]*string{dataAnnotation: b.Data, binaryAnnotation: b.BinaryData} {
		for key, value := range values {
			if value == nil {
				delete(annotations, prefix+key)
			} else {
				annotations[prefix+key] = *value
			}
		}
	}
}

func wholeRecord(o *meta) map[string]any {
	data, binary := map[string]string{}, map[string]string{}
	for key, value := range o.Annotations {
		if name, ok := strings.CutPrefix(key, dataAnnotation); ok {
			data[name] = value
		}
		if name, ok := strings.CutPrefix(key, binaryAnnotation); ok {
			binary[name] = value
		}
	}
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": o.ObjectMeta, "data": data, "binaryData": binary}
}
