package clientgo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
)

// fakePage is the snapshot that a continue token names.
type fakePage struct {
	version uint64
	items   []*meta
}

func (f *fake) serveList(w http.ResponseWriter, r *http.Request, k *fakeKind) {
	q := r.URL.Query()
	if q.Get("resourceVersion") != "" {
		panic("a list that may be older than an earlier answer")
	}
	f.mu.Lock()
	if _, err := labels.Parse(q.Get("labelSelector")); err != nil {
		f.mu.Unlock()
		fakenet.WriteError(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	page := fakePage{f.version, matching(k.sorted(), q.Get("labelSelector"))}
	if token := q.Get("continue"); token != "" {
		at, from, _ := strings.Cut(token, "/")
		if number(at) < k.compacted || number(at) > f.version { // forgotten, or from before a restore
			f.mu.Unlock()
			fakenet.WriteError(w, apierrors.NewResourceExpired("the continue token has expired"))
			return
		}
		page = k.snapshot(number(at))
		page.items = matching(page.items, q.Get("labelSelector"))
		page.items = page.items[min(int(number(from)), len(page.items)):]
	}
	f.mu.Unlock()
	if _, scope, is := strings.Cut(r.URL.Path, "/namespaces/"); is {
		scope, _, _ = strings.Cut(scope, "/")
		page.items = slices.DeleteFunc(page.items, func(o *meta) bool { return o.Namespace != scope })
	}
	out := metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
	out.ResourceVersion = strconv.FormatUint(page.version, 10)
	if limit := int(number(q.Get("limit"))); limit > 0 && len(page.items) > limit {
		_, from, _ := strings.Cut(q.Get("continue"), "/")
		out.Continue = fmt.Sprintf("%d/%d", page.version, number(from)+uint64(limit))
		if left := int64(len(page.items) - limit); f.countsRest {
			out.RemainingItemCount = &left
		}
		page.items = page.items[:limit]
	}
	for _, o := range page.items {
		out.Items = append(out.Items, *o)
	}
	fakenet.WriteJSON(w, http.StatusOK, out)
}

// snapshot returns the kind at a version, from its log.
func (k *fakeKind) snapshot(version uint64) fakePage {
	then := map[types.NamespacedName]*meta{}
	for at, o := range k.objects {
		then[at] = o
	}
	for _, c := range slices.Backward(k.log) {
		if c.version <= version {
			break
		}
		at := types.NamespacedName{Namespace: c.object.Namespace, Name: c.object.Name}
		delete(then, at)
		for _, b := range slices.Backward(k.log) {
			if b.version < c.version && b.object.Namespace == at.Namespace && b.object.Name == at.Name {
				if b.kind != "DELETED" {
					then[at] = b.object
				}
				break
			}
		}
	}
	old := fakeKind{objects: then}
	return fakePage{version, old.sorted()}
}

const fakeBookmarks = time.Minute

func (f *fake) serveWatch(w http.ResponseWriter, r *http.Request, k *fakeKind, broken <-chan struct{}) {
	q := r.URL.Query()
	f.mu.Lock()
	stream := q.Get("sendInitialEvents") != "" && !f.unknownStream
	if stream && f.noStream {
		f.mu.Unlock()
		fakenet.WriteError(w, apierrors.NewInvalid(k.gvk("v1").GroupKind(), "", nil))
		return
	}
	pos := number(q.Get("resourceVersion"))
	if pos == 0 {
		pos = f.version
	} else if pos < k.compacted {
		f.mu.Unlock()
		fakenet.WriteError(w, apierrors.NewResourceExpired("too old"))
		return
	}
	v := &fakeWatch{f: f, k: k, w: w, pos: pos, mute: f.noBookmarks, hides: k.hides, broken: broken}
	var first []*meta
	if q.Get("sendInitialEvents") != "" {
		first = k.sorted()
	}
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	for _, o := range first {
		v.send("ADDED", o)
	}
	if stream {
		v.bookmark(metav1.InitialEventsAnnotationKey)
	}
	w.(http.Flusher).Flush()
	v.run(r, int(number(q.Get("timeoutSeconds"))))
}

// fakeWatch is one watch of a client.
type fakeWatch struct {
	f      *fake
	k      *fakeKind
	w      http.ResponseWriter
	pos    uint64
	mute   bool
	hides  int
	broken <-chan struct{}
}

func (v *fakeWatch) run(r *http.Request, seconds int) {
	var end, mark <-chan time.Time
	if seconds > 0 {
		end = time.After(time.Duration(seconds) * time.Second)
		mark = time.After(time.Duration(seconds)*time.Second - 2*time.Second)
	}
	tick := time.NewTicker(fakeBookmarks)
	defer tick.Stop()
	for {
		changed, on := v.catchUp()
		if !on {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-v.broken:
			return
		case <-end:
			return
		case <-mark:
			v.bookmark("")
		case <-tick.C:
			if !v.mute {
				v.bookmark("")
			}
		case <-changed:
		}
	}
}

// catchUp sends the pending events. It reports whether the watch goes on, and returns
// the channel of the next change.
func (v *fakeWatch) catchUp() (changed <-chan struct{}, on bool) {
	v.f.mu.Lock()
	changed, gone, late := v.f.changed, v.k.hidden || v.k.hides != v.hides, v.pos < v.k.dropped
	select {
	case <-v.broken: // later events are not for this watch, even if it is slow
		v.f.mu.Unlock()
		return nil, false
	default:
	}
	var due []fakeChange
	for _, c := range v.k.log {
		if c.version > v.pos {
			due = append(due, c)
		}
	}
	v.f.mu.Unlock()
	if late { // it missed an event, and gets an error
		v.write("ERROR", apierrors.NewResourceExpired("too old").Status())
		return nil, false
	}
	for _, c := range due {
		v.send(c.kind, c.object)
		v.pos = c.version
	}
	return changed, !gone
}

func (v *fakeWatch) send(kind string, o *meta) { v.write(kind, typed(o)) }

func (v *fakeWatch) write(kind string, o any) {
	if s, ok := o.(metav1.Status); ok {
		s.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		o = s
	}
	body, err := json.Marshal(map[string]any{"type": kind, "object": o})
	if err != nil {
		panic(err)
	}
	_, _ = v.w.Write(append(body, '\n'))
	v.w.(http.Flusher).Flush()
}

// bookmark sends the server's version, because the watch has sent every event of its
// kind.
func (v *fakeWatch) bookmark(annotation string) {
	v.f.mu.Lock()
	o := &meta{}
	if n := len(v.k.log); annotation == "" && n > 0 && v.k.log[n-1].version > v.pos {
		v.f.mu.Unlock()
		return // other events come first
	}
	if annotation == "" {
		v.pos = max(v.pos, v.f.version)
	}
	v.f.mu.Unlock()
	o.ResourceVersion = strconv.FormatUint(v.pos, 10)
	if annotation != "" {
		o.Annotations = map[string]string{annotation: "true"}
	}
	v.send("BOOKMARK", o)
}
