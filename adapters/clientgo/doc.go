// Package clientgo makes a Kubernetes API server a Store of level 2: any server
// that speaks the API's conventions, kube-apiserver and aggregated ones. With it
// the engine does what the garbage collector of kube-controller-manager does,
// where that does not run, or observes beside it.
//
// It uses client-go's REST client and its discovery, and metadata only, but for
// what holds a namespace and for definitions that discovery lacks: no typed client, no informer, no cache of objects.
//
//	store, err := clientgo.New(restConfig, clientgo.Config{})
//	collector, err := ownergraph.New(store, ownergraph.Config{ObserveOnly: true})
//	err = collector.Run(ctx)
//
// # Kinds
//
// A kind is a group and a kind, whatever the version: "Pod", "apps/Deployment".
// All those take part that discovery names with the verbs delete, list and
// watch, each in its preferred version, but for those that Config.Ignore names.
// What is served is looked at every Config.Rediscover, soon after a definition
// or an API service has changed, and for each fence. Kinds come and go while the
// watch runs. Held by TestKindsComeAndGo, TestLooks and TestSurvey.
//
// Discovery is not believed when it is silent. For a moment after its start an API
// server answers without the groups of definitions, and names no error. Each look
// therefore compares discovery with consistent lists of the
// CustomResourceDefinitions and of the APIServices. A kind or group that they name
// and discovery lacks is sick, and holds fences. Only a definition that is gone
// takes its kind out of the set. A definition whose names were never accepted has no
// objects, and holds nothing. Held by TestDefinitionHoldsFences,
// TestDefinitionsThatHoldNothing and TestServiceHoldsFences, and on a real server by
// internal/e2e: TestStartingServerHoldsKinds and TestUnservedVersionHoldsKinds.
//
// Without these lists nobody knows which kinds there are. Then
// CustomResourceDefinition or APIService is sick with the reason, no kind leaves the
// set, and the set passes no fence. A Config.Ignore that names them gives the
// comparison up where the lists are refused: the store logs a warning, and foreground
// and orphan deletions may miss a kind that is not served for a moment. A server that
// has no such resource, and whose discovery says so, has nothing to compare. Held by
// TestDefinitionsUnread and TestDefinitionsUnreadAtFirst.
//
// A kind that is not served any more is unknown from then on: its objects are
// neither there nor gone. Before that its watch is heard out, for seconds: a server
// that takes a definition away says of each object that it has removed that it is
// gone. Of the others nothing else proves that, not even the end of the definition
// behind its cleanup finalizer: where somebody took that off by hand, the objects are
// back, with their UIDs, when the kind is defined anew. So what they own is held,
// until then or until the collector begins anew. Held by TestKindLeft,
// TestLeavingIsBounded and TestCascadeOfDefinition.
//
// A group that cannot be discovered keeps the kinds that were known of it, as
// sick ones; one of which nothing was ever known is in the set of kinds as
// "group/*", sick. A sick kind holds the fences, and with them foreground and
// orphan deletions: name it in Config.Ignore, or set the engine's FenceWait. A
// conversion webhook that is broken, an aggregated server that is down, or a
// right that is missing makes sick what depends on it and nothing else. Held by
// TestKindsPartialFailure, TestKindsUnknownGroup and TestWatchSick.
//
// # Owner references
//
// A reference names its owner by version and kind. If that is served, in
// whatever version, the owner is of that kind, and lives in the dependent's
// namespace if its kind has namespaces. Otherwise, and for an owner with a
// namespace of a dependent without, it is Unresolved, which deletes nothing.
// When what is served changes, the kinds whose objects are concerned are listed
// anew. Held by TestOwnerOf and TestReferencesResolvedAnew.
//
// Two more references are Unresolved: one to a kind that takes no part, and one to a
// name that no object can have. An Unresolved reference counts by its UID: an orphan
// deletion of the object with that UID drops it, as in Kubernetes, and a blocking one
// holds that object's foreground deletion. Held by TestOwnerOfHostileName and
// TestOrphanFreesByUID.
//
// A kind without namespaces that can be read and not watched, such as
// ComponentStatus, owns too. Such an owner is read, and read again with every audit of
// the engine. An object with neither UID nor version is absent: no reference can name
// it. Held by TestReadOwners and TestGetUnstored.
//
// An owner whose kind was never listed is waited for, and not read. The listing answers
// for all owners of the kind, where reads are a request for each. And for a kind with
// namespaces a read settles nothing: the engine holds an owner that lives in another
// namespace (graph.ScopeHold), and only the listing shows that none does. So a listing
// that fails is tried every 5 s at most in its first minute, and every 30 s at most
// later. A stream that hangs is given up after 20 s, and a page after a minute. Held by
// TestUnlistedOwner.
//
// One bound is not Kubernetes': an object of more than 1,024 owner references, or of a
// text of more than 1,024 bytes in one of them, is held as flawed. The engine's
// Config.Limits raises it. Held by TestManyOwnersAreHeld.
//
// # Watching
//
// Each kind has one connection and one goroutine. A listing is streamed where
// the server can do that (WatchList), and read page by page otherwise; each page
// is reported before the next is read. Of protobuf, only those fields are decoded
// that decisions need (held by TestLean). Every listing is consistent: none is ever
// read from a cache that may be behind. A connection that breaks goes on where
// it was, and lists only if the server has forgotten that version. See
// [Store.Watch].
//
// # Writing
//
// Every write is one request, for built-in kinds and custom resources alike,
// conditioned on UID and version; but for the end of a namespace, see below. A
// patch is a JSON patch that sets both, so that a change meanwhile is a conflict,
// and tests what it removes; see
// [Store.Patch]. No write is sent twice by itself, and there is no rate
// unless the rest config sets one: what the server says of its load
// (Retry-After) is handed to the engine. A 404 is absence only if the server
// names the object in it; see TestAnswers for all answers.
//
// How many writes are on the way to the server is bounded by what it says of its
// load: by nothing until it refuses one (429, a 5xx that says when to come back,
// no answer), then by a third less with each round of refusals, and by one more
// ten times a second while it answers. A server that refuses even one at a time
// is left alone for as long as it asks. The bound is of the Store: who works on
// one server shares one. A write that does not get its turn within half of its
// time is not sent, and says when to come back. Held by TestThrottleAdapts,
// TestThrottleRefusedByAll, TestThrottleWait, TestThrottleSigns and
// TestThrottleOfCascade.
//
// One fault of kube-apiserver (seen in 1.36.3) is not worked around: a DELETE with
// a resourceVersion, and with another propagation than the object's only finalizer
// says, is a conflict for ever. Only an engine with Config.Override asks for that,
// and then reports the object as held (internal/e2e, TestServerFault).
//
// # Namespaces
//
// A server keeps a deleted Namespace until somebody has emptied it: that stands in
// the spec's finalizers, not in the metadata. Namespaces alone are therefore read
// whole, and what their spec has is seen after the metadata's finalizers as
// "spec.finalizers:kubernetes" ([NamespaceFinalizer]), as no finalizer of a metadata
// can be spelt. A deleted one is held with that name as the reason.
//
// Nobody takes it off who was not told to: no engine drops a finalizer that is
// neither a propagation's nor of its own handlers or sweeps. A
// finalizer.ScopeSweep("Namespace", clientgo.NamespaceFinalizer) empties a
// namespace, and then takes it off: by a read, and a PUT of what was read to the
// finalize endpoint, under the same UID and version. Every namespace carries it
// from its creation, so that the sweep need not put it on, and none is ever bare.
// The server itself refuses new objects in a namespace that is marked.
//
// Upstream's namespace controller does the same, and may run beside: whoever comes
// first ends the namespace, and to the other it is gone, or a conflict that is read
// again. It waits 5 s before it begins, for API servers that have not heard of the
// mark yet; a sweep waits for its fence alone, so that with several API servers an
// object that one of them still lets in behind the fence outlives its namespace.
// Held by TestNamespaceFinalizers, TestFinalize and TestFinalizeEnds, and on a real
// server by internal/e2e: TestScopeSweepBesideUpstream, TestNamespaceWithoutSweep
// and the user stories.
//
// # What level 2 rests on
//
// The server's lists with an empty resourceVersion show at least everything that
// was committed before them; a watch reports a resource's changes in the order
// of their versions; versions of one resource are decimal numbers that rise
// (KEP-5504). They are compared within one kind only. Where versions are no such
// numbers, fences pass by whole listings, and a rewind is not seen.
//
// A history that goes backwards is seen as a version below one that was seen:
// when a connection is opened again, at every listing and at every fence. Not
// seen is a restore of which nothing was lost that somebody had seen, one that
// had caught up before anybody looked, and one whose versions were raised
// (etcd's --bump-revision). In the last two cases the objects that came back
// are listed, which the engine notices if it had seen them go; what it knows of
// owners by reads alone may be wrong then, until it is started anew. Held by
// TestWatchRewound, TestWatchAfterRewind and TestHistory.
//
// A restore in the middle of a cascade is the worst case: the owners are alive again,
// and so are the UIDs and versions that the writes on the way were made for. A write
// without an answer, a server error and a watch that ends are taken for signs of it.
// After such a sign the store sends no write before a consistent list of the kind
// that is written, and of the kind with the newest version that was seen, have been
// compared with what was seen before. If the history has gone backwards, the watches
// tell it, and each write that was called before, or within a second after, is not
// sent. Such a write returns a transient error. A write is sent at most once: Go's
// transport may not repeat it. The identity of a rewind (Event.Epoch) is random for
// each Store, with a number. Held by TestLossIsCompared, TestLossAndRestore,
// TestLossWithoutComparison and TestWriteIsSentOnce, and on a real server by
// internal/e2e: TestRestoredMidCascade.
//
// A window remains. It is open if the restored server has caught up with the newest
// version that was seen before the store asks: it wrote as much itself while it
// started, or others did, or its versions were raised. It is open too if no sign of
// the loss has reached the store, or if the written kind and its owners are in
// different databases of which one was restored. So stop all collectors before a
// restore, and start them after it: a fresh collector knows nothing of the former
// history.
//
// The store keeps all laws of package storetest but two, which no API server can
// keep: TestConformance names them with the reasons. ObservedGeneration is not
// part of an object's metadata, and always 0.
//
// # Rights
//
// get, list and watch, and to act patch and delete, on every resource of every
// group that takes part; update on namespaces/finalize for a sweep that ends
// namespaces; get on /api, /api/*, /apis and /apis/*. To know which kinds there are
// takes get and list on customresourcedefinitions.apiextensions.k8s.io and
// apiservices.apiregistration.k8s.io, even if they are ignored. A right to read that is
// missing is named in the reason for which its kind is sick; a write that the server
// forbids is logged with its words, and holds the object (policy.StoreRefused).
// run/rbac.yaml has all of them as roles.
//
// # Running it
//
// Package run makes a program of a Store and a Collector: leader election,
// Kubernetes Events, flags, health and metrics, and the least rights as a
// manifest. examples/collector is such a program. What that links, this package
// does not: no typed client and no informer, which run's
// TestStoreLinksNoTypedClient holds.
//
// # In tests
//
// Package envtestgc gives envtest, or any server without kube-controller-manager,
// a garbage collector in one line of a TestMain; its WaitIdle returns when a
// cascade is over, or says what holds it, and why. Package fakegc, a module of its
// own, does the same for controller-runtime's fake client, with the UIDs,
// preconditions and propagation that it lacks. examples/operator uses it.
package clientgo
