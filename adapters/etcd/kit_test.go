package etcdstore

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/adapters/storetest/linear"
)

// config is that of the kit. The prefixes of etcd have policies, and those of kine do not.
func config(onKine bool) storetest.Config {
	return storetest.Config{
		New: func(tb storetest.TB) storetest.Subject {
			return newRig(tb, Config{Kine: onKine, PageSize: 100, Policies: !onKine}).subject()
		},
		Without:  without(),
		Patience: 20 * time.Second, // a busy machine stalls for some seconds
	}
}

// without are the promises that the package documentation names as missing.
func without() []storetest.Promise {
	return []storetest.Promise{storetest.SickKinds, storetest.ChangingKinds}
}

// TestKit runs the conformance kit on etcd.
func TestKit(t *testing.T) { storetest.Test(t, config(false)) }

// TestKitOnKine runs the conformance kit on kine with a SQLite file.
func TestKitOnKine(t *testing.T) { storetest.Test(t, config(true)) }

// TestLinearizable runs many callers at once on etcd.
func TestLinearizable(t *testing.T) { linear.Test(t, config(false)) }

// TestLinearizableOnKine runs many callers at once on kine with a SQLite file.
func TestLinearizableOnKine(t *testing.T) { linear.Test(t, config(true)) }
