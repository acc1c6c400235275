package processes

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// The most writes for an object, while no member comes or goes, and otherwise.
const (
	calmWrites    = 1.02
	changedWrites = 1.1
)

// Prove proves the shares of processes. Two of three members go away in the middle of cascades, one
// by a kill and one by a stop, so the third one ends the work of all. Then the stopped one goes on
// and a new one comes, in the middle of further cascades.
//
//test:by internal/proof/e2e.TestShares adapters/etcd.TestGroupProcesses adapters/sql.TestGroupProcesses
func Prove(t testing.TB, s Site, z Size) {
	t.Helper()
	p := Begin(t, s, z)
	half, eighth := z.Cascades/2, z.Cascades/8
	p.Start(RoleMember, "a", "b", "c")
	p.Divided("a", "b", "c")
	p.Delete(half)()
	p.Settled()
	lost := p.lose("a", "b", eighth)
	p.Divided("c")
	p.Settled()
	p.outlast(lost, z.Stopped)
	wait := p.DeleteInWork(eighth, "c")
	p.GoOn("b")
	p.Start(RoleMember, "d")
	p.dividedMeanwhile(eighth, "b", "c", "d")
	wait()
	p.DeleteInWork(z.Cascades-p.deleted, "d")()
	p.Settled()
	p.Divided("b", "c", "d")
	p.End("b", "c", "d")
	r := p.Judge()
	p.bound("no change of members", r, p.cascades[:half], calmWrites)
	p.bound("changes of members", r, p.cascades[half:], changedWrites)
	t.Logf("the part of the killed member waits %s, and its lease is %s", r.waited("a", lost, "a", "b", "c"), z.Lease)
	p.speeds()
}

// lose kills one member and stops another one in the middle of n cascades, and returns the time.
func (p *Proof) lose(killed, stopped string, n int) time.Time {
	p.t.Helper()
	wait := p.DeleteInWork(n, killed)
	at := p.Kill(killed)
	p.Pause(stopped)
	wait()
	return at
}

// dividedMeanwhile is Divided. Meanwhile it deletes up to n cascades, one after another.
func (p *Proof) dividedMeanwhile(n int, names ...string) {
	p.t.Helper()
	last := time.Time{}
	p.until(fmt.Sprintf("%v divide all UIDs beside cascades", names), func(ctx context.Context) error {
		err := p.divided(ctx, names)
		if err != nil && n > 0 && time.Since(last) > p.size.Lease/20 {
			n--
			last = time.Now()
			p.Delete(1)()
		}
		return err
	})
}

// outlast waits until some time has passed since another one.
func (p *Proof) outlast(since time.Time, d time.Duration) {
	ctx, cancel := context.WithDeadline(p.ctx, since.Add(d))
	defer cancel()
	<-ctx.Done()
}

// Beside proves that a collector without a share works beside two members. The writes that the store
// refuses are conflicts.
//
//test:by internal/proof/e2e.TestSharesBesideOther adapters/etcd.TestGroupBesideOther adapters/sql.TestGroupBesideOther
func Beside(t testing.TB, s Site, z Size) {
	t.Helper()
	p := Begin(t, s, z)
	p.Start(RoleMember, "a", "b")
	p.Start(RoleAlone, "other")
	p.Divided("a", "b")
	p.Synced("other")
	p.Delete(z.Cascades)()
	p.Settled()
	p.Divided("a", "b")
	p.End("a", "b", "other")
	r := p.Judge()
	if n := len(lost(r.writes)); n == 0 {
		t.Error("no write met a conflict: the test shows nothing")
	}
	_, text := r.ratio(p.cascades)
	t.Log(text)
}
