package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/internal/core/seed"
)

// Explain explains an object: see Engine.Explain. The key may be without a UID. Then the
// search looks at a slice of the nodes at a time, and lets the engine go on in between.
//
// Explain makes no request, and changes nothing. It may be called before Run and after its
// end. Objects that are gone are known as long as the engine remembers them.
//
// Its errors are those of Engine.Explain. An error of a context that has ended wraps the
// context's cause.
//
//test:by TestCollectorExplain TestCollectorExplainErrors
func (c *Collector) Explain(ctx context.Context, key Key) (x explain.Explanation, err error) {
	if ctx == nil {
		return x, fmt.Errorf("explain %s: context: nil: %w", seed.PlaceText(key), ErrInvalid)
	}
	full, err := c.fullKey(ctx, key, true)
	if err != nil {
		return x, fmt.Errorf("explain %w", err)
	}
	c.locked(func(e engine.Driver, now time.Time) { x, err = e.ExplainAt(full, now) })
	return x, err
}
