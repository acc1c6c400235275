package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
)

// ownSide is this module's collector.
type ownSide struct{ *ownergraph.Collector }

func newOurs(config *rest.Config, workers int) (side, error) {
	store, err := clientgo.New(config, clientgo.Config{})
	if err != nil {
		return nil, err
	}
	c, err := ownergraph.New(store, ownergraph.Config{Workers: workers})
	if err != nil {
		return nil, err
	}
	return ownSide{c}, nil
}

// run is ready when every kind is listed, as upstream is when its informers are.
func (s ownSide) run(ctx context.Context, ready func()) error {
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	for !s.listed() {
		select {
		case err := <-ended:
			return err
		case <-time.After(readyEvery):
		}
	}
	ready()
	return <-ended
}

func (s ownSide) listed() bool {
	kinds := s.Kinds()
	return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k engine.KindStatus) bool { return !k.Listed || k.Sick != "" })
}

func (ownSide) send(context.Context) error { return fmt.Errorf("%s: sees for itself", ours) }
