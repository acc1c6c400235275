package dump

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// maxGrace bounds a grace period in seconds, so that a time.Duration has it.
const maxGrace = 1 << 31

// record is the part of a Kubernetes object that ownership needs.
type record struct {
	apiVersion, kind string
	meta             metadata
	observed         int64
	spec, status     json.RawMessage // of a container, and of an object without a kind so far
}

type metadata struct {
	Name              string      `json:"name"`
	GenerateName      string      `json:"generateName"`
	Namespace         string      `json:"namespace"`
	UID               string      `json:"uid"`
	ResourceVersion   string      `json:"resourceVersion"`
	OwnerReferences   []reference `json:"ownerReferences"`
	Finalizers        []string    `json:"finalizers"`
	DeletionTimestamp *string     `json:"deletionTimestamp"`
	GraceSeconds      int64       `json:"deletionGracePeriodSeconds"`
	Generation        int64       `json:"generation"`
	Continue          string      `json:"continue"` // of a list

	ManagedFields json.RawMessage            `json:"managedFields"`
	Annotations   map[string]json.RawMessage `json:"annotations"`
}

type reference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	Block      bool   `json:"blockOwnerDeletion"`
	Controller bool   `json:"controller"`
}

// slot returns the destination of a known field.
func (r *record) slot(field string) (slot any, ok bool) {
	switch field {
	case "apiVersion":
		return &r.apiVersion, true
	case "kind":
		return &r.kind, true
	case "metadata":
		return &r.meta, true
	}
	return nil, false
}

// itemDefaults returns the defaults for an item of the list r. A server's PodList has
// items without a kind.
func (r *record) itemDefaults() record {
	if r.kind == "" || r.kind == "List" {
		return record{}
	}
	return record{apiVersion: r.apiVersion, kind: strings.TrimSuffix(r.kind, "List")}
}

// checkList refuses an object that is not a list but has items, and a list that is not
// complete. A missing object of an incomplete list is not proven absent.
func (r *record) checkList() error {
	switch {
	case r.kind == "":
		return errors.New("kind: missing")
	case !strings.HasSuffix(r.kind, "List"):
		return fmt.Errorf("items: %s is not a list kind, and its items come before its kind", spell.Clip(r.kind))
	case r.meta.Name != "":
		return fmt.Errorf("metadata.name: %s: a list has no name", spell.Clip(r.meta.Name))
	case r.meta.Continue != "":
		return errors.New("metadata.continue: this is one page of a longer list")
	}
	return nil
}

// object returns the record as an object. The scopes of its owners are not resolved
// yet.
func (r *record) object() (graph.Object, error) {
	kind, err := joinKind(r.apiVersion, r.kind)
	if err != nil {
		return graph.Object{}, err
	}
	m := &r.meta
	if err := m.check(); err != nil {
		return graph.Object{}, fmt.Errorf("metadata.%w", err)
	}
	o := graph.Object{
		Key:                graph.Key{Kind: kind, Scope: m.Namespace, Name: m.Name, UID: graph.UID(m.UID)},
		Version:            graph.Version(m.ResourceVersion),
		Finalizers:         m.Finalizers,
		Deleting:           m.DeletionTimestamp != nil,
		GraceSeconds:       m.GraceSeconds,
		Generation:         m.Generation,
		ObservedGeneration: r.observed,
	}
	for i, ref := range m.OwnerReferences {
		owner, err := ref.owner()
		if err != nil {
			return graph.Object{}, fmt.Errorf("metadata.ownerReferences[%d].%w", i, err)
		}
		o.Owners = append(o.Owners, owner)
	}
	annotated, err := m.annotated(o.Key)
	for _, ref := range annotated {
		o.Owners = append(o.Owners, ref.owner)
	}
	if err != nil {
		o.Owners = append(o.Owners, annotation.Flaw(err))
	}
	return o, nil
}

func (m *metadata) check() error {
	if err := checkName("name", m.Name); err != nil {
		return err
	}
	if m.Namespace != "" {
		if err := checkName("namespace", m.Namespace); err != nil {
			return err
		}
	}
	if err := checkName("uid", m.UID); err != nil {
		return err
	}
	for i, f := range m.Finalizers {
		// A finalizer is qualified by a domain and a slash.
		if err := checkName(fmt.Sprintf("finalizers[%d]", i), strings.Replace(f, "/", "", 1)); err != nil {
			return err
		}
	}
	if m.GraceSeconds < 0 {
		return fmt.Errorf("deletionGracePeriodSeconds: %d: negative", m.GraceSeconds)
	}
	return nil
}

// markedAt returns the instant of the deletion mark. Kubernetes writes the end of the
// grace period.
func (m *metadata) markedAt() (at time.Time, known bool) {
	if m.DeletionTimestamp == nil {
		return at, false
	}
	at, err := time.Parse(time.RFC3339, *m.DeletionTimestamp)
	return at.Add(-time.Duration(min(m.GraceSeconds, maxGrace)) * time.Second), err == nil
}

func (r reference) owner() (graph.Owner, error) {
	kind, err := joinKind(r.APIVersion, r.Kind)
	if err != nil {
		return graph.Owner{}, err
	}
	if err := checkName("name", r.Name); err != nil {
		return graph.Owner{}, err
	}
	if err := checkName("uid", r.UID); err != nil {
		return graph.Owner{}, err
	}
	key := graph.Key{Kind: kind, Name: r.Name, UID: graph.UID(r.UID)}
	return graph.Owner{Key: key, Block: r.Block, Controller: r.Controller}, nil
}

// label names the object in an error, as far as it is known, or returns "".
func (r *record) label() string {
	if r.kind == "" && r.meta.Name == "" {
		return ""
	}
	kind, err := joinKind(r.apiVersion, r.kind)
	if err != nil {
		kind = graph.Kind(r.kind)
	}
	return spell.Clip(strings.Trim(graph.Key{Kind: kind, Scope: r.meta.Namespace, Name: r.meta.Name}.Text(), "/"))
}

// observedGeneration returns status.observedGeneration, or 0. A status belongs to its
// kind. Some kinds write the number as text. Some kinds use the name for another value,
// which counts as 0.
func observedGeneration(status json.RawMessage) int64 {
	var s struct {
		Observed json.RawMessage `json:"observedGeneration"`
	}
	if json.Unmarshal(status, &s) != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.Trim(string(s.Observed), `"`), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
