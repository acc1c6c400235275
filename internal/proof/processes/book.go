package processes

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// book notes the writes of a process in a file. A write has a line before it begins, so that a kill
// loses none, and one with its outcome. It is safe for concurrent use. Use Task.openBook.
type book struct {
	mu   sync.Mutex
	say  *json.Encoder
	last int
}

// line is a line of a book.
type line struct {
	N       int
	Begun   *Write    `json:",omitempty"`
	Outcome Outcome   `json:",omitempty"`
	Text    string    `json:",omitempty"`
	Ended   time.Time `json:",omitzero"`
}

// openBook opens the book of the process.
func (t Task) openBook() (*book, error) {
	f, err := os.OpenFile(t.file("writes"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &book{say: json.NewEncoder(f)}, nil
}

// batchStore is a store that takes batches.
type batchStore interface {
	ownergraph.Store
	ownergraph.Batcher
}

// noted is a store whose writes have lines in a book.
type noted struct {
	batchStore
	book *book
}

func (s *noted) Unwrap() ownergraph.Store { return s.batchStore }

func (s *noted) MaxBatch(ownergraph.Store) int { return s.batchStore.MaxBatch(s.batchStore) }

func (s *noted) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	n, err := s.book.begin(engine.CallPatch, key, pre)
	if err != nil {
		return err
	}
	err = s.batchStore.Patch(ctx, key, pre, change)
	return errors.Join(err, s.book.end(n, err))
}

func (s *noted) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	n, err := s.book.begin(engine.CallDelete, key, opts.Precondition)
	if err != nil {
		return err
	}
	err = s.batchStore.Delete(ctx, key, opts)
	return errors.Join(err, s.book.end(n, err))
}

func (s *noted) Batch(ctx context.Context, writes []graph.Write) ([]error, error) {
	numbers := make([]int, len(writes))
	for i, w := range writes {
		verb, pre := engine.CallPatch, w.Precondition
		if w.Type == graph.WriteDelete {
			verb, pre = engine.CallDelete, w.Options.Precondition
		}
		var err error
		if numbers[i], err = s.book.begin(verb, w.Key, pre); err != nil {
			return nil, err
		}
	}
	results, err := s.batchStore.Batch(ctx, writes)
	for i, n := range numbers {
		outcome := err
		if err == nil {
			outcome = results[i]
		}
		if failed := s.book.end(n, outcome); failed != nil {
			return results, failed
		}
	}
	return results, err
}

func (b *book) begin(verb engine.CallType, key graph.Key, pre graph.Precondition) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	key.UID = pre.UID
	w := &Write{Verb: verb.String(), Key: key, Bound: pre.UID != "" && pre.Version != "", At: time.Now()}
	return b.last, b.say.Encode(line{N: b.last, Begun: w})
}

func (b *book) end(n int, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := line{N: n, Outcome: outcomeOf(err), Ended: time.Now()}
	if err != nil {
		l.Text = err.Error()
	}
	return b.say.Encode(l)
}

func outcomeOf(err error) Outcome {
	switch {
	case err == nil:
		return OutcomeDone
	case errors.Is(err, graph.ErrConflict), errors.Is(err, graph.ErrNotFound):
		return OutcomeLost
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return OutcomeUnset
	}
	return OutcomeFailed
}
