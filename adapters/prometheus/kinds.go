package promstats

import (
	"sync"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph"
)

const (
	// other is the label of the kinds without one of their own.
	other = "other"
	// maxLabel bounds the length of a label.
	maxLabel = 128
)

// kindLabels gives kinds their labels. A kind that has got a label keeps it, so a counter
// never moves from one label to another. It is safe for concurrent use.
type kindLabels struct {
	mu   sync.RWMutex
	most int
	own  map[ownergraph.Kind]bool
}

func newKindLabels(most int, reserved []ownergraph.Kind) *kindLabels {
	l := &kindLabels{most: most, own: map[ownergraph.Kind]bool{}}
	for _, k := range reserved {
		l.of(k)
	}
	return l
}

// of returns the label of a kind. A kind has no label of its own if its name is not fit for
// one, or if the bound is reached.
func (l *kindLabels) of(k ownergraph.Kind) string {
	l.mu.RLock()
	own := l.own[k]
	l.mu.RUnlock()
	if own {
		return string(k)
	}
	if k == "" || k == other || len(k) > maxLabel || !utf8.ValidString(string(k)) {
		return other
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.own[k] && len(l.own) >= l.most {
		return other
	}
	l.own[k] = true
	return string(k)
}
