package run

import (
	"context"
	"errors"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// ErrLeaseLost says that a program has stopped because it could not renew its Lease, or
// because another program took it.
var ErrLeaseLost = errors.New("lease lost")

// newLock returns the program's Lease as the lock of client-go's election.
func (p *Program) newLock() (resourcelock.Interface, error) {
	client, err := coordination.NewForConfigAndClient(p.server, p.client)
	if err != nil {
		return nil, err
	}
	l := p.config.Lease
	if l.Identity == "" {
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("name of the host: %w", err)
		}
		l.Identity = host + "_" + string(uuid.NewUUID())
	}
	return &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: l.Namespace, Name: l.Name},
		Client:     client,
		LockConfig: resourcelock.ResourceLockConfig{Identity: l.Identity},
	}, nil
}

// lead collects while the program has its Lease. The election ends after the
// collector, so that the Lease is released after the last write.
//
//test:by TestLease TestLeaseLost TestLeaseTaken
func (p *Program) lead(ctx context.Context) error {
	elects, resign := context.WithCancel(context.WithoutCancel(ctx))
	defer resign()
	leads := make(chan context.Context, 1)
	elector, err := p.newElector(leads)
	if err != nil {
		return fmt.Errorf("run: Lease %s: %w", p.config.Lease, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		elector.Run(elects)
	}()
	defer func() { resign(); <-ended }()
	select {
	case <-ctx.Done():
		return nil
	case leading := <-leads:
		return p.collectWhile(ctx, leading)
	}
}

// collectWhile collects until one of two contexts ends.
func (p *Program) collectWhile(ctx, leading context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(leading, stop)()
	err := p.collect(ctx)
	if leading.Err() != nil {
		return errors.Join(fmt.Errorf("run: Lease %s: %w", p.config.Lease, ErrLeaseLost), err)
	}
	return err
}

// newElector returns an election that sends, once, the context that ends with the
// Lease. A holder that cannot renew stops after a sixth and two fifths of the Lease's
// duration. It gives up the release of the Lease after two more fifths. Another program
// may take the Lease only later.
func (p *Program) newElector(leads chan<- context.Context) (*leaderelection.LeaderElector, error) {
	whole := p.config.Lease.Duration
	return leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: p.lock, Name: p.config.Lease.Name, ReleaseOnCancel: true,
		LeaseDuration: whole, RenewDeadline: whole * 2 / 5, RetryPeriod: whole / 6,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { leads <- ctx },
			OnStoppedLeading: func() {},
		},
	})
}
