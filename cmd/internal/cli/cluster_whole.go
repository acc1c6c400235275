package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	wholePage    = 500 // objects
	maxPages     = 20  // of one list
	wholeTimeout = 30 * time.Second
)

var errTooMany = errors.New("too many to read")

// wholes reads objects whole, as JSON. The listing of a command has metadata alone.
type wholes struct{ client *rest.RESTClient }

func newWholes(server *rest.Config) (wholes, error) {
	config := rest.CopyConfig(server)
	config.APIPath, config.GroupVersion = "/", &schema.GroupVersion{}
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	if config.WarningHandler == nil && config.WarningHandlerWithContext == nil {
		config.WarningHandler = rest.NoWarnings{}
	}
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	return wholes{client}, err
}

// pathOf returns the path of the objects of a resource, or of one object.
func pathOf(at schema.GroupVersionResource, namespace, name string) []string {
	path := []string{"apis", at.Group, at.Version}
	if at.Group == "" {
		path = []string{"api", at.Version}
	}
	if namespace != "" {
		path = append(path, "namespaces", namespace)
	}
	if path = append(path, at.Resource); name != "" {
		path = append(path, name)
	}
	return path
}

// get reads the object at a path.
func (w wholes) get(ctx context.Context, path []string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, wholeTimeout)
	defer cancel()
	return readAnswer(w.client.Get().AbsPath(path...).Do(ctx), into)
}

// list calls add with the items of each page.
func (w wholes) list(ctx context.Context, path []string, add func(json.RawMessage) error) error {
	return w.listAs(ctx, path, "application/json", add)
}

// listAs calls add with the items of each page, in the form of an Accept header.
func (w wholes) listAs(ctx context.Context, path []string, accept string, add func(json.RawMessage) error) error {
	ctx, cancel := context.WithTimeout(ctx, wholeTimeout)
	defer cancel()
	next := ""
	for range maxPages {
		var page struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []json.RawMessage `json:"items"`
		}
		q := w.client.Get().AbsPath(path...).Param("limit", fmt.Sprint(wholePage)).SetHeader("Accept", accept)
		if next != "" {
			q = q.Param("continue", next)
		}
		if err := readAnswer(q.Do(ctx), &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := add(item); err != nil {
				return err
			}
		}
		if next = page.Metadata.Continue; next == "" {
			return nil
		}
	}
	return fmt.Errorf("more than %d: %w", maxPages*wholePage, errTooMany)
}

// metadataAlone is the Accept header for metadata. No content of a Secret leaves the server by it.
const metadataAlone = "application/json;as=PartialObjectMetadata%s;g=meta.k8s.io;v=v1,application/json"

// metadata reads the metadata of the object at a path, by the right to list or by that to get.
func (w wholes) metadata(ctx context.Context, path []string) (m objectMeta, err error) {
	ctx, cancel := context.WithTimeout(ctx, wholeTimeout)
	defer cancel()
	type object struct {
		Metadata objectMeta `json:"metadata"`
	}
	var page struct{ Items []object }
	last := len(path) - 1
	err = readAnswer(w.client.Get().AbsPath(path[:last]...).Param("fieldSelector", "metadata.name="+path[last]).
		Param("limit", fmt.Sprint(wholePage)).SetHeader("Accept", fmt.Sprintf(metadataAlone, "List")).Do(ctx), &page)
	for _, o := range page.Items {
		if o.Metadata.Name == path[last] {
			return o.Metadata, nil
		}
	}
	if err == nil {
		return m, graph.ErrNotFound
	}
	var one object
	if readAnswer(w.client.Get().AbsPath(path...).SetHeader("Accept", fmt.Sprintf(metadataAlone, "")).Do(ctx), &one) != nil {
		return m, err // the reason of the list
	}
	return one.Metadata, nil
}

// objectMeta is the part of an object's metadata that a removal of a finalizer needs.
type objectMeta struct {
	Name            string          `json:"name"`
	UID             graph.UID       `json:"uid"`
	ResourceVersion string          `json:"resourceVersion"`
	Finalizers      []string        `json:"finalizers"`
	ManagedFields   json.RawMessage `json:"managedFields"`
}

// tryPatch sends a patch as a dry run, once, and returns the metadata that the object would have. The
// server changes nothing.
func (w wholes) tryPatch(ctx context.Context, path []string, patch []byte) (objectMeta, error) {
	var after struct {
		Metadata objectMeta `json:"metadata"`
	}
	err := readAnswer(w.client.Patch(types.JSONPatchType).MaxRetries(0).AbsPath(path...).
		Param("dryRun", metav1.DryRunAll).Param("fieldManager", "kubectl-ownergraph").
		SetHeader("Accept", fmt.Sprintf(metadataAlone, "")).Body(patch).Do(ctx), &after)
	return after.Metadata, err
}

// tryDelete sends the deletion of one state of one object as a dry run, once. The server changes
// nothing.
func (w wholes) tryDelete(ctx context.Context, path []string, m *objectMeta) error {
	uid, by := types.UID(m.UID), metav1.DeletePropagationBackground
	body, err := json.Marshal(metav1.DeleteOptions{
		TypeMeta:      metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &m.ResourceVersion}, PropagationPolicy: &by, DryRun: []string{metav1.DryRunAll},
	})
	if err != nil {
		return err
	}
	return w.client.Delete().MaxRetries(0).AbsPath(path...).Param("dryRun", metav1.DryRunAll).
		SetHeader("Accept", fmt.Sprintf(metadataAlone, "")).SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).Do(ctx).Error()
}

// readAnswer reads the JSON of an answer.
func readAnswer(result rest.Result, into any) error {
	if err := result.Error(); err != nil { // that of Raw lacks the server's reason
		return err
	}
	raw, err := result.Raw()
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// why returns the reason of a read that failed, for a person.
func why(verb, resource string, err error) string {
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return fmt.Sprintf("cannot %s %s: forbidden", verb, resource)
	}
	return fmt.Sprintf("cannot %s %s: %v", verb, resource, err)
}

// namesAbsent reports whether an error is a 404 that names an object. A proxy, and a server that
// starts, answers with others.
func namesAbsent(err error, plural, name string) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	s := status.Status()
	return s.Code == http.StatusNotFound && s.Reason == metav1.StatusReasonNotFound && s.Details != nil && s.Details.Kind == plural && s.Details.Name == name
}

// absent reports whether an error says that an object, or its resource, does not exist.
func absent(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code == http.StatusNotFound
}
