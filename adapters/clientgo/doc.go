// Package clientgo makes a Kubernetes API server a Store of level 2. The server may be
// kube-apiserver or any aggregated server that follows the API's conventions. With this
// store the engine does the work of the garbage collector of kube-controller-manager.
// It can also observe beside that collector and write nothing.
//
//	store, err := clientgo.New(restConfig, clientgo.Config{})
//	collector, err := ownergraph.New(store, ownergraph.Config{ObserveOnly: true})
//	err = collector.Run(ctx)
//
// The store uses client-go's REST client and its discovery. It has no typed client, no
// informer and no cache of objects. It requests metadata only, with three exceptions: the
// finalizers in a Namespace's spec, definitions that discovery lacks, and the grace period of
// a pod (see "Grace periods").
//
// # Kinds
//
// A kind is a group and a kind without a version: "Pod", "apps/Deployment". The store
// watches each kind that discovery names with the verbs delete, list and watch, except
// the kinds in Config.Ignore. It uses the preferred version of each kind. It reads
// discovery again every Config.Rediscover, after a change of a definition or an API
// service, and for each fence. Kinds come and go while the watch runs.
//
// The store does not trust discovery alone. For a moment after its start, an API server
// answers without the groups of definitions and reports no error. So the store compares
// discovery with consistent lists of the CustomResourceDefinitions and the APIServices.
// A kind or group that they name and discovery lacks is sick, and blocks fences. A
// kind leaves the set only when its definition is gone. A definition whose names were
// never accepted has no objects, and delays nothing.
//
// If the store cannot read these lists, the set of kinds is not certain. Then
// CustomResourceDefinition or APIService is sick with the reason, no kind leaves the
// set, and the set passes no fence. To give up the comparison, name these kinds in
// Config.Ignore. The store then logs a warning if the lists are refused. Foreground and
// orphan deletions may then miss a kind that is not served for a moment. A server
// without these resources, whose discovery says so, has nothing to compare.
//
// A kind that is no longer served becomes unknown. Its objects are neither present nor
// absent. Before that the store reads the kind's watch for some seconds. A server that
// removes a definition reports the removal of each object that it removes. The end of
// the definition proves nothing about its other objects. If a user removes the
// definition's cleanup finalizer by hand, those objects come back with their UIDs when
// the kind is defined again. So the engine holds their dependents. It does so until the
// kind is back or the collector starts again.
//
// If the server cannot discover a group, the kinds of the group that are known stay in
// the set as sick kinds. A group without a known kind stands in the set as the sick kind
// "group/*". A sick kind blocks fences, and with them foreground and orphan deletions.
// To go on without the kind, name it in Config.Ignore or set the engine's FenceWait. A
// broken conversion webhook, a stopped aggregated server or a missing right makes only
// the affected kinds sick.
//
// The reason of a kind names the API service behind it if that is not available, with its reason and
// its service. Store.UnavailableServices has all of them. It takes the right to list API services.
// Without that right the reason has the version of the group alone.
//
// # Owner references
//
// A reference names its owner by version and kind. If the server serves that version, the
// reference names the kind. The owner lives in the dependent's namespace if its kind has
// namespaces. In all other cases the reference is Unresolved, which deletes nothing. That
// includes a reference of a dependent without a namespace to an owner with a namespace.
// When the set of kinds changes, the store lists the kinds with affected references anew.
//
// Two more references are Unresolved: a reference to a kind outside of the set, and a
// reference to a name that no object can have. An Unresolved reference counts by its UID.
// An orphan deletion of the object with that UID drops the reference, as in Kubernetes. A
// blocking reference delays the foreground deletion of that object.
//
// A kind without namespaces that allows get and not watch, such as ComponentStatus, can
// own too. The store reads such an owner, and reads it again with every audit of the
// engine. An object with neither UID nor version is absent, because no reference can name
// it.
//
// The engine waits for the first listing of a kind before it decides about its owners.
// The listing answers for all owners of the kind, and a read costs one request for each
// owner. For a kind with namespaces a read decides nothing. The engine holds the
// dependents of an owner in another namespace (graph.ScopeHold), and only the listing
// shows that the owner lives in no namespace. So the store retries a failed first listing
// soon: within 5 s during the first minute, and within 30 s later. It gives up a silent
// stream after 20 s and a page after one minute.
//
// One bound differs from Kubernetes. An object with more than 1,024 owner references, or
// with a text of more than 1,024 bytes in a reference, is held as flawed. The engine's
// Config.Limits raises the bound.
//
// # Policies
//
// An owner reference of Kubernetes has no field for graph.Owner.OnDelete, and Kubernetes' own
// collector deletes by each owner reference. So a reference with a policy is no owner reference. It is
// in the annotation [OwnersAnnotation] of the dependent. Package annotation has the form of the value,
// and [SetOwner] writes it:
//
//	err := clientgo.SetOwner(web, deployment, site, graph.OnDeleteCascade)
//
// The store reports the references of the annotation behind the owner references. Each finds its
// owner as an owner reference does. ownergraph.Config.Policies lets the policies act.
//
//   - The value names its own object. Controllers copy annotations, such as that of a Deployment to its
//     ReplicaSets. A value that names another object is a copy, and the store ignores it.
//   - A value that cannot be read makes the object flawed, and so does one of more than 64 KiB. The
//     engine holds the object, and names the annotation and the field. The references of that value
//     are unknown, so they restrict and block no owner. Those of the owner references do.
//   - A UID in both lists makes the object flawed, because the policies differ.
//   - A patch tests the former value of the annotation, and changes no other annotation. It changes
//     both lists in one request. The last reference takes the annotation along. A patch never replaces
//     a value that cannot be read.
//
// The store has level 2, so it refuses no deletion of a restricted object (RULES, E4). The engine
// deletes no restricted object, and a mark of one waits. A user's background deletion of an owner
// without finalizers goes through. Only a guard stops it.
//
// Beside the collector of kube-controller-manager policies bind background deletions only. That
// collector does not know the annotation:
//
//   - It ends a foreground deletion of an owner without a wait for the dependents of annotations.
//   - It ends an orphan deletion, which then frees no cascade reference. The engine deletes the
//     dependent, because another program has ended the deletion.
//   - It deletes a restricted object whose owners by owner references are gone.
//
// All collectors of a server have Config.Policies, or none. One of a former version sees no annotation,
// and deletes restricted objects.
//
// # Grace periods
//
// ownergraph.Config.PropagateGrace passes the grace period of an owner on to its dependents, in a
// foreground deletion. It takes Config.GraceKinds of the store, with the same kinds. The store then
// keeps grace periods (ownergraph.Gracer), with the limits of the API:
//
//   - A server keeps the period of a pod alone. It stores the period 0 in the mark of any other kind.
//   - So an object of another kind has its period in the annotation [GraceAnnotation]. The value is a
//     decimal number of seconds, from 2 to 2147483647.
//   - The annotation counts while the object has a deletion mark, a finalizer, and no period of the
//     server. An object without finalizers goes at once. The annotation of a pod does not count.
//   - A value that cannot be read counts as none. The store logs it, also before a deletion.
//   - Controllers copy annotations, as that of a Deployment to its ReplicaSets. A copy gives the same
//     period, and counts in a foreground deletion of its own object too.
//
// The dependents that keep a period are pods. This ends a ReplicaSet with 5 seconds for each pod, if
// PropagateGrace has "apps/ReplicaSet" and "Pod":
//
//	kubectl annotate replicaset web ownergraph.github.io/grace-period-seconds=5
//	kubectl delete replicaset web --cascade=foreground
//
// A root that is a pod needs no annotation: kubectl delete pod driver --grace-period=5
// --cascade=foreground. Without --cascade=foreground a root goes before its dependents, and its
// period with it. A guard of the root keeps it, and then a background deletion passes the period on too.
//
// A delete that carries a period never extends the life of a pod. The store reads the pod before, and
// sends the shorter one of both periods. The read takes the right to get pods, and costs one request
// for each pod. If the read fails, the store sends no delete. A delete without a period reads nothing.
//
// Beside the collector of kube-controller-manager a period may be lost. That collector deletes the
// dependents too, without a period, so each pod gets its own. A pod with a mark is not deleted
// again. Its own period may be longer than that of its owner. Nothing else changes by that.
//
// # Watching
//
// Each kind has one connection and one goroutine. The store streams a listing if the
// server supports it (WatchList), and reads pages otherwise. It reports each page before
// it reads the next one. From protobuf it decodes only the fields that decisions need.
// Every listing is consistent and never comes from a cache that may be behind. After a
// broken connection the store goes on at the same version. It lists only if the server
// has forgotten that version. See [Store.Watch].
//
// # Writing
//
// Each write is one request, conditioned on UID and version. This is true for built-in
// kinds and for custom resources. The end of a namespace is the exception: see below. A
// patch is a JSON patch that sets UID and version, so a change by another client is a
// conflict. It tests each value that it removes: see [Store.Patch].
//
// The store never sends a write twice by itself. It has no rate limit, except the one of
// the rest config. It hands the server's Retry-After to the engine. A 404 proves absence
// only if it names the object.
//
// The store bounds the writes in flight by the server's answers. At first there is no
// bound. A refusal sets one: a 429, a 5xx with Retry-After, or no answer. Each round of
// refusals lowers the bound by a third. While the server answers, the bound rises by one,
// at most ten times a second. If the server refuses even one write at a time, the store
// pauses for the time that the server asks for. All collectors on one Store share the
// bound. A write that cannot start within half of its time is not sent. It returns an
// error with RetryAfter.
//
// The store does not work around one fault of kube-apiserver (seen in 1.36.3). A DELETE
// with a resourceVersion is a conflict for ever if its propagation contradicts the
// object's only finalizer. Only an engine with Config.Override sends such a DELETE, and
// then reports the object as held.
//
// # Namespaces
//
// A server keeps a deleted Namespace until a client has emptied it. The finalizers for
// this are in the spec and not in the metadata. So the store reads Namespaces whole. It
// reports the spec's finalizers after the metadata's finalizers, as
// "spec.finalizers:kubernetes" ([NamespaceFinalizer]). No finalizer of a metadata can
// have such a name. The engine holds a deleted Namespace with that name as the reason.
//
// The engine removes this finalizer only on request, as it removes only the finalizers of
// propagations and of its own handlers and sweeps. A
// guard.ScopeSweep("Namespace", clientgo.NamespaceFinalizer) empties a namespace and
// then removes the finalizer. To remove it, the store reads the namespace and sends a PUT
// to the finalize endpoint, under the same UID and version. Every namespace has the
// finalizer from its creation, so the sweep never adds it. The server itself refuses new
// objects in a namespace with a deletion mark.
//
// The sweep of a holder in a namespace covers the members in that namespace alone. Plans and
// explanations of the holder say so. Package run says so at its start.
//
// Upstream's namespace controller does the same and may run beside a sweep. The first of
// the two ends the namespace. The other one gets a 404, or a conflict and reads again. The
// namespace controller waits 5 s before it begins, for API servers that have not observed
// the mark. A sweep waits for its fence alone. With several API servers, one of them may
// admit an object behind the fence, and that object outlives its namespace.
//
// # The basis of level 2
//
// Level 2 rests on three properties of the server:
//
//   - A list with an empty resourceVersion contains every change that was committed
//     before it.
//   - A watch reports the changes of a resource in the order of their versions.
//   - The versions of a resource are rising decimal numbers (KEP-5504).
//
// The store compares versions only within one kind. If versions are not such numbers,
// fences pass by whole listings, and the store cannot detect a rewind.
//
// The store detects a rewind by a version below an observed version. It compares versions
// when it opens a connection again, at every listing and at every fence. It does not
// detect three sorts of restores:
//
//   - A restore that lost no observed change.
//   - A restore whose server caught up before the next comparison.
//   - A restore that raised the versions (etcd's --bump-revision).
//
// After the last two, the store lists the objects that came back. The engine notices them
// if it observed their removal. Its results of single reads of owners may stay wrong
// until it starts again.
//
// # Restores during a cascade
//
// A restore during a cascade is the worst case. The owners live again, and the UIDs and
// versions of the writes in flight are valid again. The store takes three events as signs
// of such a restore: a write without an answer, a server error, and the end of a watch.
//
// After a sign the store compares versions before it sends a write. It reads a consistent
// list of the written kind and one of the kind with the newest observed version. After a
// rewind the watches report it. A write that began before the report, or less than a
// second after it, is not sent and returns a transient error. A write is sent at most
// once, because the store keeps Go's transport from repeating it. The identity of a
// rewind (Event.Epoch) is random for each Store, with a number.
//
// A window remains in three cases:
//
//   - The restored server has caught up with the newest observed version before the
//     comparison: by its own writes during its start, by other clients, or because its
//     versions were raised.
//   - The store observed no sign.
//   - The written kind and its owners are in different databases, and only one of them
//     was restored.
//
// So stop all collectors before a restore and start them after it. A new collector has no
// state of the former history.
//
// # Records
//
// A record (ownergraph.Records) is a ConfigMap. The record "pause" is the ConfigMap
// kube-system/ownergraph-collector, if Config.RecordNamespace and RecordPrefix are unset. Its data
// have two keys: the value, and a random text that each write changes. A value that is no text
// is in binaryData. To change a record by hand, use kubectl edit.
//
// The ConfigMap is an object like any other: watches show it, and it may have owners and
// dependents. Give it no owner. Its version is the resourceVersion. After a restore of the
// server a version may name another value (README, "Non-goals").
//
// # Conformance
//
// The store keeps all laws of package storetest except three, which no API server can keep.
// TestConformance names them with the reasons. It lacks the promise HiddenRecords. ObservedGeneration is not a part of an
// object's metadata, and is always 0.
//
// # Rights
//
// The store needs these rights on every resource of every group in the set:
//
//   - get, list and watch to observe.
//   - patch and delete to act.
//
// The right to get pods is also needed for deletes that carry a grace period. It also needs:
//
//   - get on /api, /api/*, /apis and /apis/*.
//   - get and list on customresourcedefinitions.apiextensions.k8s.io and
//     apiservices.apiregistration.k8s.io, even if Config.Ignore names them.
//   - update on namespaces/finalize, for a sweep that ends namespaces.
//   - create, get and patch on the configmaps of Config.RecordNamespace, for records.
//
// A Group needs its own: see "Groups". If a right to read is missing, the kind is sick, and its reason names the right. If the
// server forbids a write, the engine logs the server's text and holds the object
// (policy.StoreRefused). run/deploy has the rights as roles.
//
// # Groups
//
// The collectors of a group divide the objects (package group). A [Group] keeps a Lease for each
// of them, in one namespace, with the label [GroupLabel]. It works beside any store:
//
//	leases, err := clientgo.NewGroup(restConfig, "tools", "ownergraph")
//	member, err := group.New(collector, leases, group.Config{})
//
// It needs create, list, update and delete on leases.coordination.k8s.io in that namespace. A
// writer of these Leases can stop a part of the work, and can cause no wrong deletion.
//
// # Programs
//
// Package run makes a program of a Store and a Collector. It has groups, leader election,
// Kubernetes Events, flags, health and metrics, and a manifest of the rights.
// examples/collector is such a program. Package run links a typed client and an informer.
// This package links neither of them.
//
// # Tests
//
// Package envtestgc adds a garbage collector to envtest, or to any server without
// kube-controller-manager, in one line of a TestMain. Its WaitIdle returns when a cascade
// has ended, or reports the objects that delay it. Package fakegc does the same for
// controller-runtime's fake client. It is a module of its own. It adds the UIDs,
// preconditions and propagation that the fake client lacks. examples/operator uses it.
package clientgo
