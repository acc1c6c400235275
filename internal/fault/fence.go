package fault

import (
	"context"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// fence is a fence that the caller began, in one stream.
type fence struct {
	token  uint64                   // that the caller gets, 0 before the inner store has returned it
	inner  []uint64                 // the inner store's tokens: token, and one for each repetition
	passed map[ownergraph.Kind]bool // reported already
}

const (
	maxFences = 64
	maxEarly  = 4 * maxFences
)

// noteFence notes a fence that the streams have to report, before its call. It returns the
// streams' notes.
func (s *Store) noteFence() map[*stream]*fence {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := map[*stream]*fence{}
	for st := range s.streams {
		t := &fence{passed: map[ownergraph.Kind]bool{}}
		begun[st] = t
		st.fences = append(st.fences, t)
		st.fences = st.fences[max(0, len(st.fences)-maxFences):]
	}
	return begun
}

// nameFence takes the result of the inner store's call.
func (s *Store) nameFence(begun map[*stream]*fence, token uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st, t := range begun {
		if err != nil {
			st.fences = slices.DeleteFunc(st.fences, func(x *fence) bool { return x == t })
			continue
		}
		t.token, t.inner = token, append(t.inner, token)
		for _, ev := range st.early {
			if ev.Fence == token {
				t.passed[ev.Kind] = true
			}
		}
		st.forwardEarly(t)
	}
}

// repeatFences begins the fences again that a restarted inner watch does not know.
func (st *stream) repeatFences() {
	for _, t := range st.fences {
		done := t.passed[""]
		for _, k := range st.shownKinds() {
			done = done && t.passed[k.Kind]
		}
		if !done && st.s.fencer != nil {
			st.request(func(ctx context.Context) { st.repeatFence(ctx, t) })
		}
	}
}

// repeatFence begins a fence again. It takes the lock.
func (st *stream) repeatFence(ctx context.Context, t *fence) {
	token, err := st.s.fencer.Fence(ctx)
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	if err == nil {
		t.inner = append(t.inner, token)
		st.forwardEarly(t)
	}
}

// reportFence queues that a fence has passed, once for each kind. The fences of other
// callers pass as they come. So does a fence whose call has not returned yet: it keeps its
// token.
func (st *stream) reportFence(kind ownergraph.Kind, token uint64) {
	ev := ownergraph.Event{Type: graph.FencePassed, Kind: kind, Fence: token}
	i := slices.IndexFunc(st.fences, func(t *fence) bool { return slices.Contains(t.inner, token) })
	if i < 0 || st.fences[i].token == 0 {
		st.early = append(st.early, ev)
		st.early = st.early[max(0, len(st.early)-maxEarly):]
		if i < 0 {
			st.push(ev)
		}
		return
	}
	if t := st.fences[i]; !t.passed[kind] {
		t.passed[kind] = true
		ev.Fence = t.token
		st.push(ev)
	}
}

// forwardEarly forwards the reports of a fence that came before its tokens.
func (st *stream) forwardEarly(t *fence) {
	if t.token == 0 {
		return
	}
	early := st.early
	st.early = nil
	for _, ev := range early {
		switch {
		case !slices.Contains(t.inner, ev.Fence):
			st.early = append(st.early, ev)
		case ev.Kind == "" || st.knows(ev.Kind):
			st.forward(ev)
		}
	}
}
