package clientgo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

var (
	errDefined   = errors.New("it is not served, and is defined again")
	errElsewhere = errors.New("it is not served, and another server stands for its group")
)

// automanaged is the label of the API services that a server makes for what it
// serves itself.
const automanaged = "kube-aggregator.kubernetes.io/automanaged"

// undefined makes sure that a kind, which its server does not serve and whose
// definition was seen to go, is over: the definition is not there, by a consistent
// read, and nobody else stands for the kind's group, who might just be away.
// Errors: errDefined, errElsewhere, and those of the reads.
func (w *worker) undefined() error {
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	name := w.first.Resource + "." + w.first.Group
	found, err := w.listOthers(definitions, definitionKind, "metadata.name="+name)
	if err != nil {
		return err
	}
	if len(found.Items) > 0 {
		return fmt.Errorf("%w: %s", errDefined, name)
	}
	services := schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	found, err = w.listOthers(services, serviceKind, "")
	if unserved(err) { // a server without an aggregator
		return nil
	}
	if err != nil {
		return err
	}
	for i := range found.Items {
		s := &found.Items[i]
		if _, group, _ := strings.Cut(s.Name, "."); group == w.first.Group && s.Labels[automanaged] == "" {
			return fmt.Errorf("%w: API service %s", errElsewhere, s.Name)
		}
	}
	return nil
}

// listOthers lists objects of another kind, consistently.
func (w *worker) listOthers(at schema.GroupVersionResource, kind graph.Kind, fields string) (*metav1.PartialObjectMetadataList, error) {
	least := w.run.store.history.mark(kind)
	ctx, cancel := context.WithTimeout(w.ctx, pageTimeout)
	defer cancel()
	page, err := w.run.store.client.list(ctx, at, metav1.ListOptions{FieldSelector: fields})
	if err != nil {
		return nil, err
	}
	return page, w.run.store.history.see(kind, page.ResourceVersion, least, w.seen)
}
