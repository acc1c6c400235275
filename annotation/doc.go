// Package annotation reads and writes the owner references with a policy (graph.OnDelete) of a
// Kubernetes object. An owner reference of Kubernetes has no field for a policy, and Kubernetes' own
// collector deletes by each owner reference. So these references are in an annotation of the dependent,
// and in no field of it (RULES, E5).
//
// The annotation has the name [Owners]. Its value is one JSON object of at most [MaxBytes]:
//
//	{
//	  "dependent": {"kind": "apps/Deployment", "namespace": "shop", "name": "web"},
//	  "references": [{
//	    "apiVersion": "example.org/v1",
//	    "kind": "Site",
//	    "name": "front",
//	    "uid": "8d12",
//	    "onDelete": "cascade",           or "release", "restrict"
//	    "blockOwnerDeletion": true,      a false flag may be left out
//	    "controller": true
//	  }]
//	}
//
// The fields of a reference mean the same as those of an owner reference. The kind of the dependent has
// its group and no version, as a graph.Kind. A dependent without a namespace has no such field.
//
// # Copies
//
// Programs copy annotations: a Deployment to its ReplicaSets, kubectl and a backup to a new object. A
// copied cascade reference would delete the copy. So the value names its own object, and a value that
// names another object is a copy. [Parse] returns no reference for it.
//
// The value has no UID of the dependent, because a client writes it before the server makes the UID. An
// object that is created again under the same name has the references of before, as with owner
// references.
//
// # Faults
//
// Parse reads strictly: a value with an unknown field, a field twice, an unknown policy or without a UID
// is a fault as a whole. A store reports the object with the fault ([Flaw]), and the engine holds it.
// None of the references of such a value restricts or blocks its owner.
package annotation
