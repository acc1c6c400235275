// Package run makes a program of a clientgo.Store and an ownergraph.Collector. The program
// observes or acts, alone, in a group, or while it has a Lease. It reports held objects by Kubernetes
// Events, and serves its health and metrics.
//
//	err := run.Run(ctx, restConfig, run.Config{Act: true})
//
// The zero Config observes and writes nothing, because kube-controller-manager already
// collects in most clusters. Two collectors on one server are safe, and do the work twice, unless they are of a group.
//
// The package links a typed client and an informer, because client-go's leader election
// needs them. Package clientgo links neither. examples/collector is a program of one file
// around this package. In a manager of controller-runtime a Program is a runnable:
// mgr.Add(manager.RunnableFunc(program.Run)).
//
// # Groups
//
// With Config.Share (flag -share auto) the programs of a group divide the objects: see package group.
// Each has a Lease in the namespace of its pod. It observes all objects, and acts on those of its
// part. Any number of programs may run, and each may end at any time. The part of a program that
// ends goes to the others at once, and the part of a killed one after its lease.
//
// A program that observes is no member, because its part would wait. The group works beside any
// other program: with -lease, without both, or of an older version. Two programs with one part cost
// refused writes, and no object.
//
// -approve counts atmost for each program, and -brake bounds each one in proportion to its part.
//
// # Leader election
//
// With Config.Lease a Program collects while it has that Lease, by client-go's leader
// election. Otherwise it stands by. It releases the Lease after its last write, so that
// the next program starts at once. If it cannot renew the Lease in time, it stops, and Run
// returns ErrLeaseLost. The caller then starts the program again.
//
// Safety never rests on the Lease, because clocks and networks make it inexact. Every write
// is conditioned on the version of its decision, and any number of collectors may work on
// one server. The Lease only saves requests and memory.
//
// # Events
//
// With Config.Events the program sends an Event about each held object. The Event's reason
// is the constant of package policy: "OwnerUnknown", "NeedFinalizers". It reports an
// unresolvable reference at once, because only its author can correct it. It reports any
// other reason after Config.HeldAfter.
//
// The Event about a namespace that does not end names the API services that are not available,
// such as that of metrics.k8s.io. Each has its reason and its service. So do the Events about a kind
// that cannot be listed. It takes the right to list API services, which the set of kinds needs too.
//
// Guards make Events about their roots at once. Those of a pass and of an approval are Normal:
//
//	VerdictPassed     a guard lets the deletion pass
//	VerdictRefused    a guard refuses the deletion
//	DeletionRefused   the same with the causes, within a fifth of Config.HeldAfter
//	DeletionApproved  a user of the Collector has approved the deletion
//	HoldRemoved       another writer has taken the hold off, as kubectl does to approve
//	RootUnguarded     the root was deleted before it carried the hold
//	Braked            the brake holds the cascade of this root
//	CascadeRefused    a user has refused that cascade
//	Paused            the programs with this record write nothing for a range
//	Resumed           that pause has ended
//
// The last two are about the ConfigMap of the record, Normal, and from each program. Each
// beginning and each end is another Event.
//
// An owner reference may have the UID of a live object, and another kind, namespace or name. The
// owner that it names does not exist. If the program deletes the object for that, a Warning about
// the object names the reference and the live object:
//
//	OwnerRefInvalidNamespace  the live object is in another namespace
//	OwnerRefInvalidKind       it has another kind
//	OwnerRefInvalidName       it has another name (graph.NameAbsent)
//
// The first one has the reason and the words of Kubernetes' collector, which does not report the
// other two. A program that observes sends them as well. The fault is in the reference, and another
// collector deletes the object. Under graph.ScopeHold a wrong namespace alone deletes nothing, and
// its Event is OwnerUnknown.
//
// A trip after an answer is another Event, and so is each further answer. Of any other reason
// there is one Event for each object. No program repeats it while the
// server keeps it, because its name follows from object and reason. The program sends two Events a
// second, after a burst of 50. It drops Events above that rate and sends them later: at the
// engine's next audit, or when it reads the held objects again. Events about deletions are lost
// then, and the log has their number. The program reads the first 1,000 held objects by key, and
// uses at most a thousandth of the engine's time for it. Otherwise the engine never waits for Events.
//
// # Logs
//
// The levels and the attributes are those of package engine, "Logs", and these:
//
//	attr address       the address of the server
//	attr act, events   settings of the program
//	attr rights        missing rights
//	attr message       the text of an Event
//	attr answer        approve or refuse
//	attr uid           the UID of a root, for the flags -approve and -refuse
//	attr services      the API services of the kinds that the brake does not count
//	attr group         the namespace and the name of the group
//	attr member        the name of the member: see package group, "Logs"
//	attr policies      the policies that act
//
// The program logs each kind that cannot be watched, with the reason, and its recovery. To
// use a logr.Logger, set Config.Logger to slog.New(logr.ToSlogHandler(logger)).
//
// # Health and metrics
//
// Program.Handler serves these paths. With Config.Listen, Run serves them itself, in plain
// HTTP and without authentication:
//
//	/healthz  200 while the engine answers
//	/readyz   200 while the program stands by, or when every kind is listed; otherwise 503
//	          and one line for each other kind, with the reason
//	/metrics  the metrics of adapters/prometheus, for Prometheus
//
// The /readyz of a member of a group also shows the members with the ages of their leases and their
// parts, and the slots without a working member. It is 503 while the program can work and has no
// lease, so that an update waits for a missing right. Each program has ownergraph_share_slots, the
// slots of its share, of 4096. A member has these metrics, too:
//
//	ownergraph_share_state{state}          1 for the state of the member
//	ownergraph_share_lease_left_seconds    time until its lease ends
//	ownergraph_group_members               members with a lease
//	ownergraph_group_oldest_lease_seconds  time since the oldest of their last renewals
//	ownergraph_group_gap_slots             slots without a working member
//
// With Config.Web, Run serves the pages of adapters/web at an address of their own, in plain HTTP
// and without authentication. In a cluster, reach a port of the pod's own by kubectl port-forward.
// The first page has the members of the group.
//
// # Guards
//
// Config.Engine.Protect and Config.Engine.Guards are the settings, and these flags add to them.
// See README.md of package clientgo, "Guards".
//
//	-protect kind=Secret,namespace=prod,selector=keep,tier!=test
//	-guard kind=apps/Deployment,namespace=prod,above=100,protected
//	-guard kind=ConfigMap,name=main,always
//
// The terms are kind, namespace and name. Terms of one name are alternatives, and the others are
// all demanded. An empty namespace stands for the objects without one. A selector is the last
// term. A guard refuses a deletion that ends more objects than "above", a deletion of protected
// objects, or always. The program logs a kind that the server does not serve. It also logs each sweep
// (Config.Engine.Sweeps) whose holders are in namespaces, because members outside of the holder's
// namespace are not covered.
//
// The program refuses a guard of Namespace or of CustomResourceDefinition at its start. The
// namespace controller and the API server delete the content at the mark, before any approval.
// An admission policy on the delete protects it: see the component deploy/protect. A guard without
// kinds selects none of these objects. The program accepts a guard of Namespace if a sweep of its
// own ends namespaces (clientgo.NamespaceFinalizer).
//
// # Policies of references
//
// A reference may have a policy, in an annotation of the dependent: see package clientgo, "Policies".
// Config.Policies (flag -policies) says which policies act:
//
//	-policies none      no policy; each object with one is held (the default)
//	-policies release   release alone; an object with cascade or restrict is held
//	-policies all       all of them
//
// Beside the collector of kube-controller-manager policies bind background deletions only. The program
// cannot tell whether that collector runs, and says so at its start. With -policies all you accept it:
//
//   - That collector ends a foreground deletion without the dependents of annotations.
//   - It ends an orphan deletion too. The program then deletes the dependents with cascade, because it
//     has not ended that deletion itself.
//   - It deletes a restricted object whose owners by owner references are gone.
//
// All programs of a server need the same set.
//
// # Grace periods
//
// The flag -propagate-grace names kinds: see package clientgo, "Grace periods". A foreground deletion
// passes the grace period of an owner on to its dependents, if both are of these kinds:
//
//	-propagate-grace apps/ReplicaSet,Pod
//
// It sets ownergraph.Config.PropagateGrace. The role that observes has the right to get pods, which
// these deletes need.
//
// Beside the collector of kube-controller-manager a period may be lost. That collector deletes the
// dependents without a period, so each pod gets its own. The program cannot tell whether that
// collector runs, and says so at its start.
//
// # Brake, pause and record
//
// A program that acts deletes at most 1,000 objects of one cascade. The flag -brake changes
// that, and 0 is no limit: see engine.Brake. The kinds that cannot be listed are not counted, and
// the Event and the log name them. With -brake-await-sick the count waits for them, and so does each
// deletion below an owner. The flag -record names the ConfigMap that keeps
// pauses, trips and answers. These flags change the record, and the program ends:
//
//	-pause kind=apps/Deployment      -resume kind=apps/Deployment
//	-approve uid=UID,atmost=5000     -refuse all,keep
//
// The programs with that record obey within 10 s. A pause of a record without a collector, or of a
// kind or a namespace that does not exist, is an error: see Command.Unchecked. The flag -retire
// takes the finalizers of former guards off all objects: see Command. README.md of package
// clientgo, "Brake and pause", has the use with kubectl.
//
// # Manifests
//
// deploy has manifests for kustomize: a base that observes, an overlay that acts, components, and a
// Dockerfile of examples/collector. Three programs run, and divide the objects if they act. The
// components are for Prometheus, for a leader election, for the rights to end namespaces, and for
// two admission policies. See its README.md.
//
// # Rights
//
// The files rbac.yaml in deploy have the least rights as separate roles:
//
//   - To observe: get, list, watch.
//   - To act: patch, delete.
//   - To end namespaces by a sweep: update on namespaces/finalize.
//   - For Events.
//   - For the Leases of a group, in the overlay act. For the Lease of -lease, in the component lease.
//   - For the record: create configmaps in its namespace, and get and patch that ConfigMap. A
//     user of -pause, -resume, -approve and -refuse needs no other role.
//
// The program logs missing rights at its start, by verb and resource. Program.Missing
// returns them. A kind that may not be listed is sick, with the server's message as the
// reason. No other kind is affected.
package run
