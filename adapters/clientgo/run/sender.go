package run

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	core "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	maxReports    = 256       // pending reports; the sender drops more, and the program offers most of them again
	maxTopics     = 4096      // remembered topics
	topicLife     = time.Hour // the memory of a topic; a server keeps an Event as long
	sendRate      = 2         // Events a second
	sendBurst     = 50
	sendTimeout   = 10 * time.Second
	complainEvery = 10 * time.Minute // between two log records about Events that cannot be sent
)

// sender sends Events on one goroutine. A caller never waits for it, and its memory is
// bounded.
//
//test:by TestEvents TestEventsBounded TestEventsRefused
type sender struct {
	client    core.EventsGetter
	component string // the name of the reporting component
	version   func(graph.Kind) (schema.GroupVersionKind, bool)
	services  func() []clientgo.UnavailableService
	log       *slog.Logger
	record    graph.Key // the ConfigMap that Events about pauses are about
	limit     int       // of the brake
	begun     time.Time // with times it names the Events that may repeat
	times     int
	queue     chan report
	sent      *simplelru.LRU[topic, time.Time]
	answers   *simplelru.LRU[graph.UID, int] // for braked cascades, so far
	rate      flowcontrol.RateLimiter

	complainedAt time.Time
	lost         atomic.Int64 // the reports about deletions that the full queue has dropped
	lostAt       time.Time
}

// topic identifies an Event: the object and the reason.
type topic struct {
	uid    graph.UID
	reason policy.Reason
	doubt  graph.Doubt
	// time tells apart the Events about one object that may repeat. Resumed is for the end of
	// a pause.
	time    string
	resumed bool
	// code, if set, is the reason of the Event in place of the reason's own name.
	code string
}

// report is the content of an Event.
type report struct {
	key       graph.Key
	topic     topic
	owners    []graph.Owner          // or detail
	elsewhere []graph.OwnerElsewhere // or detail
	detail    []string
	text      string // in place of the words of the reason
}

func (p *Program) newSender(store *clientgo.Store) (*sender, error) {
	client, err := core.NewForConfigAndClient(p.server, p.client)
	if err != nil {
		return nil, err
	}
	said, err := simplelru.NewLRU[topic, time.Time](maxTopics, nil)
	if err != nil {
		return nil, err
	}
	answers, err := simplelru.NewLRU[graph.UID, int](maxTopics, nil)
	if err != nil {
		return nil, err
	}
	w := &sender{answers: answers, begun: time.Now(), limit: p.config.Engine.Brake.PerCascade,
		client: client, log: p.log, component: component, version: store.GroupVersionKind, services: store.UnavailableServices, sent: said,
		queue: make(chan report, maxReports),
		rate:  flowcontrol.NewTokenBucketRateLimiter(sendRate, sendBurst),
	}
	if c := &p.config; c.Engine.Record != "" {
		w.record = graph.Key{Kind: "ConfigMap", Scope: c.recordNamespace(), Name: c.recordName()}
	}
	return w, nil
}

// decided offers an unresolvable reference, an invalid one that makes the program delete, and a
// decision of a guard. The engine waits for this call.
//
//test:by TestCascadeWithoutObject
func (w *sender) decided(d engine.DecisionEvent) {
	about := topic{uid: d.Key.UID, reason: d.Reason, doubt: d.Doubt}
	switch {
	case unresolvable(d.Reason, d.Doubt):
		w.offerOneOfMany(report{key: d.Key, topic: about, owners: d.Owners})
	case len(d.Elsewhere) > 0:
		w.noteInvalid(d)
	case mentions(d):
		about.time = w.roundOf(d)
		key, detail := d.Key, w.advice(&d)
		if key.Name == "" { // the cascade of the objects with too many roots has no object
			if key = w.record; key.Name == "" {
				return
			}
			detail = append(detail, "for the objects with more roots than are kept")
		}
		w.offer(report{key: key, topic: about, detail: detail})
	default:
		w.notePause(d)
	}
}

// roundOf numbers the answers for a cascade, and the trips after each of them. So each of them
// is an Event, and the programs with one record agree on its name.
func (w *sender) roundOf(d engine.DecisionEvent) string {
	if d.Version != "" {
		return ""
	}
	n, _ := w.answers.Get(d.Key.UID)
	if d.Reason != policy.Braked {
		w.answers.Add(d.Key.UID, n+1)
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprint(" ", n)
}

// advice returns what a user can do about a braked cascade, and the kinds that are not counted.
func (w *sender) advice(d *engine.DecisionEvent) (detail []string) {
	if d.Reason != policy.Braked {
		return nil
	}
	detail = append(detail, fmt.Sprintf("the limit is %d objects (flag -brake); -approve lets them go, and -refuse keeps them", w.limit))
	if d.Cascade != nil && len(d.Cascade.Uncounted) > 0 {
		detail = append(detail, "kinds that are sick, and not counted: "+uncounted(*d.Cascade))
		detail = append(detail, behind(d.Cascade.Uncounted, w.services())...)
	}
	return detail
}

// notePause offers the beginning or the end of a pause. The Event is about the record, and
// may repeat.
func (w *sender) notePause(d engine.DecisionEvent) {
	what, is := pauses(d)
	if !is || w.record.Name == "" {
		return
	}
	w.times++
	w.offer(report{key: w.record, detail: []string{what}, topic: topic{
		reason: d.Reason, resumed: d.Action == policy.ActionUnset, time: fmt.Sprint(w.begun.UnixNano(), " ", w.times),
	}})
}

// unresolvable reports whether only the references hold the object. Then only their
// author can correct them.
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

// offer queues a report, or drops it if the queue is full.
func (w *sender) offer(s report) (queued bool) {
	select {
	case w.queue <- s:
		return true
	default:
		return false
	}
}

// offerOneOfMany queues a report of a sort that may come by thousands. Half of the queue is for the
// others: the engine decides about a cascade once, perhaps because of those thousands.
//
//test:by TestEventsBounded TestInvalidBounded
func (w *sender) offerOneOfMany(s report) (queued bool) {
	return len(w.queue) < cap(w.queue)/2 && w.offer(s)
}

// run sends reports until its context ends.
func (w *sender) run(ctx context.Context) {
	tick := time.NewTicker(complainEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			w.lostAt = time.Time{}
			w.sayLost()
			return
		case <-tick.C:
			w.sayLost()
		case s := <-w.queue:
			w.send(ctx, s)
			w.sayLost()
		}
	}
}

// send sends an Event, unless it did so within topicLife. If the Event exists, another
// program sent it, or this one before a restart.
func (w *sender) send(ctx context.Context, s report) {
	if at, ok := w.sent.Get(s.topic); ok && time.Since(at) < topicLife || w.rate.Wait(ctx) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if len(s.elsewhere) > 0 {
		s.text = w.invalidText(&s)
	}
	e := s.event(w.component, w.named(s.key.Kind), time.Now())
	_, err := w.client.Events(e.Namespace).Create(ctx, e, metav1.CreateOptions{})
	switch {
	case err == nil, apierrors.IsAlreadyExists(err), apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		w.sent.Add(s.topic, time.Now())
	case ctx.Err() == nil && time.Since(w.complainedAt) >= complainEvery:
		w.complainedAt = time.Now()
		w.log.Warn("an Event could not be sent", "key", s.key.String(), "reason", e.Reason, "message", e.Message, "err", err)
	}
}

// named returns the version and kind for a reference. A kind that is no longer served
// has no version, and no tool finds its objects.
func (w *sender) named(kind graph.Kind) schema.GroupVersionKind {
	if gvk, ok := w.version(kind); ok {
		return gvk
	}
	return schema.GroupVersionKind{Kind: string(kind[strings.LastIndexByte(string(kind), '/')+1:])}
}
