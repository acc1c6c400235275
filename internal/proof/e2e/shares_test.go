package e2e

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/processes"
)

// sharesSmall is the size of a proof without the figures.
func sharesSmall() processes.Size {
	return processes.Size{Cascades: 20, Dependents: 30, Lease: 3 * time.Second, Patience: patience}
}

// TestShares: three programs on a real server divide the objects. One is killed, one is stopped for
// longer than its lease, and one comes, each in the middle of cascades.
func TestShares(t *testing.T) { processes.Prove(t, newSharesSite(t), processes.SizeOfTests()) }

// TestSharesBesideOther: a program without a share works beside two members.
func TestSharesBesideOther(t *testing.T) { processes.Beside(t, newSharesSite(t), sharesSmall()) }

// TestSharesRollingUpdate: two programs with one Lease, as those of the former manifests, are replaced
// by three members one after another, in the middle of cascades. The writes that the server refuses
// are conflicts.
func TestSharesRollingUpdate(t *testing.T) {
	p := processes.Begin(t, newSharesSite(t), sharesSmall())
	former := []string{"former-1", "former-2"}
	p.Start(processes.RoleLeader, former...)
	wait := p.DeleteInWork(5, former...)
	p.Start(processes.RoleMember, "a")
	p.Divided("a")
	wait()
	wait = p.DeleteInWork(5, "a")
	p.End("former-1")
	p.Start(processes.RoleMember, "b")
	p.Divided("a", "b")
	wait()
	wait = p.DeleteInWork(5, "b")
	p.End("former-2")
	p.Start(processes.RoleMember, "c")
	p.Divided("a", "b", "c")
	wait()
	p.Delete(5)()
	p.Settled()
	p.End("a", "b", "c")
	p.Judge()
}
