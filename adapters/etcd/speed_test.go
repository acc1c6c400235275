package etcdstore

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// BenchmarkDelete deletes objects in batches and one by one, and does the same with bare
// transactions of the client. Each pair runs in turns on the same server. It reports the
// rates, and the store's rate as a part of the bare one.
func BenchmarkDelete(b *testing.B) {
	const objects, clients = 8 * maxBatch, 8
	for _, size := range []int{1, maxBatch} {
		b.Run(fmt.Sprintf("batch=%d", size), func(b *testing.B) {
			r := newRig(b, Config{})
			w := watchOf(b, r.Store)
			var bare, ours time.Duration
			for n := 0; b.Loop(); n++ {
				first := r.fill(b, fmt.Sprintf("bare%d", n), objects)
				second := r.fill(b, fmt.Sprintf("ours%d", n), objects)
				w.until(b, "the watch has listed the objects", func(seen *mirror) bool { return len(seen.objects) == 2*objects })
				bare += timed(b, first, size, clients, r.bareDelete)
				ours += timed(b, second, size, clients, r.storeDelete)
				w.until(b, "the watch has reported the end of all", func(seen *mirror) bool { return len(seen.objects) == 0 })
			}
			rate := func(d time.Duration) float64 { return float64(b.N*objects) / d.Seconds() }
			b.ReportMetric(rate(bare), "bare/s")
			b.ReportMetric(rate(ours), "store/s")
			b.ReportMetric(rate(ours)/rate(bare), "ratio")
		})
	}
}

// fill creates objects without the rules of the store.
func (r *rig) fill(tb testing.TB, name string, n int) []graph.Object {
	tb.Helper()
	out := make([]graph.Object, n)
	for i := range out {
		out[i].Key = graph.Key{Kind: "pod", Scope: "ns", Name: fmt.Sprintf("%s-%06d", name, i), UID: graph.UID(fmt.Sprintf("uid-%s-%020d", name, i))}
		out[i].Owners = []graph.Owner{{Key: graph.Key{Kind: "app", Scope: "ns", Name: "owner", UID: "an-owner-with-a-long-uid-1"}}}
	}
	for from := 0; from < n; from += maxBatch {
		part := out[from:min(n, from+maxBatch)]
		var ops []clientv3.Op
		for i := range part {
			value, err := JSON{}.Encode(Record{Object: part[i]})
			if err != nil {
				tb.Fatal(err)
			}
			ops = append(ops, clientv3.OpPut(r.at(tb, part[i].Key), string(value)))
		}
		answer, err := r.client.Txn(tb.Context()).Then(ops...).Commit()
		if err != nil {
			tb.Fatal(err)
		}
		for i := range part {
			part[i].Version = version(answer.Header.Revision)
		}
	}
	return out
}

// at returns the key of a place.
func (r *rig) at(tb testing.TB, place graph.Key) string {
	tb.Helper()
	key, err := JSON{}.Key(place.Place())
	if err != nil {
		tb.Fatal(err)
	}
	return r.conf.Prefix + key
}

// timed deletes the objects in batches by several clients, and returns the time.
func timed(tb testing.TB, objects []graph.Object, size, clients int, remove func(context.Context, []graph.Object) error) time.Duration {
	tb.Helper()
	parts := make(chan []graph.Object, len(objects))
	for from := 0; from < len(objects); from += size {
		parts <- objects[from:min(len(objects), from+size)]
	}
	close(parts)
	begun := time.Now()
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for part := range parts {
				if err := remove(tb.Context(), part); err != nil {
					tb.Error(err)
				}
			}
		})
	}
	group.Wait()
	return time.Since(begun)
}

func (r *rig) bareDelete(ctx context.Context, part []graph.Object) error {
	var ops []clientv3.Op
	for _, o := range part {
		key, err := JSON{}.Key(o.Place())
		if err != nil {
			return err
		}
		at, revision := r.conf.Prefix+key, int64(0)
		if _, err := fmt.Sscan(string(o.Version), &revision); err != nil {
			return err
		}
		compare := []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(at), "=", revision)}
		if len(part) == 1 {
			_, err := r.client.Txn(ctx).If(compare...).Then(clientv3.OpDelete(at)).Else(clientv3.OpGet(at)).Commit()
			return err
		}
		ops = append(ops, clientv3.OpTxn(compare, []clientv3.Op{clientv3.OpDelete(at)}, []clientv3.Op{clientv3.OpGet(at)}))
	}
	_, err := r.client.Txn(ctx).Then(ops...).Commit()
	return err
}

func (r *rig) storeDelete(ctx context.Context, part []graph.Object) error {
	if len(part) == 1 {
		return r.Delete(ctx, part[0].Key, exactly(part[0]))
	}
	writes := make([]graph.Write, len(part))
	for i, o := range part {
		writes[i] = graph.Write{Type: graph.WriteDelete, Key: o.Key, Options: exactly(o)}
	}
	results, err := r.Batch(ctx, writes)
	for _, each := range results {
		if err == nil {
			err = each
		}
	}
	return err
}

// exactly are the options of the engine: a background deletion of exactly this state.
func exactly(o graph.Object) graph.DeleteOptions {
	return graph.DeleteOptions{Precondition: graph.Precondition{UID: o.UID, Version: o.Version}, Propagation: graph.Background}
}
