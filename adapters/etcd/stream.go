package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"math"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

// errCompacted says that the server has forgotten changes that the watch needs.
var errCompacted = errors.New("the revision was compacted")

// stream is one watch of the server, on a stream of its own. The client's own watcher
// would resume by itself, and hide a restore. It would also keep every event in memory for
// a sink that waits. Here the stream's flow control makes the server wait.
type stream struct {
	rpc      pb.Watch_WatchClient
	cancel   context.CancelFunc
	messages chan message
}

// message is a whole answer of the server, or the end of the stream.
type message struct {
	answer *pb.WatchResponse
	err    error
}

// open begins to watch all keys of the store from a revision on. It returns when the server
// has begun, or when start ends.
func (s *Store) open(ctx, start context.Context, from int64) (*stream, error) {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	rpc, err := pb.NewWatchClient(s.client.ActiveConnection()).Watch(ctx, grpc.MaxCallRecvMsgSize(math.MaxInt32))
	if err != nil {
		cancel()
		return nil, fmt.Errorf("open a stream: %w", refusal(err))
	}
	st := &stream{rpc, cancel, make(chan message)}
	create := &pb.WatchCreateRequest{
		Key: []byte(s.conf.Prefix), RangeEnd: []byte(clientv3.GetPrefixRangeEnd(s.conf.Prefix)),
		StartRevision: from, ProgressNotify: true, Fragment: true,
	}
	err = rpc.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: create}})
	if err == nil {
		go st.receive(ctx)
		err = st.created(start)
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("begin at revision %d: %w", from, err)
	}
	return st, nil
}

// created waits for the server's first answer.
func (st *stream) created(ctx context.Context) error {
	select {
	case m := <-st.messages:
		if m.err != nil {
			return m.err
		}
		if err := ended(m.answer); err != nil {
			return err
		}
		if !m.answer.Created {
			return errors.New("the server's first answer is another one")
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ended returns the reason why the server has ended the watch, or nil.
func ended(a *pb.WatchResponse) error {
	switch {
	case a.CompactRevision != 0:
		return errCompacted
	case a.Canceled:
		return fmt.Errorf("the server ended it: %q", a.CancelReason)
	}
	return nil
}

// receive hands on whole answers until the stream ends. The server splits large ones, also
// between events of one revision.
func (st *stream) receive(ctx context.Context) {
	var whole *pb.WatchResponse
	for {
		a, err := st.rpc.Recv()
		switch {
		case err != nil:
			st.pass(ctx, message{err: fmt.Errorf("the stream broke: %w", refusal(err))})
			return
		case whole == nil:
			whole = a
		default:
			whole.Events = append(whole.Events, a.Events...)
		}
		if a.Fragment {
			continue
		}
		if !st.pass(ctx, message{answer: whole}) {
			return
		}
		whole = nil
	}
}

func (st *stream) pass(ctx context.Context, m message) bool {
	select {
	case st.messages <- m:
		return true
	case <-ctx.Done():
		return false
	}
}

// requestProgress asks the server for its revision, as soon as it has sent every event up
// to it. The server may ignore the request while it is behind.
func (st *stream) requestProgress() error {
	err := st.rpc.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{ProgressRequest: &pb.WatchProgressRequest{}}})
	if err != nil {
		return fmt.Errorf("request progress: %w", err)
	}
	return nil
}
