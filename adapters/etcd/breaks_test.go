package etcdstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// breaking is a server that answers the first page of a listing, and no further request.
type breaking struct {
	clientv3.KV
	pages int
	first *mvccpb.KeyValue
}

var errCutOff = errors.New("test: the connection is lost")

func (b *breaking) Get(_ context.Context, key string, _ ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if strings.HasSuffix(key, "/"+versionName) {
		return &clientv3.GetResponse{Header: &pb.ResponseHeader{Revision: 20}}, nil
	}
	if b.pages++; b.pages > 1 {
		return nil, errCutOff
	}
	return &clientv3.GetResponse{Header: &pb.ResponseHeader{Revision: 20}, Kvs: []*mvccpb.KeyValue{b.first}, More: true}, nil
}

// atTen returns a watch without a server, which has reported everything up to revision 10.
func atTen(t *testing.T) (w *watch, events *[]graph.Event) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	s, err := New(client, Config{Prefix: "p/", Kinds: []graph.KindInfo{{Kind: "node"}}})
	if err != nil {
		t.Fatal(err)
	}
	events = new([]graph.Event)
	w = s.enter(outbox{ctx: t.Context(), sink: func(batch []graph.Event) error { *events = append(*events, batch...); return nil }})
	w.started, w.anew, w.begun, w.revision, w.epoch = true, false, true, 10, "present"
	at := graph.Key{Kind: "node", Name: "a"}
	place, err := s.conf.Codec.Key(at)
	if err != nil {
		t.Fatal(err)
	}
	at.UID = "u"
	value, err := s.conf.Codec.Encode(Record{Object: graph.Object{Key: at}})
	if err != nil {
		t.Fatal(err)
	}
	s.kv = &breaking{first: &mvccpb.KeyValue{Key: []byte(s.conf.Prefix + place), Value: value, ModRevision: 5}}
	return w, events
}

func passes(events []graph.Event) bool {
	return slices.ContainsFunc(events, func(e graph.Event) bool { return e.Type == graph.FencePassed })
}

// TestListingBreaks: a listing of one kind breaks off after its first page. The watch owes a
// listing of every kind, and has skipped no change of the kind.
func TestListingBreaks(t *testing.T) {
	w, _ := atTen(t)
	w.orders.relist = map[graph.Kind]bool{"node": true}
	if err := w.carryOut(t.Context()); !errors.Is(err, errCutOff) || !w.anew || w.list[0].listed != 0 {
		t.Errorf("%v; listing owed %v, changes up to %d are left out; want the error, true and 0", err, w.anew, w.list[0].listed)
	}
}

// TestFenceOfAnotherHistory: a fence has a revision of a history that the watch does not
// follow. It waits for the present one, although the watch has reached a higher number.
func TestFenceOfAnotherHistory(t *testing.T) {
	w, events := atTen(t)
	w.orders.fences = []fence{{token: 7, revision: 3, epoch: "restored"}}
	if err := w.carryOut(t.Context()); !errors.Is(err, errNewEpoch) {
		t.Errorf("%v, want a new session", err)
	}
	w.passFences()
	if w.out.flush(); passes(*events) {
		t.Error("the fence passed before the watch followed its history")
	}
	w.epoch = "restored"
	w.rebase(identity{moment: moment{revision: 12}, origin: origin{Epoch: "restored"}})
	w.passFences()
	if w.out.flush(); !passes(*events) {
		t.Error("the fence has the present history now, and does not pass")
	}
	w.fences = []fence{{token: 8, revision: 1000, epoch: "former"}}
	w.rebase(identity{moment: moment{revision: 10}, origin: origin{Epoch: "restored"}})
	if f := w.fences[0]; f.revision != 10 || f.epoch != "restored" {
		t.Errorf("a fence of the former history waits for revision %d, want the present one", f.revision)
	}
}
