package dump

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// checkScope refuses an object whose namespace contradicts its kind.
func (s *inventory) checkScope(o graph.Object) error {
	scoped, known := s.scopedKind(o.Kind)
	switch {
	case !known || scoped == (o.Scope != ""):
		return nil
	case scoped:
		return errors.New("metadata.namespace: missing: objects of this kind have one")
	}
	return fmt.Errorf("metadata.namespace: %s: objects of this kind have none", o.Scope)
}

// resolve sets the scopes of o's owners as an API server does. A reference has no
// scope, so a scoped owner is in its dependent's scope. The scope of such an owner is
// unknown if the dependent is global.
func (s *inventory) resolve(o *graph.Object) {
	for i := range o.Owners {
		ref := &o.Owners[i]
		scoped, known := s.scopedKind(ref.Kind)
		switch {
		case !known || scoped && o.Scope == "":
			ref.Unresolved = true
		case scoped:
			ref.Scope = o.Scope
		}
	}
}

// scopedKind reports whether objects of the kind have a scope. The objects of the input
// decide, and then the kinds of every Kubernetes cluster.
func (s *inventory) scopedKind(kind graph.Kind) (scoped, known bool) {
	if scoped, known = s.scoped[kind]; known {
		return scoped, true
	}
	switch kind {
	case "ConfigMap", "Endpoints", "Event", "LimitRange", "PersistentVolumeClaim", "Pod", "ReplicationController",
		"ResourceQuota", "Secret", "Service", "ServiceAccount",
		"apps/ControllerRevision", "apps/DaemonSet", "apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet",
		"autoscaling/HorizontalPodAutoscaler", "batch/CronJob", "batch/Job", "coordination.k8s.io/Lease",
		"discovery.k8s.io/EndpointSlice", "events.k8s.io/Event", "networking.k8s.io/Ingress",
		"networking.k8s.io/NetworkPolicy", "policy/PodDisruptionBudget", "rbac.authorization.k8s.io/Role",
		"rbac.authorization.k8s.io/RoleBinding":
		return true, true
	case "Namespace", "Node", "PersistentVolume", "apiextensions.k8s.io/CustomResourceDefinition",
		"apiregistration.k8s.io/APIService", "networking.k8s.io/IngressClass", "node.k8s.io/RuntimeClass",
		"admissionregistration.k8s.io/MutatingWebhookConfiguration", "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
		"admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding", "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
		"certificates.k8s.io/CertificateSigningRequest", "flowcontrol.apiserver.k8s.io/FlowSchema",
		"flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
		"rbac.authorization.k8s.io/ClusterRole", "rbac.authorization.k8s.io/ClusterRoleBinding",
		"scheduling.k8s.io/PriorityClass", "storage.k8s.io/CSIDriver", "storage.k8s.io/CSINode",
		"storage.k8s.io/StorageClass", "storage.k8s.io/VolumeAttachment":
		return false, true
	}
	return false, false
}

// isEvent reports whether objects of the kind may not own, as in Kubernetes.
func isEvent(kind graph.Kind) bool { return kind == "Event" || kind == "events.k8s.io/Event" }
