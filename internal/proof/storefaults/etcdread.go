package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// etcdRead reads the keys of an etcd store with a client of its own.
type etcdRead struct {
	etcd   *clientv3.Client
	prefix string
}

func (r etcdRead) space() string { return r.prefix + "objects/" }

func (r etcdRead) list(ctx context.Context) (*clientv3.GetResponse, error) {
	return r.etcd.Get(ctx, r.space(), clientv3.WithPrefix())
}

func (r etcdRead) objects(ctx context.Context) (list []graph.Object, err error) {
	all, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	for _, kv := range all.Kvs {
		o, _, err := r.read(kv)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

// read reads the default codec: a line of JSON with the object, and then the payload.
func (r etcdRead) read(kv *mvccpb.KeyValue) (o graph.Object, payload string, err error) {
	line, rest, _ := bytes.Cut(kv.Value, []byte{'\n'})
	var value struct {
		Object json.RawMessage `json:"object"`
	}
	if err = json.Unmarshal(line, &value); err == nil {
		err = o.UnmarshalJSON(value.Object)
	}
	if place := strings.TrimPrefix(string(kv.Key), r.space()); err == nil && place != o.PlaceString() {
		err = fmt.Errorf("the object is %s", o)
	}
	if err != nil {
		return o, "", fmt.Errorf("key %q: %w", kv.Key, err)
	}
	o.Version = graph.Version(strconv.FormatInt(kv.ModRevision, 10))
	return o, string(rest), nil
}

// content reads the present keys, and every change after a revision. The server keeps the
// changes, because no test compacts it before.
func (r etcdRead) content(ctx context.Context, first int64) (*judge.Content, error) {
	all, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	c := &judge.Content{}
	for _, kv := range all.Kvs {
		o, payload, err := r.read(kv)
		if err != nil {
			return nil, err
		}
		c.Objects = append(c.Objects, o)
		if payload != "" {
			c.Rows = append(c.Rows, judge.Row{UID: o.UID, Name: payload})
		}
	}
	end := r.prefix + "objects/~" // behind every key of the store
	mark, err := r.etcd.Put(ctx, end, "")
	if err != nil {
		return nil, err
	}
	if _, err := r.etcd.Delete(ctx, end); err != nil {
		return nil, err
	}
	return c, r.changes(ctx, first+1, mark.Header.Revision, c)
}

// changes reads the revisions from first to last.
func (r etcdRead) changes(ctx context.Context, first, last int64, c *judge.Content) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	states := map[string]graph.Object{}
	for w := range r.etcd.Watch(ctx, r.space(), clientv3.WithPrefix(), clientv3.WithRev(first)) {
		if err := w.Err(); err != nil {
			return err
		}
		for _, e := range w.Events {
			key := string(e.Kv.Key)
			switch {
			case e.Kv.ModRevision >= last:
				return nil
			case e.Type == mvccpb.DELETE:
				c.Changes = append(c.Changes, judge.Change{Gone: true, Object: states[key]})
				delete(states, key)
			default:
				o, _, err := r.read(e.Kv)
				if err != nil {
					return err
				}
				states[key] = o
				c.Changes = append(c.Changes, judge.Change{Object: o})
			}
		}
	}
	return fmt.Errorf("the watch ended before revision %d: %w", last, ctx.Err())
}
