package run

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	core "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	mostWaiting  = 256       // what is to be told; the rest is dropped, and said again
	mostSaid     = 4096      // what is remembered of what was told
	saidFor      = time.Hour // for that long; a server keeps an Event as long
	tellRate     = 2         // Events in a second
	tellBurst    = 50
	tellTimeout  = 10 * time.Second
	complainOnly = 10 * time.Minute // how often it is logged that Events cannot be sent
)

// teller sends Events on one goroutine. Whoever has something to tell never
// waits for it, and all that it holds is bounded.
type teller struct {
	client  core.EventsGetter
	by      string // the program's name among those that tell
	version func(graph.Kind) (schema.GroupVersionKind, bool)
	log     *slog.Logger
	waiting chan statement
	said    *simplelru.LRU[saying, time.Time]
	rate    flowcontrol.RateLimiter

	complained time.Time
}

// saying is what is said once of an object.
type saying struct {
	uid    graph.UID
	reason policy.Reason
	doubt  graph.Doubt
}

// statement is what is to be told of an object.
type statement struct {
	key    graph.Key
	saying saying
	owners []graph.Owner // that it is about, or
	detail []string
}

func (p *Program) newTeller(store *clientgo.Store) (*teller, error) {
	client, err := core.NewForConfigAndClient(p.server, p.client)
	if err != nil {
		return nil, err
	}
	said, err := simplelru.NewLRU[saying, time.Time](mostSaid, nil)
	if err != nil {
		return nil, err
	}
	return &teller{
		client: client, log: p.log, by: component, version: store.GroupVersionKind, said: said,
		waiting: make(chan statement, mostWaiting),
		rate:    flowcontrol.NewTokenBucketRateLimiter(tellRate, tellBurst),
	}, nil
}

// decided tells of references that nobody can resolve. The engine waits for it.
func (t *teller) decided(d ownergraph.Decided) {
	if unresolvable(d.Reason, d.Doubt) {
		t.offer(statement{key: d.Key, saying: saying{d.Key.UID, d.Reason, d.Doubt}, owners: d.Owners})
	}
}

// unresolvable reports whether an object is held by its references alone, which
// nobody but their author can make good.
func unresolvable(r policy.Reason, d graph.Doubt) bool {
	if r == policy.OnlySelf {
		return true
	}
	if r != policy.OwnerUnknown {
		return false
	}
	switch d {
	case graph.UnresolvedScope, graph.BannedOwner, graph.ForeignScope, graph.ScopedOwner, graph.Misplaced, graph.Renamed:
		return true
	}
	return false
}

// offer drops what has no room.
func (t *teller) offer(s statement) {
	select {
	case t.waiting <- s:
	default:
	}
}

// run tells until its context ends.
func (t *teller) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-t.waiting:
			t.tell(ctx, s)
		}
	}
}

// tell sends an Event unless that was done a while ago. What is already there
// was told by another program, or before a restart.
func (t *teller) tell(ctx context.Context, s statement) {
	if at, ok := t.said.Get(s.saying); ok && time.Since(at) < saidFor || t.rate.Wait(ctx) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, tellTimeout)
	defer cancel()
	e := s.event(t.by, t.named(s.key.Kind), time.Now())
	_, err := t.client.Events(e.Namespace).Create(ctx, e, metav1.CreateOptions{})
	switch {
	case err == nil, apierrors.IsAlreadyExists(err), apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		t.said.Add(s.saying, time.Now())
	case ctx.Err() == nil && time.Since(t.complained) >= complainOnly:
		t.complained = time.Now()
		t.log.Warn("an Event could not be sent", "object", s.key.String(), "reason", e.Reason, "message", e.Message, "err", err)
	}
}

// named returns how a reference names a kind. One that is not served any more has
// no version, and no tool finds an object of it.
func (t *teller) named(kind graph.Kind) schema.GroupVersionKind {
	if gvk, ok := t.version(kind); ok {
		return gvk
	}
	return schema.GroupVersionKind{Kind: string(kind[strings.LastIndexByte(string(kind), '/')+1:])}
}
