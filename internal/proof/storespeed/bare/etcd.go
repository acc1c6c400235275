package bare

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Key is one key of etcd with its mod revision.
type Key struct {
	Name     string
	Revision int64
}

// maxOps is the number of operations that a server takes in one transaction, less the outer
// one.
const maxOps = 127

// Put writes the values, which the caller has prepared, with their keys behind a prefix.
func Put(ctx context.Context, kv clientv3.KV, prefix string, names, values []string) error {
	for from := 0; from < len(names); from += maxOps {
		var ops []clientv3.Op
		for i := from; i < min(from+maxOps, len(names)); i++ {
			ops = append(ops, clientv3.OpPut(prefix+names[i], values[i]))
		}
		if _, err := kv.Txn(ctx).Then(ops...).Commit(); err != nil {
			return fmt.Errorf("put: %w", err)
		}
	}
	return nil
}

// Keys reads the keys of a prefix in the order of their creation.
func Keys(ctx context.Context, kv clientv3.KV, prefix string) ([]Key, error) {
	r, err := kv.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend))
	if err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	out := make([]Key, len(r.Kvs))
	for i, kv := range r.Kvs {
		out[i] = Key{string(kv.Key), kv.ModRevision}
	}
	return out, nil
}

// DeleteKeys deletes the keys under the condition of their revisions, in transactions of a
// batch each. A transaction of several keys has a nested one for each, so that a conflict
// of one key does not fail the others.
func DeleteKeys(ctx context.Context, kv clientv3.KV, keys []Key, clients, batch int) error {
	return share(clients, len(keys), batch, func(_, from, to int) error {
		if to-from == 1 {
			compare, then := deletion(&keys[from])
			r, err := kv.Txn(ctx).If(compare...).Then(then...).Commit()
			if err == nil && !r.Succeeded {
				err = fmt.Errorf("delete %s: its revision has changed", keys[from].Name)
			}
			return err
		}
		ops := make([]clientv3.Op, 0, to-from)
		for i := from; i < to; i++ {
			compare, then := deletion(&keys[i])
			ops = append(ops, clientv3.OpTxn(compare, then, nil))
		}
		r, err := kv.Txn(ctx).Then(ops...).Commit()
		if err != nil {
			return err
		}
		for i, answer := range r.Responses {
			if !answer.GetResponseTxn().Succeeded {
				return fmt.Errorf("delete %s: its revision has changed", keys[from+i].Name)
			}
		}
		return nil
	})
}

func deletion(k *Key) ([]clientv3.Cmp, []clientv3.Op) {
	return []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(k.Name), "=", k.Revision)}, []clientv3.Op{clientv3.OpDelete(k.Name)}
}
