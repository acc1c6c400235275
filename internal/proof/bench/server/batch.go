package server

import (
	"fmt"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// MaxBatch is the largest number of writes in a Batch.
const MaxBatch = 256

// Batch is one request of a collector with several writes. Each of them has the result of
// Delete or Patch. The writes of one kind in a row take its lock once.
func (s *Server) Batch(writes []graph.Write) []error {
	s.request(Batch)
	results := make([]error, len(writes))
	for i := 0; i < len(writes); {
		n := i + 1
		for n < len(writes) && writes[n].Key.Kind == writes[i].Key.Kind {
			n++
		}
		s.batchOf(writes[i:n], results[i:n])
		i = n
	}
	return results
}

// batchOf makes writes of one kind.
func (s *Server) batchOf(writes []graph.Write, results []error) {
	sh := s.tables[writes[0].Key.Kind]
	if sh == nil {
		for i := range results {
			results[i] = graph.ErrKindUnknown
		}
		return
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for i := range writes {
		w := &writes[i]
		switch w.Type {
		case graph.WriteDelete:
			results[i] = s.remove(sh, w.Key, w.Options)
		case graph.WritePatch:
			_, results[i] = s.edit(sh, w.Key, func(o graph.Object) (finalizer.Outcome, error) {
				return finalizer.Patch(o, w.Precondition, w.Change)
			})
		default:
			results[i] = fmt.Errorf("%s: %w", w, graph.ErrRefused)
		}
	}
}
