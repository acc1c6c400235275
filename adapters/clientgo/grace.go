package clientgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/logline"
)

// GraceAnnotation is the name of the annotation that gives an object of another kind than Pod a grace
// period of its deletion. The value is a decimal number of seconds, from 2 to 2147483647. It counts for
// Config.GraceKinds. See "Grace periods" in the package documentation.
//
//test:by TestGraceAnnotation TestGraceAnnotationUnreadable
const GraceAnnotation = "ownergraph.github.io/grace-period-seconds"

// podKind is the one kind whose objects have grace periods on an API server.
const podKind graph.Kind = "Pod"

// KeepsGrace reports whether there are Config.GraceKinds (ownergraph.Gracer). An API server keeps a pod
// until its kubelet ends the grace period. It keeps no grace period for any other kind.
//
//test:by TestKeepsGrace
func (s *Store) KeepsGrace() bool { return len(s.config.GraceKinds) > 0 }

// graceBits bounds the value of the annotation: its number has so many bits. The least one is two, because
// a guard shortens the period by one second.
const graceBits = 31

// annotatedGrace returns the seconds of an object's annotation, 0 for none. A pod has none, because the
// server keeps its period. The error is about a value that cannot be read.
func annotatedGrace(kind graph.Kind, m *metav1.PartialObjectMetadata) (int64, error) {
	value, is := m.Annotations[GraceAnnotation]
	if !is || kind == podKind {
		return 0, nil
	}
	seconds, err := strconv.ParseUint(value, 10, graceBits)
	if err != nil || seconds < 2 {
		return 0, fmt.Errorf("annotation %s: %.32q is no number of seconds from 2 to %d", GraceAnnotation, value, 1<<graceBits-1)
	}
	return int64(seconds), nil
}

// ownGrace returns the grace period of the server's mark, 0 for none.
func ownGrace(m *metav1.PartialObjectMetadata) int64 {
	if m.DeletionGracePeriodSeconds == nil {
		return 0
	}
	return *m.DeletionGracePeriodSeconds
}

// graceOf returns the grace period of a deletion. The annotation counts for a marked object that the
// server keeps because of a finalizer. A marked object without one goes at once, so it has no period.
func (c *catalog) graceOf(kind graph.Kind, m *metav1.PartialObjectMetadata) int64 {
	if own := ownGrace(m); own != 0 || m.DeletionTimestamp == nil || len(m.Finalizers) == 0 || !slices.Contains(c.graced, kind) {
		return own
	}
	seconds, _ := annotatedGrace(kind, m) // the watch logs the fault
	return seconds
}

// warnGrace logs a value of the annotation that cannot be read. Such a value counts as none, so the
// dependents would lose their time in silence.
func (s *Store) warnGrace(kind graph.Kind, m *metav1.PartialObjectMetadata) {
	if !slices.Contains(s.config.GraceKinds, kind) {
		return
	}
	if _, err := annotatedGrace(kind, m); err != nil {
		object := graph.Key{Kind: kind, Scope: m.Namespace, Name: m.Name, UID: graph.UID(m.UID)}
		s.log.Line(slog.LevelWarn, "a grace period cannot be read, and counts as none", logline.Cause(err, m.Annotations[GraceAnnotation]),
			"object", object.String(), "err", err)
	}
}

// errNoPod says that a server's answer is not the pod of the request.
var errNoPod = errors.New("the server's answer is not this pod")

// podGrace is the part of a pod that tells its grace period.
type podGrace struct {
	Metadata struct {
		Namespace string    `json:"namespace"`
		Name      string    `json:"name"`
		UID       graph.UID `json:"uid"`
	} `json:"metadata"`
	Spec struct {
		Seconds *int64 `json:"terminationGracePeriodSeconds"`
	} `json:"spec"`
}

// graceFor returns the grace period that a delete sends. With GraceAtMost it is the pod's own period,
// if that is shorter, which takes a read of the pod. Other kinds have no period of their own.
//
// A delete of a pod with a longer period than its own would extend the pod's life. So there is no
// delete without the read.
//
//test:by TestDeleteGrace TestDeleteGraceFaults
func (s *Store) graceFor(ctx context.Context, key graph.Key, opts graph.DeleteOptions, r resource) (*int64, error) {
	carried := opts.GraceSeconds
	if !opts.GraceAtMost || carried == nil || key.Kind != podKind {
		return carried, nil
	}
	raw, err := s.client.raw(ctx, r.at, key.Scope, key.Name)
	if err != nil {
		return nil, s.storeError(ctx, "delete", key, r, err)
	}
	var p podGrace
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, fmt.Errorf("delete %s: spec.terminationGracePeriodSeconds: %w: %w", placeText(key), errNoPod, err)
	}
	switch m := p.Metadata; {
	case m.UID == "" || m.Name != key.Name || m.Namespace != key.Scope:
		return nil, fmt.Errorf("delete %s: metadata: %w", placeText(key), errNoPod)
	case opts.Precondition.UID != "" && m.UID != opts.Precondition.UID:
		return nil, fmt.Errorf("delete %s: uid: %s is there: %w", placeText(key), m.UID, graph.ErrConflict)
	}
	if own := p.Spec.Seconds; own != nil && *own >= 0 && *own < *carried {
		return own, nil
	}
	return carried, nil
}
