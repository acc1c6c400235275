// Command play starts a Kubernetes API server without a garbage collector of its own,
// and ownergraph's beside it, to play with. It prints how to reach the server and some
// commands to try. Then it prints every decision with an effect, until it is
// interrupted. It leaves no file and no process behind.
//
//	GOWORK=off go -C internal/proof/e2e run ./cmd/play
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
)

func main() {
	life := flag.Duration("for", 8*time.Hour, "the longest that it runs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *life)
	defer cancel()
	if err := play(ctx, *life); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play runs the server and the collector until ctx ends.
func play(ctx context.Context, life time.Duration) (err error) {
	s, err := server.Start(ctx, server.Config{Lifetime: life + time.Minute, Output: os.Stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	kubeconfig, err := s.Kubeconfig()
	if err != nil {
		return err
	}
	store, err := clientgo.New(s.Admin(), clientgo.Config{})
	if err != nil {
		return err
	}
	collector, err := ownergraph.New(store, ownergraph.Config{OnDecision: say})
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	if _, err := collector.WaitIdle(ctx); err != nil {
		return err
	}
	fmt.Printf(greeting, kubeconfig, s.Dir(), collector.Stats().Objects)
	return <-ended
}

// say prints a decision of the collector.
func say(d engine.DecisionEvent) {
	if d.Decision.Action.Writes() {
		fmt.Printf("%s  %s: %s: %s\n", time.Now().Format("15:04:05.000"), d.Key, d.Decision.Action, d.Decision.Reason)
	}
}

const greeting = `
An API server is running, and the collector with it. Its folder, with its logs, is
%[2]s
The collector knows %[3]d objects. In another terminal:

  export KUBECONFIG=%[1]s
  kubectl create configmap owner
  uid=$(kubectl get configmap owner -o jsonpath='{.metadata.uid}')
  for i in 1 2 3; do kubectl create secret generic child-$i && kubectl patch secret child-$i --patch \
    '{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"'$uid'","blockOwnerDeletion":true}]}}'; done
  kubectl delete configmap owner --cascade=foreground    # or background, or orphan
  kubectl get configmaps,secrets

What it does follows here. An interrupt (Ctrl-C) ends everything.

`
