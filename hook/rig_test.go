package hook_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/hook"
)

// journal writes the calls down. It marks the context of each call.
type journal struct {
	mu     sync.Mutex
	lines  []string
	events int
}

type mark struct{}

func (j *journal) Begin(ctx context.Context, c *hook.Call) context.Context {
	return context.WithValue(ctx, mark{}, c)
}

func (j *journal) End(ctx context.Context, c *hook.Call, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	words := []string{c.Type.String(), string(c.Kind), c.Finalizer, hook.ResultOf(err).String()}
	if c.Key.Name != "" {
		words = append(words, c.Key.String())
	}
	line := strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
	for i, w := range c.Writes {
		line += fmt.Sprintf(" %s=%s", w, c.ResultAt(i, err))
	}
	if ctx.Value(mark{}) != c {
		line += " with another context"
	}
	j.lines = append(j.lines, line)
}

func (j *journal) Watched(batch []ownergraph.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events += len(batch)
}

// take returns the lines since the last time.
func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines
	j.lines = nil
	return lines
}

func newMemory(t testing.TB, c memory.Config) *memory.Store {
	t.Helper()
	c.Kinds = []ownergraph.KindInfo{{Kind: "app", Scoped: true}, {Kind: "node"}, {Kind: "pod", Scoped: true}}
	s, err := memory.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
