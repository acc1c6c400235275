package sqlstore

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// outbox hands events to a sink in batches, which share one array. It keeps the first error, and
// then takes no further event.
type outbox struct {
	ctx   context.Context
	sink  func(batch []graph.Event) error
	batch []graph.Event
	err   error
}

func (o *outbox) fail(err error) {
	if o.err == nil {
		o.err = fmt.Errorf("watch: %w", err)
	}
}

// add takes an event, and hands out a full batch.
func (o *outbox) add(e graph.Event) {
	if o.err != nil {
		return
	}
	if o.batch = append(o.batch, e); len(o.batch) == maxBatch {
		_ = o.flush() // it keeps its error
	}
}

// flush hands out the batch, and clears it, so that the array keeps no object alive.
func (o *outbox) flush() error {
	if o.err != nil || len(o.batch) == 0 {
		return o.err
	}
	if o.err = o.ctx.Err(); o.err != nil {
		return o.err
	}
	if err := o.sink(o.batch); err != nil {
		o.err = fmt.Errorf("watch: sink: %w", err)
	}
	clear(o.batch)
	o.batch = o.batch[:0]
	return o.err
}
