package feed

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// outbox hands events to a sink in batches. The batches share one array.
type outbox struct {
	ctx   context.Context
	sink  func(batch []graph.Event) error
	size  int
	batch []graph.Event
	err   error // the first one; no event follows it
}

func (o *outbox) add(e graph.Event) {
	if o.err != nil {
		return
	}
	if o.batch = append(o.batch, e); len(o.batch) >= o.size {
		_ = o.flush() // the next flush returns it, too
	}
}

// flush hands the batch to the sink, and clears it. Otherwise the array of an idle watch would
// keep objects alive.
func (o *outbox) flush() error {
	if o.err == nil && len(o.batch) > 0 {
		if o.err = o.ctx.Err(); o.err == nil {
			if err := o.sink(o.batch); err != nil {
				o.err = fmt.Errorf("sink: %w", err)
			}
		}
	}
	clear(o.batch)
	o.batch = o.batch[:0]
	return o.err
}
