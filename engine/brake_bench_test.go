package engine

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// BenchmarkBrake is the time of a delete in a background cascade: from the end of the owner to
// the end of the last dependent.
func BenchmarkBrake(b *testing.B) {
	const n = 2000
	for _, c := range []struct {
		name  string
		brake Brake
	}{
		{"off", Brake{}},
		{"cascade", Brake{PerCascade: n}},
		{"window", Brake{PerCascade: n, Window: n, Per: time.Second}},
	} {
		b.Run(c.name, func(b *testing.B) {
			objects := append(below("a", n), "a#1")
			for range b.N {
				b.StopTimer()
				e := listed(b, Config{Brake: c.brake}, objects...)
				if _, at := e.Next(e.now, LaneStore); !at.IsZero() {
					e.now = e.now.Add(time.Minute)
				}
				b.StartTimer()
				cascade(b, e, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/delete")
		})
	}
}

func cascade(b *testing.B, e *Engine, n int) {
	if err := e.Observe(e.now, goneOf("a")); err != nil {
		b.Fatal(err)
	}
	for deletes := 0; deletes < n; {
		c, at := e.Next(e.now, LaneStore)
		switch {
		case c.Type == CallDelete:
			deletes++
			if err := e.Done(e.now, c.ID, Result{}); err != nil {
				b.Fatal(err)
			}
			if err := e.Observe(e.now, graph.Event{Type: graph.Gone, Key: c.Key}); err != nil {
				b.Fatal(err)
			}
		case at.IsZero():
			b.Fatalf("%d deletes", deletes)
		default:
			e.now = at
		}
	}
}
