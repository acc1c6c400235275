package etcdstore

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

const maxEvents = 512 // for one call of the sink

// outbox hands events to a sink in batches. The batches share one array. The first error
// stays.
type outbox struct {
	ctx   context.Context
	sink  func(batch []graph.Event) error
	batch []graph.Event
	err   error
}

func (o *outbox) report(e graph.Event) {
	if o.batch = append(o.batch, e); len(o.batch) == maxEvents {
		o.flush()
	}
}

// flush hands the batch to the sink, and clears it. Otherwise the array of an idle watch
// would keep objects alive.
func (o *outbox) flush() {
	if o.err == nil {
		o.err = o.ctx.Err()
	}
	if len(o.batch) > 0 && o.err == nil {
		if err := o.sink(o.batch); err != nil {
			o.err = fmt.Errorf("watch: sink: %w", err)
		}
	}
	clear(o.batch)
	o.batch = o.batch[:0]
}
