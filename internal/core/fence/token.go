package fence

import (
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
)

// maxEarly bounds the tokens that reports name while the call for a fence is under way. A
// report of one more token loses the fence, because that token may be its own.
const maxEarly = 64

// reports are the early reports of one token: the kinds that have passed it, sorted.
type reports struct {
	token uint64
	kinds []graph.Kind
}

// Report takes the watch's report that a kind has passed the fence with the token, "" for
// the set of kinds (R7). While the call for the fence under way has not returned, the
// machine keeps the report.
func (f *Machine) Report(name graph.Kind, token uint64, now time.Time, k *kinds.Table, out *effect.List) Passage {
	switch {
	case f.id == 0, token == 0:
	case f.token == token:
		return f.Pass(name, f.id, k, out)
	case f.token == 0 && token != f.spent && k.CanPass(name):
		f.keep(name, token, now, k, out)
	}
	return Passage{}
}

// keep keeps an early report. Past the bound the fence is lost.
func (f *Machine) keep(name graph.Kind, token uint64, now time.Time, k *kinds.Table, out *effect.List) {
	at := slices.IndexFunc(f.early, func(r reports) bool { return r.token == token })
	if at < 0 {
		if len(f.early) == maxEarly {
			f.lose(now, k, out)
			f.retry = now.Add(time.Second)
			f.Void(k)
			return
		}
		at = len(f.early)
		f.early = append(f.early, reports{token: token})
	}
	r := &f.early[at]
	if i, ok := slices.BinarySearch(r.kinds, name); !ok {
		r.kinds = slices.Insert(r.kinds, i, graph.Kind(strings.Clone(string(name)))) // the event's own text may be part of a larger one
	}
}

// Refuses returns the reason why the token that a call has returned can name no fence, ""
// if it can. A token that comes again could pass a fence by the reports of a former one.
func (f *Machine) Refuses(token uint64) string {
	switch token {
	case 0:
		return "the store has to return a token that is not 0"
	case f.spent:
		return "the store returned this token before"
	}
	return ""
}

// SetToken takes the token that the call for the fence with the id has returned, and that
// Refuses accepts. A kind passes at once if its report came before the token. The token of a
// fence that was given up counts for nothing.
func (f *Machine) SetToken(id, token uint64, k *kinds.Table, out *effect.List) (p Passage) {
	if id == 0 || id != f.id {
		return p
	}
	f.endFailures(out)
	early := f.early
	f.token, f.spent, f.early = token, token, nil
	for _, r := range early {
		for _, name := range r.kinds {
			if r.token == token && k.PassEarly(name, id, f.began) {
				f.note(name, k, out, &p)
			}
		}
	}
	return p
}

func cloneReports(all []reports) []reports {
	all = slices.Clone(all)
	for i := range all {
		all[i].kinds = slices.Clone(all[i].kinds)
	}
	return all
}
