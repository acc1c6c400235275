package etcdstore

import (
	"flag"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	clientv3 "go.etcd.io/etcd/client/v3"
)

var sharedSeed = flag.Uint64("shared.seed", 0, "the seed of TestSharedRevision, 0 for a random one")

// TestSharedRevision: transactions write many keys at one revision, so large that the
// server splits its answers. The stream is cut between the parts of an answer, and the
// connection at random moments. The watch never resumes in the middle of a revision: it
// knows every object, without a new listing.
func TestSharedRevision(t *testing.T) {
	random := randomOf(t, "shared.seed", *sharedSeed)
	r := newRig(t, Config{})
	direct := newRig(t, Config{Prefix: r.conf.Prefix})
	w := watchOf(t, r.Store)
	w.until(t, "it is listed", listed(1))
	var all []graph.Object
	for round := range 8 {
		r.proxy.close() // the watch is behind, and gets all at once
		for n := range 4 {
			all = append(all, direct.writeLarge(t, fmt.Sprintf("r%d-%d", round, n))...)
		}
		r.commits.cuts.Store(2)
		if err := r.poll(t.Context(), r.proxy.listen); err != nil {
			t.Fatal(err)
		}
		for range random.IntN(3) {
			all = append(all, direct.writeLarge(t, fmt.Sprintf("r%d-%d", round, 10+len(all)))...)
			r.proxy.cut()
		}
		w.until(t, "the watch has every object", func(m *mirror) bool { return m.is(all...) })
		if n := r.commits.cuts.Load(); n != 0 {
			t.Errorf("round %d: %d cuts are left: the server has split no answer", round, n)
		}
	}
	if !w.sees(func(m *mirror) bool { return m.begun["pod"] == 1 }) {
		t.Error("the watch has listed again")
	}
}

// writeLarge writes objects of 1 MiB together, in one transaction.
func (r *rig) writeLarge(t *testing.T, name string) []graph.Object {
	t.Helper()
	const n = 64
	var ops []clientv3.Op
	out := make([]graph.Object, n)
	for i := range out {
		out[i].Key = graph.Key{Kind: "pod", Scope: "ns", Name: fmt.Sprintf("%s-%d", name, i), UID: graph.UID(fmt.Sprintf("u-%s-%d", name, i))}
		value, err := JSON{}.Encode(Record{Object: out[i], Payload: make([]byte, 1<<20/n)})
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, clientv3.OpPut(r.at(t, out[i].Key), string(value)))
	}
	answer, err := r.client.Txn(t.Context()).Then(ops...).Commit()
	if err != nil {
		t.Fatal(err)
	}
	for i := range out {
		out[i].Version = version(answer.Header.Revision)
	}
	return out
}
